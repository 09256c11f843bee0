import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe } from 'node:test'
import type { Model, ServerOptions, Store } from 'lapidary'
import { createServer } from 'lapidary'
import { openPostgres, type PostgresOptions } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import type { DialectName } from '../../src/model/dialect.ts'
import type { Answer } from '../answer.ts'
import { readAnswer } from '../answer.ts'
import { breaches, check } from '../checker/checker.ts'
import type { Call, Client, Query } from '../client.ts'
import { connect } from '../client.ts'
import type { ColumnTypes, Database, OpenDatabase } from '../databases.ts'
import { databases } from '../databases.ts'

/** What the engine serves in a test: declared types, the tables they are cut from, and how it is served. */
export interface Served {
  readonly model: Model
  /** SQL that makes the tables, and may fill them; or what writes it for a database. */
  readonly tables: string | ((columnTypes: ColumnTypes, dialect: DialectName) => string)
  readonly server?: Partial<Omit<ServerOptions, 'model' | 'store'>>
  /** The only database system that the chapter is about. */
  readonly only?: DialectName
  /** How PostgreSQL is opened. */
  readonly postgres?: PostgresOptions
  /** Whether names go beyond ASCII: JSON:API 1.0 allows it, its official schema does not know. */
  readonly beyondAscii?: boolean
}

/** A server of the engine, as a test meets it: over HTTP, every answer checked before the test sees it. */
export interface Engine {
  /** The name of the database, e.g. `SQLite on disk`. */
  readonly database: string
  readonly dialect: DialectName
  readonly databaseUrl: string
  call(method: string, path: string, call?: Call): Promise<Answer>
  get(path: string, query?: Query): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string, body?: unknown): Promise<Answer>
  /** Runs SQL on the database, past the engine: to store what no request can. */
  execute(sql: string): Promise<void>
}

/** A chapter of tests of the engine, run once per database; each `it` in it starts on fresh tables. */
export function engine(title: string, served: Served, body: (engine: Engine) => void): void {
  for (const database of databases) {
    if (served.only !== undefined && served.only !== database.dialect) continue
    describe(`${title} · ${database.name}`, () => {
      const stage = new Stage(database, served)
      beforeEach(() => stage.begin())
      afterEach(() => stage.end())
      after(() => stage.close())
      body(engineOn(stage))
    })
  }
}

/** Opens the store of a database by its URL. */
export async function openStore(
  model: Model,
  url: string,
  options?: PostgresOptions,
): Promise<Store> {
  if (url.startsWith('postgres:')) return openPostgres(model, url, options)
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  assert.ok(path !== undefined, `no store is known for ${url}`)
  return openSqlite(model, path)
}

interface Show {
  readonly opened: OpenDatabase
  readonly store: Store
  readonly client: Client
  readonly close: () => Promise<void>
}

/** A database and a server on it: opened for each test, or once for a chapter where the database can be cleared. */
class Stage {
  readonly database: Database
  readonly served: Served
  #show: Show | undefined
  #version = 0

  constructor(database: Database, served: Served) {
    this.database = database
    this.served = served
  }

  get show(): Show {
    assert.ok(this.#show, 'the engine exists only while a test runs')
    return this.#show
  }

  get tables(): string {
    const { tables } = this.served
    const { columnTypes, dialect } = this.database
    return typeof tables === 'string' ? tables : tables(columnTypes, dialect)
  }

  async begin(): Promise<void> {
    const isOpen = this.#show !== undefined
    if (isOpen) await this.show.opened.beside?.clear()
    else this.#show = await this.#open()
    await this.execute(this.tables)
    if (!isOpen) await this.show.store.check()
  }

  async end(): Promise<void> {
    // Connections know types by their numbers, which are others when they are made again.
    const makesTypes = /create (type|domain|extension)/.test(this.tables)
    if (makesTypes || this.#show?.opened.beside === undefined) await this.close()
  }

  async close(): Promise<void> {
    const show = this.#show
    this.#show = undefined
    await show?.close()
  }

  async execute(sql: string): Promise<void> {
    const { opened, store } = this.show
    if (opened.beside) return opened.beside.execute(sql)
    this.#version += 1
    await store.migrate([{ version: this.#version, sql }])
  }

  async #open(): Promise<Show> {
    const { model, server: options, postgres } = this.served
    const opened = await this.database.create()
    const store = await openStore(model, opened.url, postgres)
    const server = createServer({ model, store, logLevel: 'silent', ...options })
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    const client = connect(origin)
    const close = async () => {
      client.close()
      await server.close()
      await store.close()
      await opened.remove()
    }
    this.#version = 0
    return { opened, store, client, close }
  }
}

function engineOn(stage: Stage): Engine {
  const call: Engine['call'] = async (method, path, options) => {
    const exchange = await stage.show.client.send(method, path, options)
    if (stage.served.beyondAscii) assert.deepEqual(breaches(exchange), [])
    else check(exchange)
    return readAnswer(exchange)
  }
  return {
    database: stage.database.name,
    dialect: stage.database.dialect,
    get databaseUrl() {
      return stage.show.opened.url
    },
    call,
    get: (path, query) => call('GET', path, { query }),
    post: (path, body) => call('POST', path, { body }),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path, body) => call('DELETE', path, { body }),
    execute: (sql) => stage.execute(sql),
  }
}
