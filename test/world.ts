import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Settings } from '../service/settings.ts'
import type { Running } from '../service/start.ts'
import { startService } from '../service/start.ts'
import type { Answer, Identifier, Resource } from './answer.ts'
import { describeExchange, readAnswer } from './answer.ts'
import { check } from './checker/checker.ts'
import type { Call, Client, Query } from './client.ts'
import { connect } from './client.ts'
import type { Database, OpenDatabase } from './databases.ts'
import { databases } from './databases.ts'

export type { Answer, Document, Fault, Identifier, Linkage, Resource } from './answer.ts'
export { ids } from './answer.ts'
export type { Call, Query } from './client.ts'

/** The running service, as a test meets it: over HTTP, every answer checked before the test sees it. */
export interface World {
  /** The name of the database, e.g. `SQLite on disk`. */
  readonly database: string
  readonly databaseUrl: string
  /** The origin of the service, without a slash at the end. */
  readonly url: string
  /** Paths carry the base path, as the links in answers do; absolute links of the service will do too. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  get(path: string, query?: Query, headers?: Call['headers']): Promise<Answer>
  post(path: string, body: unknown, query?: Query): Promise<Answer>
  patch(path: string, body: unknown, query?: Query): Promise<Answer>
  delete(path: string, body?: unknown, query?: Query): Promise<Answer>
  /** Creates a person; her name is Ada unless the attributes say otherwise. */
  person(attributes?: Record<string, unknown>, computers?: Identifier[]): Promise<Resource>
  /** Creates a computer; its serial is a fresh one unless the attributes say otherwise. */
  computer(attributes?: Record<string, unknown>, owner?: Identifier | null): Promise<Resource>
  /**
   * Starts the service again on the same database, with other settings and at another `url`.
   * A database in memory ends with its service: it is empty afterwards.
   */
  restart(settings?: Partial<Settings>): Promise<void>
}

/** A chapter of tests, run once for each database, or for some of them; each `it` in it starts on an empty service of its own. */
export function chapter(
  title: string,
  body: (world: World) => void,
  settings: Partial<Settings> = {},
  on: readonly Database[] = databases,
): void {
  for (const database of on) {
    describe(`${title} · ${database.name}`, () => {
      const stage = new Stage(database, settings)
      beforeEach(() => stage.open())
      afterEach(() => stage.close())
      body(worldOn(stage))
    })
  }
}

/** A test that proves conformance rules; their ids stand in its name as `[NEG-1]`. */
export function rule(
  ids: string | readonly string[],
  sentence: string,
  test: () => Promise<void>,
): void {
  const names = [ids].flat().map((id) => `[${id}]`)
  it(`${names.join(' ')} ${sentence}`, test)
}

interface Show {
  readonly service: Running
  readonly client: Client
  readonly basePath: string
}

/** Opens and closes the service and its database around each test. */
class Stage {
  readonly database: Database
  readonly settings: Partial<Settings>
  #store: OpenDatabase | undefined
  #show: Show | undefined

  constructor(database: Database, settings: Partial<Settings>) {
    this.database = database
    this.settings = settings
  }

  get store(): OpenDatabase {
    assert.ok(this.#store, 'the world exists only while a test runs')
    return this.#store
  }

  get show(): Show {
    assert.ok(this.#show, 'the world exists only while a test runs')
    return this.#show
  }

  async open(): Promise<void> {
    this.#store = await this.database.create()
    await this.start({})
  }

  async start(settings: Partial<Settings>): Promise<void> {
    const quiet = { host: '127.0.0.1', port: 0, logLevel: 'silent' }
    const all = { ...quiet, databaseUrl: this.store.url, ...this.settings, ...settings }
    const service = await startService(all)
    const client = connect(new URL(service.url).origin)
    this.#show = { service, client, basePath: all.basePath ?? '' }
  }

  async stop(): Promise<void> {
    const show = this.#show
    this.#show = undefined
    show?.client.close()
    await show?.service.close()
  }

  async close(): Promise<void> {
    const store = this.#store
    this.#store = undefined
    try {
      await this.stop()
    } finally {
      await store?.remove()
    }
  }
}

function worldOn(stage: Stage): World {
  let serials = 0
  const call: World['call'] = async (method, path, options) => {
    const exchange = await stage.show.client.send(method, path, options)
    check(exchange)
    return readAnswer(exchange)
  }
  const create = async (path: string, resource: unknown): Promise<Resource> => {
    const body = { data: resource }
    const exchange = await stage.show.client.send('POST', stage.show.basePath + path, { body })
    check(exchange)
    assert.equal(exchange.status, 201, describeExchange(exchange))
    return readAnswer(exchange).one
  }
  return {
    database: stage.database.name,
    get databaseUrl() {
      return stage.store.url
    },
    get url() {
      return new URL(stage.show.service.url).origin
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
    restart: async (settings = {}) => {
      await stage.stop()
      await stage.start(settings)
    },
  }
}

function identifier({ type, id }: Identifier): Identifier {
  return { type, id }
}
