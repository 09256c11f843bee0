import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { defineModel } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openPostgres } from 'lapidary/postgres'
import { Client } from 'pg'
import { resources } from '../../service/resources/index.ts'
import type { Settings } from '../../service/settings.ts'
import { startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { type Call, connect, mediaType } from '../client.ts'
import { long } from '../long-tests.ts'
import { PostgresServer } from '../postgres-server.ts'
import { until } from '../service/processes.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'
import { poolerTo } from './pooler.ts'

type Ask = (method: string, path: string, call?: Call) => Promise<TestResponse>

/** The requests to a service in a test, and its address. */
interface Served {
  readonly ask: Ask
  readonly url: string
}

describe('Bounded work on PostgreSQL', () => {
  let database: PostgresServer

  before(async () => {
    database = await PostgresServer.make('fsync=off')
    await database.run("create role served login password 'served'")
    await database.run('grant all on schema public to served')
  })
  after(() => database.remove())

  async function during(
    settings: Partial<Settings>,
    work: (served: Served) => Promise<void>,
  ): Promise<void> {
    const service = await startService({
      ...{ port: 0, logLevel: 'silent', databaseUrl: database.url },
      ...settings,
    })
    const session = connect(service.url)
    const ask: Ask = async (method, path, call) => {
      const exchange = await session.send(method, path, call)
      assertServiceConforms(exchange)
      return parseResponse(exchange)
    }
    try {
      await work({ ask, url: service.url })
    } finally {
      session.close()
      await service.close(0)
    }
  }

  /** The number of statements of the service that run. */
  async function running(part: string): Promise<number> {
    const [row] = await database.run(
      `select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%${part}%'`,
    )
    return Number(row?.n)
  }

  async function holding<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query(`begin; lock table ${table}`)
      return await work()
    } finally {
      await holder.query('rollback')
      await holder.end()
    }
  }

  it('given a read-only database, when it can be written again, then writes go on without a restart', async () => {
    await during({ databasePool: 3 }, async ({ ask }) => {
      await database.run('alter database postgres set default_transaction_read_only = on')
      try {
        // The setting does not apply to sessions that exist.
        await Promise.all(Array.from({ length: 5 }, () => ask('GET', '/persons')))
        await database.run(
          `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
        )
        await until(
          async () => (await ask('GET', '/persons')).status === 200,
          'it did not come true',
        )
        for (let each = 0; each < 5; each += 1) {
          const rejected = await ask('POST', '/persons', person('Ada'))
          assert.deepEqual([rejected.status, rejected.headers['retry-after']], [503, '1'])
          assert.equal(rejected.body.errors?.[0]?.code, 'unavailable')
          assert.equal((await ask('GET', '/persons')).status, 200)
        }
      } finally {
        // The test's own session is read-only as well.
        await database.run(
          'begin read write; alter database postgres reset default_transaction_read_only; commit',
        )
      }
      await until(
        async () => (await ask('POST', '/persons', person('Ada'))).status === 201,
        'it did not come true',
      )
      await until(
        async () => (await ask('POST', '/persons', person('Eve'))).status === 201,
        'it did not come true',
      )
    })
  })

  it('given a role without a permission, requests get 403 without names, until it is granted', async () => {
    await during({}, async () => {})
    await database.run('grant all on all tables in schema public to served')
    const url = new URL(database.url)
    url.username = 'served'
    url.password = 'served'
    await during({ databaseUrl: String(url), migrate: 'off' }, async ({ ask }) => {
      assert.equal((await ask('GET', '/persons?include=computers')).status, 200)
      await database.run('revoke all on person from served')
      const attempts = [
        await ask('GET', '/persons'),
        await ask('GET', '/persons/1'),
        await ask('GET', '/persons?page[size]=0'),
        await ask('POST', '/persons', person('Ada')),
        await ask('DELETE', '/persons/1'),
      ]
      for (const { status, body } of attempts) {
        assert.equal(status, 403, JSON.stringify(body))
        assert.equal(body.errors?.[0]?.code, 'permission_denied')
        assert.doesNotMatch(JSON.stringify(body), /table|select|person|served/)
      }
      assert.equal((await ask('GET', '/computers')).status, 200)
      await database.run('grant all on person to served')
      assert.equal((await ask('GET', '/persons')).status, 200)
      assert.equal((await ask('POST', '/persons', person('Ada'))).status, 201)
    })
  })

  it('given a pooler, when a read takes too long, then it is canceled on the server', async () => {
    const pooler = await poolerTo(database.url, 2)
    const settings: Partial<Settings> = {
      databaseUrl: pooler.url,
      databasePooler: 'transaction',
      databaseTimeout: 1000,
    }
    await during(settings, async ({ ask }) => {
      await holding('person', async () => {
        for (const path of ['/persons', '/persons?page[size]=0']) {
          const { status, body } = await ask('GET', path)
          assert.deepEqual([status, body.errors?.[0]?.code], [503, 'query_timeout'])
        }
        assert.equal(await running('from "person"'), 0)
      })
      assert.equal(pooler.canceled, 2)
      assert.equal((await ask('GET', '/persons')).status, 200)
    })
    await pooler.close()
  })

  it('given a read on the server, when its client disconnects, then the server stops it and the connection serves others', async () => {
    await during({ databasePool: 1, databaseTimeout: 60_000 }, async ({ ask, url }) => {
      for (const path of ['/persons', '/persons?page[size]=0']) {
        await holding('person', async () => {
          const leave = started(url, path)
          await until(async () => (await running('from "person"')) === 1, 'it did not come true')
          leave()
          await until(async () => (await running('from "person"')) === 0, 'it did not come true')
          // The only connection serves others, and only that read was canceled.
          for (let each = 0; each < 20; each += 1)
            assert.equal((await ask('GET', '/computers')).status, 200)
        })
        assert.equal((await ask('GET', '/persons')).status, 200)
      }
    })
  })

  it('given a read that waits for a connection, when its client disconnects, then another request gets the connection', async () => {
    const settings = { databasePool: 1, databaseQueue: 3, databaseTimeout: 60_000 }
    await during(settings, async ({ ask, url }) => {
      await holding('person', async () => {
        const leaveFirst = started(url, '/persons')
        await until(async () => (await running('from "person"')) === 1, 'it did not come true')
        const leave = Array.from({ length: 3 }, () => started(url, '/persons?page[size]=7'))
        await until(
          async () => (await statusWithin(url, '/computers', 200)) === 503,
          'it did not come true',
        )
        for (const each of leave) each()
        await until(
          async () => (await statusWithin(url, '/computers', 500)) === undefined,
          'it did not come true',
        )
        const waiting = ask('GET', '/computers')
        leaveFirst()
        assert.equal((await waiting).status, 200)
      })
      assert.equal((await ask('GET', '/persons')).status, 200)
    })
  })

  it('given more stalled readers than connections, other requests are served', async () => {
    await during({ databasePool: 4, databaseTimeout: 3000 }, async ({ ask, url }) => {
      await database.run(longNames)
      // Two of the four connections serve reads that are known to be long.
      const streams = await stalledReaders(url, 2)
      const rejected = await stalledReaders(url, 4)
      assert.deepEqual(statusesOf(streams), [200, 200])
      assert.deepEqual(statusesOf(rejected), [503, 503, 503, 503])
      for (const response of rejected) assert.equal(response.headers['retry-after'], '1')
      for (let each = 0; each < 10; each += 1) {
        assert.equal((await ask('GET', '/persons?page[size]=3')).status, 200)
        const made = await ask('POST', '/computers', body('computer', { serial: 'x' }))
        assert.equal(made.status, 201)
      }
      for (const response of streams) response.destroy()
      await until(async () => {
        const response = await stalled(url, all)
        response.destroy()
        return response.statusCode === 200
      }, 'no place was released')
    })
  })

  it('given more reads that take long than connections, single resources are served and writes go on', async () => {
    await during({ databasePool: 5 }, async ({ ask, url }) => {
      const { id } = (await ask('POST', '/persons', person('Ada'))).one
      await holding('computer', async () => {
        const stops = Array.from({ length: 10 }, () => started(url, '/computers?sort=serial'))
        await until(async () => (await running('from "computer"')) === 3, 'they do not run')
        for (let each = 0; each < 5; each += 1) {
          assert.equal((await ask('GET', `/persons/${id}`)).status, 200)
          assert.equal((await ask('POST', '/persons', person('Eve'))).status, 201)
        }
        assert.equal(await running('from "computer"'), 3)
        for (const stop of stops) stop()
      })
      assert.equal((await ask('GET', '/computers?sort=serial')).status, 200)
    })
  })

  it('given more reads that take long than connections, lists that are known to be quick are served', async () => {
    await during({ databasePool: 5, databaseTimeout: 60_000 }, async ({ ask, url }) => {
      for (let each = 0; each < 5; each += 1)
        assert.equal((await ask('GET', '/persons?page[size]=3')).status, 200)
      await holding('computer', async () => {
        const stops = Array.from({ length: 10 }, () => started(url, '/computers?sort=serial'))
        await until(async () => (await running('from "computer"')) === 3, 'they do not run')
        for (let each = 0; each < 20; each += 1)
          assert.equal((await ask('GET', '/persons?page[size]=3')).status, 200)
        for (const stop of stops) stop()
      })
    })
  })

  it('given more reads than connections of a kind that took long before, lists that were never read before are served', async () => {
    await during({ databasePool: 10, databaseTimeout: 60_000 }, async ({ ask, url }) => {
      const slow = await holding('computer', async () => {
        const response = ask('GET', '/computers?sort=serial')
        await until(async () => (await running('from "computer"')) === 1, 'it does not run')
        await pause(longRead)
        return { response }
      })
      assert.equal((await slow.response).status, 200)
      await holding('computer', async () => {
        const stops = Array.from({ length: 20 }, () => started(url, '/computers?sort=serial'))
        await until(async () => (await running('from "computer"')) === 5, 'they do not run')
        for (const sort of ['name', '-name', 'id', '-id'])
          assert.equal((await ask('GET', `/persons?sort=${sort}`)).status, 200)
        assert.equal(await running('from "computer"'), 5)
        for (const each of stops) each()
      })
      assert.equal((await ask('GET', '/computers?sort=serial')).status, 200)
    })
  })

  it('given more complex reads than connections, lists that were never read before are served', async () => {
    await during({ databasePool: 10, databaseTimeout: 60_000 }, async ({ ask, url }) => {
      const complex = (terms: number) => {
        const or = Array.from({ length: terms }, (_, term) => ({
          ...{ name: 'serial', op: 'ilike', val: `${term}` },
        }))
        return `/computers?filter=${encodeURIComponent(JSON.stringify([{ or }]))}`
      }
      await holding('computer', async () => {
        const stops = Array.from({ length: 20 }, (_, each) => started(url, complex(180 + each)))
        await until(async () => (await running('from "computer"')) === 5, 'they do not run')
        for (const sort of ['name', '-name', 'id', '-id'])
          assert.equal((await ask('GET', `/persons?sort=${sort}`)).status, 200)
        assert.equal(await running('from "computer"'), 5)
        for (const each of stops) each()
      })
    })
  })

  it('given hooks, and more reads than connections of a kind that took long before, other lists with hooks are served', async () => {
    await during({}, async () => {})
    const hooked = resources.map((each) => ({ ...each, hooks: { beforeRead: () => {} } }))
    const store = await openPostgres(defineModel(hooked), database.url, { timeout: 60_000 })
    const server = createServer({ model: store.model, store, logLevel: 'silent' })
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    const statusOf = async (path: string) => (await fetch(url + path)).status
    try {
      const slow = await holding('computer', async () => {
        const status = statusOf('/computers?sort=serial')
        await until(async () => (await running('from "computer"')) === 1, 'it does not run')
        await pause(longRead)
        return { status }
      })
      assert.equal(await slow.status, 200)
      // The first run may take long on a busy machine. After these the read is known to be quick.
      for (let each = 0; each < 10; each += 1)
        assert.equal(await statusOf('/persons?page[size]=3&sort=name'), 200)
      await holding('computer', async () => {
        const stops = Array.from({ length: 20 }, () => started(url, '/computers?sort=serial'))
        await until(async () => (await running('from "computer"')) === 5, 'they do not run')
        for (const sort of ['name', '-name'])
          assert.equal(await statusOf(`/persons?page[size]=3&sort=${sort}`), 200)
        assert.equal(await running('from "computer"'), 5)
        for (const each of stops) each()
      })
      assert.equal(await statusOf('/computers?sort=serial'), 200)
    } finally {
      await server.close()
      await store.close()
    }
  })

  it('given a write whose response would include too much, it is rejected and nothing is written', async () => {
    await during({}, async ({ ask }) => {
      const { id } = (await ask('POST', '/persons', person('Ada'))).one
      await database.run(
        `insert into computer (serial, person_id) select i, ${id} from generate_series(1, 10001) as many (i)`,
      )
      const change = { data: { type: 'person', id, attributes: { name: 'Eve' } } }
      const path = `/persons/${id}?include=computers`
      const rejected = await ask('PATCH', path, { body: change })
      assert.equal(rejected.status, 400)
      const [error] = rejected.body.errors ?? []
      assert.equal(error?.code, 'too_many_resources')
      assert.deepEqual(error?.source, { parameter: 'include' })
      const read = await ask('GET', path)
      assert.equal(read.one.attributes?.name, 'Ada')
      assert.equal(read.body.included?.length, 10_001)
    })
  })

  it(
    'given readers that stall, the database breaks them off by itself, and others can stream',
    long,
    async () => {
      await during({}, async () => {})
      await database.run(longNames)
      const model = defineModel(resources, { maxPageSize: null })
      const store = await openPostgres(model, database.url, { poolSize: 2, sendTimeout: 1 })
      // This server waits for longer than the database.
      const server = createServer({ model, store, logLevel: 'silent' })
      const url = await server.listen({ host: '127.0.0.1', port: 0 })
      try {
        const reader = await stalled(url, all)
        const waiting = async () => {
          const [row] = await database.run(
            "select count(*)::int as n from pg_stat_activity where state = 'idle in transaction'",
          )
          return Number(row?.n)
        }
        await until(async () => (await waiting()) === 1, 'it did not come true')
        await until(async () => (await waiting()) === 0, 'it did not come true')
        const next = await stalled(url, all)
        assert.equal(next.statusCode, 200)
        next.destroy()
        assert.equal(await resultOf(reader), 'broken off')
      } finally {
        await server.close()
        await store.close()
      }
    },
  )
})

/** How long a read takes that counts as long from then on, in milliseconds. */
const longRead = 1000
/** Requests a response that is larger than the buffers. */
const all = '/persons?page[size]=0'
const longNames =
  "insert into person (name) select repeat('long ', 2000) || i from generate_series(1, 2000) as many (i)"

const body = (type: string, attributes: object) => ({ body: { data: { type, attributes } } })
const person = (name: string) => body('person', { name })

/** Sends a request on a connection of its own; returns what disconnects. */
function started(origin: string, path: string): () => void {
  const request = get(origin + path, { agent: false, headers: { Accept: mediaType } })
  request.on('error', () => {})
  return () => void request.destroy()
}

/** The status of a response, or `undefined` if there is none after so many milliseconds; its client disconnects then. */
async function statusWithin(
  origin: string,
  path: string,
  limit: number,
): Promise<number | undefined> {
  const request = get(origin + path, { agent: false, headers: { Accept: mediaType } })
  request.on('error', () => {})
  const response = once(request, 'response').then(([{ statusCode }]) => Number(statusCode))
  try {
    return await Promise.race([response, pause(limit, undefined)])
  } finally {
    request.destroy()
  }
}

/** Requests a path and does not read the body. */
async function stalled(origin: string, path: string): Promise<IncomingMessage> {
  const request = get(origin + path, { agent: false, headers: { Accept: mediaType } })
  const [response] = await once(request, 'response')
  // `once` does not have the types of an event's arguments.
  const message = response as IncomingMessage
  message.on('error', () => {})
  return message
}

const stalledReaders = (origin: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => stalled(origin, all)))

const statusesOf = (responses: IncomingMessage[]) => responses.map(({ statusCode }) => statusCode)

async function resultOf(response: IncomingMessage): Promise<'whole' | 'broken off'> {
  try {
    for await (const _piece of response);
  } catch {
    // The aborted response may be an error.
  }
  return response.complete ? 'whole' : 'broken off'
}
