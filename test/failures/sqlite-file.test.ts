import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { attribute, createApi, defineModel, resource, sql, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
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

describe('A SQLite file that is replaced while it is open', () => {
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    fields: { title: attribute(text) },
    hooks: { beforeCreate: (input) => onCreate(String(input.attributes.title)) },
  })
  const model = defineModel([note])
  let onCreate = (_title: string) => {}

  /** Opens a file, writes a note, copies the file, and writes another one, which only its log has. */
  async function open(test: TestContext) {
    const path = join(await folder(test), 'notes.db')
    const [old, copy] = [`${path}.old`, `${path}.copy`]
    onCreate = () => {}
    const store = openSqlite(model, path, { create: true })
    const sql = 'create table note (id integer primary key, title text)'
    await store.migrate([{ version: 1, sql }])
    const client = createApi({ model, store }).with({})
    await client.create('note', { title: 'before' })
    const other = new DatabaseSync(path)
    other.exec(`vacuum into '${copy}'`)
    other.close()
    linkSync(path, old)
    await client.create('note', { title: 'after' })
    const create = (title: string) =>
      client.create('note', { title }).then(
        () => 201,
        (error) => error.status,
      )
    return { path, old, copy, store, client, create }
  }

  /** Reads the titles by another program, as after the stop. */
  function titlesOf(path: string): unknown {
    const database = new DatabaseSync(path)
    try {
      assert.deepEqual(database.prepare('pragma integrity_check').all().map(Object.values), [
        ['ok'],
      ])
      return database
        .prepare('select title from note order by id')
        .all()
        .map(({ title }) => title)
    } finally {
      database.close()
    }
  }

  /** How a file is replaced. */
  const replacements: Readonly<Record<string, (path: string, copy: string) => void>> = {
    'mv of a copy': (path, copy) => renameSync(copy, path),
    'rm, and a copy': (path, copy) => {
      rmSync(path)
      copyFileSync(copy, path)
    },
    'a symbolic link': (path, copy) => {
      rmSync(path)
      symlinkSync(copy, path)
    },
  }
  for (const [how, replace] of Object.entries(replacements)) {
    it(`given ${how}, when writes are refused, then nothing of them is stored, and the log stays with its file`, async (test) => {
      const { path, old, copy, store, client, create } = await open(test)
      replace(path, copy)
      for (const title of ['refused', 'refused again']) assert.equal(await create(title), 503)
      await assert.rejects(client.sql(sql`select 1`), { status: 503 })
      await assert.rejects(store.checkReady(), { status: 503 })
      await store.close()
      assert.deepEqual(titlesOf(path), ['before'])
      assert.deepEqual(titlesOf(old), ['before', 'after'])
    })

    it(`given ${how}, when nothing was requested before the stop, then the log stays with its file`, async (test) => {
      const { path, old, copy, store } = await open(test)
      replace(path, copy)
      await store.close()
      assert.deepEqual(titlesOf(path), ['before'])
      assert.deepEqual(titlesOf(old), ['before', 'after'])
    })
  }

  it('given a write in whose transaction the file is replaced, then it is refused and not stored', async (test) => {
    const { path, old, copy, store, create } = await open(test)
    onCreate = () => renameSync(copy, path)
    assert.equal(await create('refused'), 503)
    await store.close()
    assert.deepEqual(titlesOf(path), ['before'])
    assert.deepEqual(titlesOf(old), ['before', 'after'])
  })

  it('given the original file again, then nothing is written before the restart', async (test) => {
    const { path, old, copy, store, create } = await open(test)
    renameSync(copy, path)
    assert.equal(await create('refused'), 503)
    renameSync(old, path)
    assert.equal(await create('refused too'), 503)
    await store.close()
    assert.deepEqual(titlesOf(path), ['before', 'after'])
  })

  it('given an open read of the log, when the file is replaced, then the log is emptied at the stop', async (test) => {
    const { path, old, copy, store, client, create } = await open(test)
    const read = client.sql(sql`with recursive n (i) as (select 1 union all select i + 1 from n)
      select count(*) from n, (select count(*) from note)`)
    const ended = assert.rejects(read)
    await new Promise((resolve) => setTimeout(resolve, 500))
    renameSync(copy, path)
    assert.equal(await create('refused'), 503)
    await store.close()
    await ended
    assert.deepEqual(titlesOf(path), ['before'])
    assert.deepEqual(titlesOf(old), ['before', 'after'])
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
