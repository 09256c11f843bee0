import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, createApi, declare, text } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import pg from 'pg'
import { type RunningService, startService } from '../../service/start-service.ts'
import { assertServiceConforms } from '../checker/check-served.ts'
import { type Call, connect } from '../client.ts'
import { PostgresServer } from '../postgres-server.ts'
import { isExhaustive } from '../property/seed.ts'
import { until } from '../service/processes.ts'
import { parseResponse, type TestResponse } from '../test-response.ts'

/** The number of resources that each of eight clients writes; `npm run test:long` writes more. */
const writesPerClient = isExhaustive ? 40 : 10

type Ask = (method: string, path: string, call?: Call) => Promise<TestResponse>

describe('A streaming standby to read from', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  const services: RunningService[] = []
  const sessions: { close(): void }[] = []

  before(async () => {
    primary = await PostgresServer.make('fsync=off', 'log_statement=all')
    const first = await startService({ port: 0, logLevel: 'silent', databaseUrl: primary.url })
    await first.close()
    standby = await primary.standby(
      'fsync=off',
      'log_statement=all',
      'wal_retrieve_retry_interval=100ms',
    )
  })
  after(async () => {
    for (const session of sessions) session.close()
    for (const service of services) await service.close(0)
    await standby?.remove()
    await primary?.remove()
  })

  /** Starts an instance of the service. @returns a function that sends it requests */
  async function instance(): Promise<Ask> {
    const service = await startService({
      port: 0,
      logLevel: 'silent',
      databaseUrl: primary.url,
      databaseReplicaUrls: [standby.url],
      databaseTimeout: 2000,
    })
    services.push(service)
    const session = connect(service.url)
    sessions.push(session)
    return async (method, path, call) => {
      const exchange = await session.send(method, path, call)
      assertServiceConforms(exchange)
      return parseResponse(exchange)
    }
  }

  it('a write on one instance is visible to the next read on another, for hundreds of writes of many clients', async () => {
    const [writes, reads] = [await instance(), await instance()]
    const before = readsOn(standby)
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let number = 0; number < writesPerClient; number += 1) {
          const made = await writes('POST', '/persons', person(`${client}-${number}`))
          assert.equal(made.status, 201)
          const path = `/persons/${made.one.id}`
          assert.equal((await reads('GET', path)).status, 200, 'a write is not seen')
          assert.equal((await writes('PATCH', path, renamed(made.one.id))).status, 200)
          assert.equal((await reads('GET', path)).one.attributes?.name, 'Renamed')
          if (number % 4 > 0) continue
          assert.equal((await writes('DELETE', path)).status, 200)
          assert.equal((await reads('GET', path)).status, 404, 'a deletion is not seen')
        }
      }),
    )
    assert.ok(readsOn(standby) > before, 'nothing was read on the standby')
  })

  it('while nothing is written, every read uses the standby', async () => {
    const ask = await instance()
    await ask('GET', '/persons')
    // The standby replays the writes, and a standby that was left out is used again. On a busy machine it may be late once more.
    const areAllOnStandby = async () => {
      const [onPrimary, onStandby] = [readsOn(primary), readsOn(standby)]
      for (let number = 0; number < 20; number += 1) await ask('GET', '/persons?include=computers')
      return readsOn(primary) === onPrimary && readsOn(standby) === onStandby + 20
    }
    await until(areAllOnStandby, 'the primary is read')
  })

  it('given a session, when a standby answers reads, then they run under its role, settings and search path', async () => {
    const replicaUrls = [String(new URL('/policed', standby.url))]
    await primary.run('create database policed')
    const url = String(new URL('/policed', primary.url))
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(policies)
    const store = await openPostgres(policed, url, { replicaUrls })
    try {
      const api = createApi({ model: policed, store })
      const as = (id: string, schema = 'public') =>
        api.with({ auth: { id, role: 'standby_member', schema } })
      const names = async (client: ReturnType<typeof as>, query: object = {}) =>
        (await client.list('note', { ...query })).data.map(({ name }) => name)
      const before = sessionsOn(standby)
      const isRead = async () => {
        assert.deepEqual(await names(as('ada')), ['a1', 'a2'])
        return sessionsOn(standby) > before
      }
      await until(isRead, 'the standby is never read')
      const areRead = async () => {
        assert.deepEqual(await names(as('bob')), ['b1'])
        assert.deepEqual(await names(as('ada'), { page: { size: 1 } }), ['a1'])
        assert.deepEqual(await names(as('ada', 'other')), ['of the other schema'])
        assert.equal((await as('ada').list('note', { page: { size: 1 } })).meta.count, 2)
        await assert.rejects(as('bob').get('note', '1'), { code: 'not_found' })
        await assert.rejects(api.with({ auth: undefined }).list('note'), { status: 403 })
        return sessionsOn(standby) > before + 12
      }
      for (let round = 0; round < 3; round += 1) await areRead()
      // On a busy machine the standby may be late, and the primary is read instead.
      await until(areRead, 'most reads were not on the standby')
      // A long list is streamed from the standby, by a cursor in a transaction.
      await admin.query(
        `insert into note (name, owner) select 'x', 'eve' from generate_series(1, 700)`,
      )
      let streamed = 0
      for await (const { owner } of as('eve').each('note')) {
        assert.equal(owner, 'eve')
        streamed += 1
      }
      assert.equal(streamed, 700)
      const created = await as('bob').create('note', { name: 'b2', owner: 'bob' })
      assert.equal((await as('bob').get('note', created.id)).name, 'b2')
    } finally {
      await store.close()
      await admin.end()
    }
  })

  it('a standby that lags is not used, and the response is current', async () => {
    const ask = await instance()
    await standby.run('select pg_wal_replay_pause()')
    try {
      const made = await ask('POST', '/persons', person('Late'))
      assert.equal((await ask('GET', `/persons/${made.one.id}`)).one.attributes?.name, 'Late')
    } finally {
      await standby.run('select pg_wal_replay_resume()')
    }
  })

  it('reads use the primary while the standby is down', async () => {
    const ask = await instance()
    assert.equal((await ask('GET', '/persons')).status, 200)
    await standby.crash()
    for (let number = 0; number < 5; number += 1)
      assert.equal((await ask('GET', '/persons')).status, 200)
    await standby.start()
    const before = readsOn(standby)
    const isRead = async () => {
      const made = await ask('POST', '/persons', person('Back'))
      assert.equal((await ask('GET', `/persons/${made.one.id}`)).status, 200)
      return readsOn(standby) > before
    }
    await until(isRead, 'the standby is never read again')
  })
})

const person = (name: string) => ({ body: { data: { type: 'person', attributes: { name } } } })
const renamed = (id: string) => ({
  body: { data: { type: 'person', id, attributes: { name: 'Renamed' } } },
})

interface User {
  readonly id: string
  readonly role: string
  readonly schema: string
}
const { auth, defineModel, resource } = declare<{ auth: User | undefined }>()

/** Notes of which each identity sees its own, in one of two schemas. */
const policed = defineModel(
  [
    resource('note', {
      path: '/notes',
      table: 'note',
      fields: { name: attribute(text), owner: attribute(text) },
    }),
  ],
  {
    session: {
      role: auth(({ role }) => role),
      settings: { 'app.user_id': auth(({ id }) => id) },
      searchPath: auth(({ schema }) => schema),
    },
  },
)
const policies = `
  create role standby_member;
  create table note (id bigint generated by default as identity primary key, name text, owner text);
  insert into note (name, owner) values ('a1', 'ada'), ('b1', 'bob'), ('a2', 'ada');
  create schema other;
  create table other.note (like note including all);
  insert into other.note (name, owner) values ('of the other schema', 'ada'), ('hidden', 'bob');
  grant usage on schema public, other to standby_member;
  grant select, insert on note, other.note to standby_member;
  alter table note enable row level security;
  alter table other.note enable row level security;
  create policy own on note to standby_member using (owner = current_setting('app.user_id'));
  create policy own on other.note to standby_member using (owner = current_setting('app.user_id'));`

/** The number of sessions of requests that a server has set up. */
function sessionsOn(server: PostgresServer): number {
  return server.log.match(/set_config\('role'/g)?.length ?? 0
}

/** The number of documents that a server has returned, counted by the end of their statements in its log. */
function readsOn(server: PostgresServer): number {
  return server.log.match(/ as "t0"$/gm)?.length ?? 0
}
