import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readAnswer } from '../answer.ts'
import { check } from '../checker/checker.ts'
import { connect, mediaType } from '../client.ts'
import { chapter } from '../world.ts'
import { folder, start } from './child.ts'
import { insertMany, isOnDisk } from './disk.ts'

const everything = '/persons?page[size]=0&include=computers'

/** Asks for a path on a connection of its own and returns the answer as soon as its head is here. */
async function head(origin: string, path: string): Promise<IncomingMessage> {
  const request = get(origin + path, { agent: false, headers: { Accept: mediaType } })
  const [answer] = await once(request, 'response')
  // `once` cannot tell the types of an event's arguments.
  return answer as IncomingMessage
}

/** Leaves an answer in the middle of its body, as a client does that was closed. */
async function leave(origin: string, path: string): Promise<void> {
  const answer = await head(origin, path)
  answer.on('error', () => {})
  await once(answer, 'data')
  answer.destroy()
}

chapter('SERVICE §5 page[size]=0 is streamed', (world) => {
  if (!isOnDisk(world)) return

  it('arrives whole, in many pieces, and is one checked document', async () => {
    insertMany(world.databaseUrl, { persons: 20_000, computers: 1 })
    const answer = await world.get('/persons', { 'page[size]': '0', include: 'computers' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['transfer-encoding'], 'chunked')
    assert.equal(answer.many.length, 20_000)
    assert.equal(answer.body.included?.length, 20_000)
    assert.deepEqual(answer.body.meta, { count: 20_000 })
    assert.deepEqual(answer.body.links, {
      self: `${world.url}/persons?page%5Bsize%5D=0&include=computers`,
    })
    assert.equal(new Set(answer.many.map(({ id }) => id)).size, 20_000)
    const raw = await head(world.url, everything)
    let pieces = 0
    for await (const _piece of raw) pieces++
    assert.ok(pieces > 10, `${pieces} pieces`)
  })

  it('HEAD of it has no body', async () => {
    insertMany(world.databaseUrl, { persons: 3_000, computers: 1 })
    const answer = await world.call('HEAD', everything)
    assert.deepEqual([answer.status, answer.text], [200, ''])
  })

  it('leaves others their turn: a short request is answered while a long one is under way', async () => {
    insertMany(world.databaseUrl, { persons: 20_000, computers: 2 })
    let isDone = false
    const long = world
      .get('/persons', { 'page[size]': '0', include: 'computers' })
      .then((answer) => {
        isDone = true
        return answer
      })
    await pause(20)
    const short = await world.get('/persons/1')
    assert.equal(short.status, 200)
    assert.ok(!isDone, 'the short answer came first')
    assert.equal((await long).many.length, 20_000)
  })

  it('sees the moment it began, though others write while it is told', async () => {
    insertMany(world.databaseUrl, { persons: 20_000, computers: 1, nameLength: 100 })
    const slow = await head(world.url, everything)
    const created = await world.person({ name: 'late' })
    await world.delete('/persons/20000')
    const pieces: Buffer[] = []
    for await (const piece of slow) pieces.push(piece)
    const { data, meta } = JSON.parse(Buffer.concat(pieces).toString())
    assert.deepEqual(meta, { count: 20_000 })
    assert.equal(data.length, 20_000)
    assert.equal(data.at(-1).id, '20000')
    assert.equal((await world.get(`/persons/${created.id}`)).status, 200)
  })

  it('may be left in the middle: the service goes on answering, writing and shuts down', async () => {
    insertMany(world.databaseUrl, { persons: 20_000, computers: 1, nameLength: 200 })
    for (let each = 0; each < 20; each++) await leave(world.url, everything)
    const { id } = await world.person({ name: 'after' })
    assert.equal((await world.get(`/persons/${id}`)).status, 200)
    assert.equal((await world.delete(`/persons/${id}`)).status, 200)
    const before = Date.now()
    await world.restart()
    assert.ok(Date.now() - before < 10_000)
    assert.equal((await world.get('/persons')).body.meta?.count, 20_000)
  })
})

/** The memory that a process holds, in bytes. */
async function memoryOf(id: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(id)])
  return Number(stdout) * 1024
}

describe('SERVICE §5 streaming in a process of its own', () => {
  it('takes no memory for what a slow client has not read', async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd)
    const databaseUrl = `sqlite:${join(cwd, 'data', 'lapidary.db')}`
    insertMany(databaseUrl, { persons: 40_000, computers: 0, nameLength: 2_000 })
    const size = 40_000 * 2 * 2_000
    const before = await memoryOf(child.process.pid)
    const slow = await head(child.url, '/persons?page[size]=0')
    await once(slow, 'readable')
    await pause(1_500)
    const grown = (await memoryOf(child.process.pid)) - before
    slow.destroy()
    assert.ok(grown < size / 2, `grew by ${grown} bytes for an answer of more than ${size}`)
  })

  it('SIGTERM lets what is under way finish, and takes nothing new', async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd)
    const databaseUrl = `sqlite:${join(cwd, 'data', 'lapidary.db')}`
    insertMany(databaseUrl, { persons: 20_000, computers: 1, nameLength: 500 })
    const slow = await head(child.url, everything)
    const end = child.end('SIGTERM')
    await pause(300)
    await assert.rejects(connect(child.url).send('GET', '/persons'))
    const pieces: Buffer[] = []
    for await (const piece of slow) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const headers = {
      'content-type': String(slow.headers['content-type']),
      vary: String(slow.headers.vary),
    }
    const exchange = {
      method: 'GET',
      url: child.url + everything,
      sent: '',
      status: 200,
      headers,
      text,
    }
    check(exchange)
    assert.equal(readAnswer(exchange).many.length, 20_000)
    assert.equal((await end).code, 0)
  })
})
