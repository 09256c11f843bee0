import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { startService } from '../../service/start-service.ts'
import { type Client, connect } from '../client.ts'
import { logOf } from '../log.ts'
import { folder } from '../service/child.ts'
import { insertMany } from '../service/direct-database.ts'

/** Starts a service on a file, and a client. */
async function serve(
  test: TestContext,
  path: string,
  logLevel: 'silent' | 'error' = 'silent',
): Promise<Client> {
  const databaseUrl = `sqlite:${path}`
  const service = await startService({ databaseUrl, port: 0, logLevel })
  const client = connect(service.url)
  test.after(async () => {
    client.close()
    await service.close(100)
  })
  return client
}

const ada = { data: { type: 'person', attributes: { name: 'Ada' } } }

const create = async (client: Client, name = 'Ada') =>
  (
    await client.send('POST', '/persons', {
      body: { data: { type: 'person', attributes: { name } } },
    })
  ).status
const get = async (client: Client, path = '/persons') => (await client.send('GET', path)).status

describe('A service on a SQLite file', () => {
  it('can be read and written only by its owner, like its -wal and -shm files', async (test) => {
    const path = join(await folder(test), 'new', 'people.db')
    const client = await serve(test, path)
    assert.equal(await create(client), 201)
    for (const name of readdirSync(join(path, '..')))
      assert.equal(statSync(join(path, '..', name)).mode & 0o777, 0o600, name)
  })

  it('acknowledges no write and creates no file after the file was deleted', async (test) => {
    const path = join(await folder(test), 'people.db')
    const client = await serve(test, path, 'error')
    assert.equal(await create(client), 201)
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    const log = await logOf(async () => {
      const { status, text } = await client.send('POST', '/persons', { body: ada })
      assert.equal(status, 503)
      assert.match(text, /"code":"unavailable"/)
    })
    assert.match(log.join('\n'), /The file \S+ was deleted while the server ran; restart it/)
    await new Promise((resolve) => setTimeout(resolve, 150))
    // A read that opens a connection must not create an empty database.
    await logOf(async () => {
      for (const query of ['', '?page[size]=0', '?filter[name]=Ada'])
        assert.equal(await get(client, `/persons${query}`), 503, query)
    })
    assert.equal(existsSync(path), false)
  })

  it('acknowledges no write after the file was replaced', async (test) => {
    const path = join(await folder(test), 'people.db')
    const client = await serve(test, path)
    const other = `${path}.other`
    new DatabaseSync(other).close()
    renameSync(other, path)
    assert.equal(await create(client), 503)
  })

  it('truncates the write-ahead log to 16 MiB when the reader that held it has ended', async (test) => {
    const path = join(await folder(test), 'people.db')
    const client = await serve(test, path)
    const logSize = () => statSync(`${path}-wal`).size
    // As a stalled stream does, it keeps SQLite from writing the log back.
    const reader = new DatabaseSync(path)
    reader.exec('begin')
    reader.prepare('select count(*) from person').get()
    for (let each = 0; each < 22; each += 1)
      assert.equal(await create(client, 'x'.repeat(1_000_000)), 201)
    assert.ok(logSize() > 20_000_000, String(logSize()))
    reader.close()
    for (let each = 0; each < 3; each += 1) assert.equal(await create(client), 201)
    assert.ok(logSize() <= 16 * 1024 * 1024, String(logSize()))
  })

  it('responds with 503 if the file is damaged, and continues to run', async (test) => {
    const path = join(await folder(test), 'people.db')
    const client = await serve(test, path)
    await insertMany(`sqlite:${path}`, { persons: 3000, computers: 0 })
    const database = new DatabaseSync(path)
    database.exec('pragma wal_checkpoint(truncate)')
    database.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(statSync(path).size - 8192, 0xa5), 0, undefined, 8192)
    closeSync(file)
    assert.equal(await get(client, '/persons?sort=-name'), 503)
    assert.equal(await get(client, '/'), 200)
  })

  it('responds to writes with 503 while the disk is full', async (test) => {
    const disk = await smallDisk(test)
    if (disk === undefined) return test.skip('only root can mount a small disk, and only on Linux')
    const client = await serve(test, join(disk, 'people.db'))
    assert.equal(await create(client), 201)
    const filler = join(disk, 'filler')
    assert.throws(() => writeFileSync(filler, Buffer.alloc(8_000_000)), /ENOSPC/)
    const statuses: number[] = []
    for (let each = 0; each < 5; each += 1) statuses.push(await create(client, 'x'.repeat(900_000)))
    assert.ok(statuses.includes(503), String(statuses))
    assert.deepEqual([...new Set(statuses)].sort().at(-1), 503)
    assert.equal(await get(client), 200)
    rmSync(filler)
    assert.equal(await create(client), 201)
  })
})

/** Mounts a disk of a few megabytes; `undefined` if it cannot be mounted. */
async function smallDisk(test: TestContext): Promise<string | undefined> {
  const path = join(tmpdir(), `lapidary-disk-${process.pid}`)
  await mkdir(path, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  test.after(() => execFileSync('umount', ['--lazy', path]))
  return path
}
