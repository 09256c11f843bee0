import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe } from 'node:test'
import { DeclarationError, type Model, type Store } from 'lapidary'
import type { ServerOptions } from 'lapidary/fastify'
import { createServer } from 'lapidary/fastify'
import { openPostgres, type PostgresOptions } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import type { DialectName } from '../../src/model/dialect.ts'
import { type DescriptionChecker, getDescriptionChecker } from '../checker/check-description.ts'
import { assertConforms, findViolations } from '../checker/check-exchange.ts'
import type { Call, Client, Query } from '../client.ts'
import { connect } from '../client.ts'
import type { ColumnTypes, Database } from '../databases.ts'
import { databases } from '../databases.ts'
import { longOnOthers } from '../long-tests.ts'
import type { OpenDatabase } from '../open-database.ts'
import type { TestResponse } from '../test-response.ts'
import { parseResponse } from '../test-response.ts'

/** The model and the tables that the engine serves in a suite, and its options. */
interface Served {
  readonly model: Model
  /** SQL that creates the tables and may fill them, or a function that writes it for a database. */
  readonly tables: string | ((columnTypes: ColumnTypes, dialect: DialectName) => string)
  readonly server?: Partial<Omit<ServerOptions, 'model' | 'store'>>
  /** The databases of the suite; default: all. */
  readonly on?: readonly Database[]
  /** The only database system that the suite is about. */
  readonly only?: DialectName
  /** The options of the store on PostgreSQL. */
  readonly postgres?: PostgresOptions
  /** Whether names contain characters beyond ASCII, which JSON:API 1.0 allows and its official schema rejects. */
  readonly beyondAscii?: boolean
  /**
   * Whether the tables have values that no client can write, such as null for a required attribute. The description of the API
   * does not describe them.
   */
  readonly hasForeignValues?: boolean
  /** Whether the tables are made again for each test, even after a test that only read: then no count is cached. */
  readonly resets?: boolean
  /** Whether tests that use the URL of the database change rows only, so that the tables need not be made again. */
  readonly keepsTables?: boolean
  /** The tags of the suite; see `long-tests.ts`. */
  readonly tags?: readonly string[]
  /** Whether the suite shows little of a database; see `longOnOthers`. */
  readonly isLongOnOthers?: boolean
}

/** A server of the engine for tests. Requests are sent over HTTP, and every response is checked before the test gets it. */
export interface Engine {
  /** The name of the database, e.g. `SQLite on disk`. */
  readonly database: string
  readonly dialect: DialectName
  readonly databaseUrl: string
  call(method: string, path: string, call?: Call): Promise<TestResponse>
  get(path: string, query?: Query): Promise<TestResponse>
  post(path: string, body: unknown): Promise<TestResponse>
  patch(path: string, body: unknown): Promise<TestResponse>
  delete(path: string, body?: unknown): Promise<TestResponse>
  /** Runs SQL directly on the database, to store values that no request can. */
  execute(sql: string): Promise<void>
}

/**
 * A suite of tests of the engine, run on each database. One server serves all of its tests; each test begins with the
 * tables as they were declared.
 */
export function engine(title: string, served: Served, body: (engine: Engine) => void): void {
  for (const database of served.on ?? databases) {
    if (served.only !== undefined && served.only !== database.dialect) continue
    const { tags = [], isLongOnOthers = false } = served
    const options = isLongOnOthers ? longOnOthers(database.dialect) : { tags }
    describe(`${title} · ${database.name}`, options, () => {
      const fixture = new Fixture(database, served)
      beforeEach(() => fixture.prepare())
      afterEach(async (test) => {
        // A test that failed may have changed anything.
        if (!('passed' in test && test.passed)) await fixture.close()
      })
      after(() => fixture.close())
      body(engineOn(fixture))
    })
  }
}

/** Opens the store of a database by its URL. */
export async function openStore(
  model: Model,
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  if (url.startsWith('postgres:')) return openPostgres(model, url, options)
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  assert.ok(path !== undefined, `no store is known for ${url}`)
  const { timeout } = options
  return openSqlite(model, path, { create: true, ...(timeout !== undefined && { timeout }) })
}

/** Compares a model with new tables of a database, as the start does. @returns the errors of the declarations */
export async function findStartErrors(
  database: Database,
  model: Model,
  tables: string,
): Promise<readonly string[]> {
  const { url, remove } = await database.create()
  const store = await openStore(model, url)
  try {
    await store.migrate([{ version: 1, sql: tables }])
    return await catchDeclarationErrors(() => store.verify())
  } finally {
    await store.close()
    await remove()
  }
}

/** Returns the errors of the declarations that work throws; none if it succeeds. Any other error fails the test. */
export async function catchDeclarationErrors(work: () => unknown): Promise<readonly string[]> {
  try {
    await work()
    return []
  } catch (error) {
    assert.ok(error instanceof DeclarationError, String(error))
    return error.errors
  }
}

interface Started {
  readonly opened: OpenDatabase
  readonly store: Store
  readonly client: Client
  readonly close: () => Promise<void>
}

/** Whether SQL changes rows only. A semicolon in a text makes it false. */
function changesRowsOnly(sql: string): boolean {
  return sql.split(';').every((part) => /^\s*(?:(?:insert into|update|delete from) |$)/i.test(part))
}

/** Starts a server on a database of its own and gives each test of a suite fresh tables. */
class Fixture {
  readonly database: Database
  readonly served: Served
  readonly checkDescription: DescriptionChecker
  /** The differences from the state at the beginning of each test. */
  changed: 'nothing' | 'rows' | 'tables' = 'tables'
  #started: Started | undefined
  /** Whether the rows that each test begins with are saved; `undefined` until they are. */
  #saved: Promise<boolean> | undefined

  constructor(database: Database, served: Served) {
    this.database = database
    this.served = served
    const { model, server: { prefix = '' } = {} } = served
    this.checkDescription = served.hasForeignValues
      ? () => {}
      : getDescriptionChecker(model, prefix)
  }

  get started(): Started {
    assert.ok(this.#started, 'the server runs only while a test runs')
    return this.#started
  }

  get tables(): string {
    const { tables } = this.served
    const { columnTypes, dialect } = this.database
    return typeof tables === 'string' ? tables : tables(columnTypes, dialect)
  }

  /** Starts the server, or makes the tables again after a test that may have changed them. */
  async prepare(): Promise<void> {
    if (this.changed === 'rows' && (await this.#saved)) {
      await this.started.opened.second?.restoreRows()
    } else if (this.changed !== 'nothing') {
      this.#saved = undefined
      // Connections of PostgreSQL identify types by numbers, and new types have new numbers.
      if (/create (type|domain|extension)/.test(this.tables)) await this.close()
      if (this.#started === undefined) await this.#open()
      else {
        await this.started.opened.second?.dropAll()
        await this.execute(this.tables)
      }
    }
    this.changed = this.served.resets === true ? 'tables' : 'nothing'
    if (this.served.keepsTables) await this.#save()
  }

  /** Saves the rows before the first write of the suite. */
  async beforeWrite(): Promise<void> {
    if (this.changed === 'tables') return
    this.changed = 'rows'
    await this.#save()
  }

  async #save(): Promise<void> {
    this.#saved ??= this.started.opened.second?.saveRows()
    await this.#saved
  }

  async #open(): Promise<void> {
    this.#started = await this.#start()
    await this.execute(this.tables)
    await this.#started.store.verify()
    await this.#started.store.prepare()
  }

  async close(): Promise<void> {
    const started = this.#started
    this.#started = undefined
    this.#saved = undefined
    this.changed = 'tables'
    await started?.close()
  }

  async execute(sql: string): Promise<void> {
    if (changesRowsOnly(sql)) await this.beforeWrite()
    else this.changed = 'tables'
    const { second } = this.started.opened
    assert.ok(second, 'a database that has a second connection')
    await second.execute(sql)
  }

  async #start(): Promise<Started> {
    const { model, server: options, postgres } = this.served
    const opened = await this.database.create()
    const store = await openStore(model, opened.url, postgres)
    const server = createServer({
      ...{ model, store, logLevel: 'silent' },
      ...options,
    })
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    const client = connect(origin)
    const close = async () => {
      client.close()
      await server.close()
      await store.close()
      await opened.remove()
    }
    return { opened, store, client, close }
  }
}

function engineOn(fixture: Fixture): Engine {
  const call: Engine['call'] = async (method, path, options) => {
    if (method !== 'GET') await fixture.beforeWrite()
    const exchange = await fixture.started.client.send(method, path, options)
    const body = fixture.served.beyondAscii ? undefined : assertConforms(exchange)
    fixture.checkDescription(exchange, body)
    if (body !== undefined) return parseResponse(exchange, body)
    assert.deepEqual(findViolations(exchange), [])
    return parseResponse(exchange)
  }
  return {
    database: fixture.database.name,
    dialect: fixture.database.dialect,
    get databaseUrl() {
      fixture.changed = fixture.served.keepsTables ? 'rows' : 'tables'
      return fixture.started.opened.url
    },
    call,
    get: (path, query) => call('GET', path, { query }),
    post: (path, body) => call('POST', path, { body }),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path, body) => call('DELETE', path, { body }),
    execute: (sql) => fixture.execute(sql),
  }
}
