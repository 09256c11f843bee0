import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, it } from 'node:test'
import type { Settings } from '../service/settings.ts'
import type { RunningService } from '../service/start-service.ts'
import { startService } from '../service/start-service.ts'
import type { DialectName } from '../src/model/dialect.ts'
import { type DescriptionChecker, parseDescription } from './checker/check-description.ts'
import { assertConforms } from './checker/check-exchange.ts'
import type { Call, Client, Query } from './client.ts'
import { connect } from './client.ts'
import type { Database } from './databases.ts'
import { databases } from './databases.ts'
import { longOnOthers } from './long-tests.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Identifier, Resource, TestResponse } from './test-response.ts'
import { parseResponse } from './test-response.ts'

export type { Call, Query } from './client.ts'
export type {
  Document,
  ErrorObject,
  Identifier,
  Linkage,
  Resource,
  TestResponse,
} from './test-response.ts'
export { ids } from './test-response.ts'

/** A running service for tests. Requests are sent over HTTP, and every response is checked before the test gets it. */
export interface TestService {
  /** The name of the database, e.g. `SQLite on disk`. */
  readonly database: string
  readonly dialect: DialectName
  readonly databaseUrl: string
  /** The origin of the service, without a slash at the end. */
  readonly url: string
  /** Sends a request. The path has the prefix, as in links; it may also be an absolute link of the service. */
  call(method: string, path: string, call?: Call): Promise<TestResponse>
  get(path: string, query?: Query, headers?: Call['headers']): Promise<TestResponse>
  post(path: string, body: unknown, query?: Query): Promise<TestResponse>
  patch(path: string, body: unknown, query?: Query): Promise<TestResponse>
  delete(path: string, body?: unknown, query?: Query): Promise<TestResponse>
  /** Creates a person, whose name is Ada by default. */
  person(attributes?: Record<string, unknown>, computers?: Identifier[]): Promise<Resource>
  /** Creates a computer, by default with a new serial. */
  computer(attributes?: Record<string, unknown>, owner?: Identifier | null): Promise<Resource>
  /**
   * Creates rows by requests. If a test begins with that, the rows and ids of an earlier test of the suite are restored,
   * which takes a fraction of the time of the requests.
   */
  fill<Rows>(create: (app: TestService) => Promise<Rows>): Promise<Rows>
  /**
   * Starts the service again on the same database, with other settings and at another `url`.
   * A database in memory ends with its service: it is empty afterwards.
   */
  restart(settings?: Partial<Settings>): Promise<void>
}

/** The options of a suite. */
interface SuiteOptions {
  readonly settings?: Partial<Settings>
  /** The databases; default: all. */
  readonly databases?: readonly Database[]
  /** Whether each test starts a service of its own, for suites about what a service caches. */
  readonly restarts?: boolean
  /**
   * False for suites that count what a request costs: the check of its description runs in the same process, and the
   * description has examples, for which the service reads the tables at the start.
   */
  readonly isDescribed?: boolean
  /** The tags of the suite; see `long-tests.ts`. */
  readonly tags?: readonly string[]
  /** Whether the suite shows little of a database; see `longOnOthers`. */
  readonly isLongOnOthers?: boolean
}

/**
 * A suite of tests, run on each database. One service and one database serve all of its tests; each test begins with
 * empty tables, the ids that it creates start at 1. Suites without settings of their own pass their service on to the next one,
 * unless a test restarted it, connected to it or to its database by itself, or failed.
 */
export function describeService(
  title: string,
  body: (app: TestService) => void,
  {
    settings = {},
    databases: on = databases,
    restarts = false,
    isDescribed = true,
    tags = [],
    isLongOnOthers = false,
  }: SuiteOptions = {},
): void {
  for (const database of on) {
    const options = isLongOnOthers ? longOnOthers(database.dialect) : { tags }
    describe(`${title} · ${database.name}`, options, () => {
      const isReusable = !restarts && isDescribed && Object.keys(settings).length === 0
      const fixture = new Fixture(database, settings, isDescribed, isReusable)
      beforeEach(() => fixture.prepare())
      afterEach(async (test) => {
        // A test that failed may have changed anything.
        if (restarts || !('passed' in test && test.passed)) await fixture.close()
      })
      after(() => fixture.release())
      body(serviceOn(fixture))
    })
  }
}

/** A test of conformance rules. Their ids are in its name as `[NEG-1]`. */
export function rule(
  ids: string | readonly string[],
  sentence: string,
  test: () => Promise<void>,
): void {
  const names = [ids].flat().map((id) => `[${id}]`)
  it(`${names.join(' ')} ${sentence}`, test)
}

/** The settings of a suite that has none of its own. Its deadlines are long: a slow machine must not cause a 503. */
const defaults = {
  ...{ host: '127.0.0.1', port: 0, logLevel: 'silent' },
  ...{ databaseTimeout: 60_000, queueTimeout: 60_000 },
} as const

/** A service on a database, and a connection to it. */
interface Started {
  readonly database: OpenDatabase
  readonly service: RunningService
  readonly client: Client
  readonly basePath: string
  readonly checkDescription: DescriptionChecker
}

/** Services that no suite uses now, by the name of the database. They have no settings of a suite. */
const idle = new Map<string, Started>()
/** Whether idle services are stopped. Node.js runs the hook early if a filter excludes all tests of the first file of a batch. */
let isOver = false
after(async () => {
  isOver = true
  for (const started of idle.values()) await stop(started)
})

/** Stops a service and deletes its database. */
async function stop({ client, service, database }: Started): Promise<void> {
  client.close()
  try {
    await service.close()
  } finally {
    await database.remove()
  }
}

/** Starts a service on a database of its own and gives each test of a suite empty tables. */
class Fixture {
  readonly database: Database
  readonly settings: Partial<Settings>
  readonly isDescribed: boolean
  /** Whether the tables may hold rows, or the service other settings than those of the suite. */
  isUsed = false
  /** Whether the next suite can use the service. */
  #isReusable: boolean
  #started: Started | undefined
  #hasSettings = true
  /** The rows that are saved, by the function that created them. */
  #saved: Readonly<{ create: unknown; rows: unknown }> | undefined

  constructor(
    database: Database,
    settings: Partial<Settings>,
    isDescribed: boolean,
    isReusable: boolean,
  ) {
    this.database = database
    this.settings = settings
    this.isDescribed = isDescribed
    this.#isReusable = isReusable
  }

  get started(): Started {
    assert.ok(this.#started, 'the service runs only while a test runs')
    return this.#started
  }

  /** Starts the service, or empties the tables after another test. */
  async prepare(): Promise<void> {
    if (this.#started === undefined) this.#takeIdle()
    if (this.isUsed) await this.#reset()
    this.#started ??= await this.#start(await this.database.create(), {})
    this.isUsed = false
  }

  /** Takes the service of an earlier suite, whose tables may hold rows. */
  #takeIdle(): void {
    if (!this.#isReusable) return
    this.#started = idle.get(this.database.name)
    this.isUsed = idle.delete(this.database.name)
  }

  /** Records that a test may change something that `prepare` does not restore, e.g. the tables. */
  changeAnything(): void {
    this.isUsed = true
    this.#isReusable = false
  }

  /** Creates rows, or restores those that the same function has created at the beginning of an earlier test. */
  async fill<Rows>(create: () => Promise<Rows>, key: unknown): Promise<Rows> {
    const { second } = this.started.database
    if (this.isUsed || second === undefined) return create()
    this.isUsed = true
    const saved = this.#saved
    if (saved !== undefined && saved.create === key) {
      await second.restoreRows()
      return structuredClone(saved.rows) as Rows
    }
    const rows = await create()
    this.#saved = undefined
    if (await second.saveRows()) this.#saved = { create: key, rows: structuredClone(rows) }
    return rows
  }

  async #reset(): Promise<void> {
    const { database } = this.started
    if (database.second === undefined) return this.close()
    if (!this.#hasSettings) await this.restart({})
    await database.second.deleteRows()
  }

  /** Starts the service again on the same database. */
  async restart(settings: Partial<Settings>): Promise<void> {
    const { database } = this.started
    await this.#stop()
    this.#started = await this.#start(database, settings)
    this.#hasSettings = Object.keys(settings).length === 0
  }

  async #start(database: OpenDatabase, settings: Partial<Settings>): Promise<Started> {
    const all = { ...defaults, databaseUrl: database.url, ...this.settings, ...settings }
    const service = await startService(all)
    const client = connect(new URL(service.url).origin)
    const basePath = all.basePath ?? ''
    if (!this.isDescribed)
      return { database, service, client, basePath, checkDescription: () => {} }
    const described = await client.send('GET', `${basePath}/openapi.json`)
    const checkDescription = parseDescription(described.text, basePath)
    return { database, service, client, basePath, checkDescription }
  }

  async #stop(): Promise<void> {
    const started = this.#started
    this.#started = undefined
    started?.client.close()
    await started?.service.close()
  }

  /** Keeps the service for the next suite, or closes it. */
  async release(): Promise<void> {
    const started = this.#started
    const isLeft = this.#isReusable && started?.database.second !== undefined
    if (!isLeft || isOver || idle.has(this.database.name)) return this.close()
    this.#started = undefined
    idle.set(this.database.name, started)
  }

  /** Stops the service and deletes the database. */
  async close(): Promise<void> {
    const started = this.#started
    this.#started = undefined
    this.isUsed = false
    this.#hasSettings = true
    this.#saved = undefined
    if (started !== undefined) await stop(started)
  }
}

function serviceOn(fixture: Fixture): TestService {
  let serials = 0
  const call: TestService['call'] = async (method, path, options) => {
    if (method !== 'GET') fixture.isUsed = true
    const exchange = await fixture.started.client.send(method, path, options)
    const body = assertConforms(exchange)
    fixture.started.checkDescription(exchange, body)
    return parseResponse(exchange, body)
  }
  const create = async (path: string, resource: unknown): Promise<Resource> => {
    const body = { data: resource }
    const { status, text, one } = await call('POST', fixture.started.basePath + path, { body })
    assert.equal(status, 201, text)
    return one
  }
  const app: TestService = {
    database: fixture.database.name,
    dialect: fixture.database.dialect,
    get databaseUrl() {
      fixture.changeAnything()
      return fixture.started.database.url
    },
    get url() {
      fixture.changeAnything()
      return new URL(fixture.started.service.url).origin
    },
    call,
    get: (path, query, headers) => call('GET', path, { query, headers }),
    post: (path, body, query) => call('POST', path, { query, body }),
    patch: (path, body, query) => call('PATCH', path, { query, body }),
    delete: (path, body, query) => call('DELETE', path, { query, body }),
    person: (attributes, computers) =>
      create('/persons', {
        type: 'person',
        attributes: { name: 'Ada', ...attributes },
        ...(computers && { relationships: { computers: { data: computers.map(identifier) } } }),
      }),
    computer: (attributes, owner) =>
      create('/computers', {
        type: 'computer',
        attributes: { serial: `serial-${++serials}`, ...attributes },
        ...(owner !== undefined && {
          relationships: { owner: { data: owner && identifier(owner) } },
        }),
      }),
    fill: (create) => fixture.fill(() => create(app), create),
    restart: (settings = {}) => {
      fixture.changeAnything()
      return fixture.restart(settings)
    },
  }
  return app
}

function identifier({ type, id }: Identifier): Identifier {
  return { type, id }
}
