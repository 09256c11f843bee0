import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, declare, type ResourceAccess, text, toMany, toOne } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import type { RouteHandler } from '../../src/endpoints/handler.ts'
import type { Route } from '../../src/endpoints/route-table.ts'
import { ManyErrors } from '../../src/errors/collector.ts'
import { type ApiError, BodyError, NotFoundError, RequestError } from '../../src/errors/errors.ts'
import { delayNotFound } from '../../src/http/delay-not-found.ts'
import type { Model } from '../../src/model/model.ts'
import { mediaType } from '../client.ts'
import { hosts, type RunningHost } from './hosts.ts'

const { resource, defineModel, auth } = declare<{ auth: string }>()
const isOwn = { filter: [{ name: 'team__id', op: 'eq', val: auth((user) => user) }] }

/** Notes of teams, with access rules for the notes and options of the model. */
function createModel(access?: ResourceAccess<string>, options: object = {}): Model {
  const note = resource('note', {
    ...{ path: '/notes', table: 'note' },
    ...(access && { access }),
    fields: {
      text: attribute(text),
      team: toOne('team', { column: 'team_id' }),
      next: toOne('note', { column: 'next_id' }),
    },
  })
  const team = resource('team', {
    ...{ path: '/teams', table: 'team' },
    fields: { name: attribute(text), notes: toMany('note', { column: 'team_id' }) },
  })
  return defineModel([note, team], options)
}

const isDraft = { filter: [{ name: 'text', op: 'ne', val: 'final' }] }
const model = createModel({ read: isOwn, update: { all: [isOwn, isDraft] }, delete: isOwn })
const notFound = new NotFoundError('note', '1', 'id')
const invalid = new BodyError('invalid_document', '/data', 'No.')
const noRequest = undefined as never

describe('Delayed responses without the resource', () => {
  /** The time at which a handler that fails after some work fails behind the delay. */
  async function findResponseTime(work: number, thrown: unknown, isAsync = true): Promise<number> {
    let now = 5000.6
    const handle: RouteHandler = () => {
      now += work
      if (isAsync) return Promise.reject(thrown)
      throw thrown
    }
    const timer = {
      now: () => now,
      waitUntil: async (time: number) => {
        now = time
      },
    }
    const route: Route = { path: '/notes/:id', methods: { GET: handle }, readOnlyMethods: [] }
    const [delayed] = delayNotFound([route], model, { notFoundInterval: 8 }, timer)
    await assert.rejects(
      async () => delayed?.methods.GET?.(noRequest, noRequest),
      (error) => error === thrown,
    )
    return Number((now - 5000.6).toFixed(6))
  }

  it('are sent a multiple of the interval after the call of the handler', async () => {
    for (const isAsync of [true, false])
      for (const [work, expected] of [
        ...([
          [0, 8],
          [0.001, 8],
          [7.9, 8],
          [8, 8],
        ] as const),
        ...([
          [8.1, 16],
          [15, 16],
          [33, 40],
        ] as const),
      ])
        assert.equal(await findResponseTime(work, notFound, isAsync), expected, `after ${work} ms`)
  })

  it('are those with a 404 or 403 among their errors, and those with errors that are not reported', async () => {
    const many = (errors: readonly ApiError[], more = 0) => new ManyErrors({ errors, more })
    assert.equal(await findResponseTime(3, many([invalid, notFound])), 8)
    assert.equal(await findResponseTime(3, many([invalid, invalid], 1)), 8)
    assert.equal(await findResponseTime(3, new RequestError({ code: 'no', detail: 'No.' })), 8)
    assert.equal(await findResponseTime(3, many([invalid, invalid])), 3)
    assert.equal(await findResponseTime(3, invalid), 3)
    assert.equal(await findResponseTime(3, new Error('No.')), 3)
  })

  it('are none if the handler returns a response', async () => {
    const response = { status: 200, body: '{}' }
    const timer = { now: () => 1, waitUntil: () => assert.fail() }
    for (const result of [response, Promise.resolve(response)]) {
      const routes = [{ path: '/notes', methods: { GET: () => result }, readOnlyMethods: [] }]
      const [route] = delayNotFound(routes, model, { notFoundInterval: 8 }, timer)
      const returned = route?.methods.GET?.(noRequest, noRequest)
      assert.equal(returned instanceof Promise, result instanceof Promise)
      assert.equal(await returned, response)
    }
  })

  it('are those of models that hide rows from some identities', () => {
    const isMember = (user: string) => user !== ''
    const routes: readonly Route[] = []
    const isDelayed = (of: Model, notFoundInterval = 10) =>
      delayNotFound(routes, of, { notFoundInterval }) !== routes
    assert.ok(isDelayed(model))
    assert.ok(!isDelayed(model, 0))
    assert.equal(delayNotFound(routes, model, {}), routes)
    assert.ok(isDelayed(createModel({ read: isMember })))
    assert.ok(isDelayed(createModel({ read: { any: [isMember, isOwn] } })))
    assert.ok(!isDelayed(createModel()))
    assert.ok(!isDelayed(createModel({ read: true, update: isOwn })))
    assert.ok(!isDelayed(createModel(undefined, { access: 'deny by default' })))
    const value = auth((user) => user)
    assert.ok(isDelayed(createModel(undefined, { tenant: { column: 'org', value } })))
    assert.ok(isDelayed(createModel(undefined, { session: { role: value } })))
  })
})

const tables = `
  create table team (id integer primary key, name text);
  create table note (id integer primary key, text text, team_id integer references team (id), next_id integer references note (id));
  insert into team values (1, 'a'), (2, 'b');
  insert into note values (1, 'of a', 1, null), (2, 'of b', 2, null), (3, 'final', 1, null);`

const toNote = (id: string) => ({ type: 'note', id })
const linkedTo = (id: string) => ({ team: { data: { type: 'team', id } } })

/** A request, and the status of its response. Default 404. */
type Probe = readonly [method: string, path: string, body?: object, status?: number]

/** Requests whose response is the same for a note that is hidden (2) and for one that is absent (9). */
const probes = ['2', '9'].flatMap((id): Probe[] => {
  const many = { data: [toNote(id)] }
  const linked = { type: 'team', relationships: { notes: many } }
  return [
    ['GET', `/notes/${id}`],
    ['HEAD', `/notes/${id}`],
    ['GET', `/notes/${id}?include=team`],
    ['GET', `/notes/${id}/team`],
    ['GET', `/notes/${id}/relationships/team`],
    ['PATCH', `/notes/${id}`, { data: { ...toNote(id), attributes: { text: 'new' } } }],
    ['PATCH', `/notes/${id}`, { data: { ...toNote(id), relationships: linkedTo('1') } }],
    ['DELETE', `/notes/${id}`],
    ['PATCH', `/notes/${id}/relationships/team`, { data: null }],
    ['POST', '/teams/1/relationships/notes', many],
    ['DELETE', '/teams/1/relationships/notes', many, 200],
    ['POST', '/teams', { data: linked }],
    // The rule for another row refuses the write: for the one in the path, or one that is unlinked.
    ['PATCH', '/teams/1/relationships/notes', many, 403],
    ['PATCH', '/teams/1', { data: { ...linked, id: '1' } }, 403],
    [
      'PATCH',
      '/notes/3',
      { data: { ...toNote('3'), relationships: { next: { data: toNote(id) } } } },
      403,
    ],
    ['PATCH', '/notes/3/relationships/next', { data: toNote(id) }, 403],
  ]
})

describe('Delayed responses over HTTP', () => {
  const interval = 60
  const store = openSqlite(model, ':memory:')
  before(() => store.migrate([{ version: 1, sql: tables }]))
  after(() => store.close())

  const send = async ({ origin }: RunningHost, [method, path, body]: Probe) => {
    const start = performance.now()
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        ...{ 'content-type': mediaType, accept: 'text/html' },
        ...(method === 'GET' && { 'if-none-match': '*' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, elapsed: performance.now() - start }
  }

  for (const host of hosts)
    it(`${host.name} sends them when the interval has passed`, async () => {
      const running = await host.start({
        ...{ model, store, prefix: '/api', html: createPages() },
        ...{ notFoundInterval: interval, authenticateBy: () => '1' },
      })
      try {
        const responses = await Promise.all(
          probes.map(async (probe) => ({ probe, ...(await send(running, probe)) })),
        )
        for (const { probe, status, elapsed } of responses) {
          const [method, path, , expected = 404] = probe
          assert.equal(status, expected, `${method} ${path}`)
          assert.ok(elapsed >= interval, `${method} ${path}: ${elapsed} ms`)
        }
      } finally {
        await running.close()
      }
    })

  it('end before the server does, and without an error if their client has disconnected', async () => {
    const errors: unknown[] = []
    const logger = { level: 'warn', stream: { write: (line: string) => errors.push(line) } }
    const server = createServer({
      ...{ model, store, notFoundInterval: interval, logger },
      authenticate: () => '1',
    })
    const called = Promise.withResolvers<void>()
    let calls = 0
    server.addHook('preHandler', async () => {
      calls += 1
      if (calls === 2) called.resolve()
    })
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    const disconnect = new AbortController()
    const aborted = assert.rejects(fetch(`${origin}/notes/2`, { signal: disconnect.signal }), {
      name: 'AbortError',
    })
    const waiting = fetch(`${origin}/notes/2`)
    await called.promise
    disconnect.abort()
    const closed = server.close()
    assert.equal((await waiting).status, 404)
    await closed
    await aborted
    assert.deepEqual(errors, [])
  })
})
