import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { assertServiceConforms } from '../../checker/check-served.ts'
import { connect, mediaType } from '../../client.ts'
import { long, partOnOthers } from '../../long-tests.ts'
import type { Resource, TestResponse, TestService } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { parseResponse } from '../../test-response.ts'
import { folder, start } from '../child.ts'
import { executeDirectly, insertMany, isShared } from '../direct-database.ts'
import { included } from '../people.ts'
import { until } from '../processes.ts'

const everything = '/persons?page[size]=0&include=computers'

/** Requests a path on a new connection. @returns the response as soon as its head has arrived */
async function head(origin: string, path: string): Promise<IncomingMessage> {
  const request = get(origin + path, { agent: false, headers: { Accept: mediaType } })
  const [answer] = await once(request, 'response')
  // `once` does not have the types of an event's arguments.
  return answer as IncomingMessage
}

/** Disconnects in the middle of the body of a response. */
async function leave(origin: string, path: string): Promise<void> {
  const answer = await head(origin, path)
  answer.on('error', () => {})
  await once(answer, 'data')
  answer.destroy()
}

/** The included resources in the order of type and id, because their order in a document is not defined. */
function byId({ body }: TestResponse): Resource[] | undefined {
  const key = ({ type, id }: Resource) => `${type} ${id.padStart(20)}`
  return body.included?.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
}

describeService('The response to page[size]=0', (app) => {
  if (!isShared(app)) return

  it('arrives completely, in many chunks, as one valid document', async () => {
    await insertMany(app.databaseUrl, { persons: 3_000, computers: 1 })
    const answer = await app.get('/persons', { 'page[size]': '0', include: 'computers' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['transfer-encoding'], 'chunked')
    assert.equal(answer.many.length, 3_000)
    assert.equal(answer.body.included?.length, 3_000)
    assert.deepEqual(answer.body.meta, { count: 3_000 })
    assert.deepEqual(answer.body.links, {
      self: `${app.url}/persons?page%5Bsize%5D=0&include=computers`,
    })
    assert.equal(new Set(answer.many.map(({ id }) => id)).size, 3_000)
    const raw = await head(app.url, everything)
    let pieces = 0
    for await (const _piece of raw) pieces++
    assert.ok(pieces > 10, `${pieces} pieces`)
  })

  /** Persons and computers with equal and absent values. */
  const createComparedRows = async ({ databaseUrl }: TestService) => {
    await insertMany(databaseUrl, { persons: 520, computers: 1 })
    await executeDirectly(
      databaseUrl,
      'update computer set person_id = null where id % 5 = 0',
      'update computer set person_id = 1 + id % 40 where id % 7 = 0',
      "update person set gender = 'x', birth_date = '2000-01-01' where id % 3 = 0",
    )
  }

  for (const [index, [path, query]] of (
    [
      ['/persons', 'include=computers'],
      ['/persons', 'include=computers.owner'],
      ['/persons', 'include=computers.owner.computers&sort=-name'],
      ['/persons', 'include='],
      ['/persons', 'fields[person]=computers'],
      ['/persons', 'fields[person]=name&include=computers.owner'],
      ['/persons', 'fields[person]=computers&fields[computer]=owner&include=computers.owner'],
      ['/persons', 'filter[computers__serial]=1-1'],
      [
        '/persons',
        'filter=[{"name":"name","op":"isnot","val":null}]&include=computers&sort=gender,-id',
      ],
      ['/computers', 'include=owner'],
      ['/computers', 'include=owner.computers&sort=owner.name'],
      ['/computers', 'include=owner.computers.owner&sort=-owner.birth_date,serial'],
      ['/computers', 'filter=[{"name":"owner","op":"has"}]&include=owner.computers'],
      ['/computers', 'include=owner,owner.computers&fields[computer]=owner&fields[person]='],
    ] as const
  ).entries())
    it(`equals one large page: ${path}?${query}`, partOnOthers(app.dialect, index, 3), async () => {
      await app.fill(createComparedRows)

      const streamed = await app.call('GET', path, { query: `${query}&page[size]=0` })
      const paged = await app.call('GET', path, { query: `${query}&page[size]=100000` })
      assert.equal(streamed.status, 200)
      assert.deepEqual(streamed.body.data, paged.body.data, query)
      assert.deepEqual(streamed.body.meta, paged.body.meta, query)
      assert.deepEqual(byId(streamed), byId(paged), query)
    })

  it('of a related collection contains only its members', async () => {
    await insertMany(app.databaseUrl, { persons: 2, computers: 900 })
    const query = { 'page[size]': '0', include: 'owner' }
    const answer = await app.get('/persons/2/computers', query)
    assert.equal(answer.many.length, 900)
    assert.deepEqual(included(answer), ['person 2'])
    assert.equal((await app.get('/persons/3/computers', query)).status, 404)
  })

  it('HEAD of it has no body', async () => {
    await insertMany(app.databaseUrl, { persons: 3_000, computers: 1 })
    const answer = await app.call('HEAD', everything)
    assert.deepEqual([answer.status, answer.text], [200, ''])
  })

  it('does not block other requests: a short one is answered during a long one', async () => {
    await insertMany(app.databaseUrl, { persons: 10_000, computers: 1 })
    let isDone = false
    const long = json(await head(app.url, everything)).finally(() => {
      isDone = true
    })
    const short = await app.get('/persons/1')
    assert.equal(short.status, 200)
    assert.ok(!isDone, 'the short answer came first')
    assert.deepEqual(Reflect.get(Object(await long), 'meta'), { count: 10_000 })
  })

  it('sees one snapshot, although other clients write during the response', async () => {
    await insertMany(app.databaseUrl, { persons: 8_000, computers: 1, nameLength: 500 })
    const slow = await head(app.url, everything)
    const created = await app.person({ name: 'late' })
    await app.delete('/persons/8000')
    const pieces: Buffer[] = []
    for await (const piece of slow) pieces.push(piece)
    const { data, meta } = JSON.parse(Buffer.concat(pieces).toString())
    assert.deepEqual(meta, { count: 8_000 })
    assert.equal(data.length, 8_000)
    assert.equal(data.at(-1).id, '8000')
    assert.equal((await app.get(`/persons/${created.id}`)).status, 200)
  })

  it('given a client that aborts it, then the service continues to read and write, and shuts down', async () => {
    await insertMany(app.databaseUrl, { persons: 5_000, computers: 1, nameLength: 1_000 })
    for (let each = 0; each < 20; each++) await leave(app.url, everything)
    const { id } = await app.person({ name: 'after' })
    assert.equal((await app.get(`/persons/${id}`)).status, 200)
    assert.equal((await app.delete(`/persons/${id}`)).status, 200)
    const before = Date.now()
    await app.restart()
    assert.ok(Date.now() - before < 10_000)
    assert.equal((await app.get('/persons')).body.meta?.count, 5_000)
  })
})

/** The resident memory of a process in bytes, by `/proc` or `ps`. */
async function memoryOf(id: number | undefined): Promise<number> {
  try {
    const status = await readFile(`/proc/${id}/status`, 'utf8')
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024
  } catch {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(id)])
    return Number(stdout) * 1024
  }
}

/** The resident memory of a process, once it does not grow any more. */
async function settledMemoryOf(id: number | undefined): Promise<number> {
  for (let before = await memoryOf(id); ; ) {
    await pause(300)
    const now = await memoryOf(id)
    if (now <= before + 2 ** 20) return now
    before = now
  }
}

describe('Streams of a process', () => {
  it('given a slow client, then what it has not read takes no memory', async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd)
    const databaseUrl = `sqlite:${join(cwd, 'data', 'lapidary.db')}`
    await insertMany(databaseUrl, { persons: 20_000, computers: 0, nameLength: 4_000 })
    const size = 20_000 * 2 * 4_000
    const before = await memoryOf(child.process.pid)
    const slow = await head(child.url, '/persons?page[size]=0')
    await once(slow, 'readable')
    const grown = (await settledMemoryOf(child.process.pid)) - before
    slow.destroy()
    assert.ok(grown < size / 2, `grew by ${grown} bytes for an answer of more than ${size}`)
  })

  it(
    'given SIGTERM, then pending responses finish, and no new connection is accepted',
    long,
    async (test) => {
      const cwd = await folder(test)
      const child = await start(test, cwd)
      const databaseUrl = `sqlite:${join(cwd, 'data', 'lapidary.db')}`
      await insertMany(databaseUrl, { persons: 8_000, computers: 1, nameLength: 1_000 })
      const slow = await head(child.url, everything)
      const end = child.end('SIGTERM')
      const isRejected = () =>
        connect(child.url)
          .send('GET', '/persons')
          .then(
            () => false,
            () => true,
          )
      await until(isRejected, 'new connections are still accepted')
      const pieces: Buffer[] = []
      for await (const piece of slow) pieces.push(piece)
      const text = Buffer.concat(pieces).toString()
      const headers = {
        'content-type': String(slow.headers['content-type']),
        vary: String(slow.headers.vary),
        'x-content-type-options': String(slow.headers['x-content-type-options']),
      }
      const exchange = {
        method: 'GET',
        url: child.url + everything,
        sent: '',
        status: 200,
        headers,
        text,
      }
      assertServiceConforms(exchange)
      assert.equal(parseResponse(exchange).many.length, 8_000)
      assert.equal((await end).code, 0)
    },
  )
})
