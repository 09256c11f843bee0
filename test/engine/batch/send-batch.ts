import assert from 'node:assert/strict'
import { after, afterEach, before, describe } from 'node:test'
import { sql } from 'kysely'
import type { Model, Store } from 'lapidary'
import { createHandler, type HandlerOptions } from '../../../src/http/adapters/fetch.ts'
import type { DialectName } from '../../../src/model/dialect.ts'
import { atomicExtension } from '../../../src/model/media-types.ts'
import { type ColumnTypes, databases } from '../../databases.ts'
import type { ErrorObject, Resource } from '../../test-response.ts'
import { openStore } from '../engine.ts'

/** The media type of a batch. */
export const batchType = `application/vnd.api+json;ext="${atomicExtension}"`

/** An operation as a client sends it. */
type SentOperation = Readonly<Record<string, unknown>>

/** The result of an operation. */
interface Result {
  readonly data?: Resource
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A document of a response. */
interface BatchDocument {
  readonly 'atomic:results'?: readonly Result[]
  readonly data?: Resource
  readonly errors?: readonly ErrorObject[]
  readonly links?: Readonly<Record<string, unknown>>
  readonly jsonapi?: Readonly<{ version: string; ext?: readonly string[] }>
}

/** A response to any request. */
interface BatchResponse {
  readonly status: number
  readonly headers: Headers
  readonly document: BatchDocument
  readonly results: readonly Result[]
  readonly errors: readonly ErrorObject[]
}

/** A server whose requests are sent without a network, and its database. */
interface BatchApp {
  readonly dialect: DialectName
  readonly store: Store
  /** Sends a request with a document, or with a text as it is. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BatchResponse>
  /** Sends operations to `/operations`. */
  batch(
    operations: readonly SentOperation[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<BatchResponse>
  /** Reads rows by SQL. */
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  execute(sql: string): Promise<void>
  /** Fills the tables anew. */
  reset(): Promise<void>
}

/** What a suite serves. */
export interface BatchSuite {
  readonly model: Model
  readonly tables: (columnTypes: ColumnTypes, dialect: DialectName) => string
  /** SQL that empties the tables and fills them for each test. */
  readonly fill: string
  readonly options?: Omit<HandlerOptions, 'model' | 'store'>
}

/** A suite about several writes in one transaction, on each database. */
export function describeBatches(
  title: string,
  { model, tables, fill, options = {} }: BatchSuite,
  body: (app: BatchApp) => void,
): void {
  for (const database of databases)
    describe(`${title} · ${database.name}`, () => {
      let opened: Awaited<ReturnType<typeof database.create>>
      let store: Store
      let handle: ReturnType<typeof createHandler>
      const execute = async (sql: string) => {
        await opened.second?.execute(sql)
      }
      const refill = async () => {
        await opened.second?.deleteRows()
        await execute(fill)
      }
      before(async () => {
        opened = await database.create()
        store = await openStore(model, opened.url)
        const created = tables(database.columnTypes, database.dialect)
        await store.migrate([{ version: 1, sql: created }])
        await execute(fill)
        handle = createHandler({ ...options, model, store } as HandlerOptions)
      })
      afterEach(refill)
      after(async () => {
        await store.close()
        await opened.remove()
      })
      const send: BatchApp['send'] = async (method, path, sent, headers = {}) => {
        const content = typeof sent === 'string' ? sent : JSON.stringify(sent)
        const request = new Request(`http://localhost${path}`, {
          method,
          headers: { 'content-type': 'application/vnd.api+json', ...headers },
          ...(content !== undefined && { body: content }),
        })
        const response = await handle(request)
        const text = await response.text()
        const document: BatchDocument = text === '' ? {} : JSON.parse(text)
        const { 'atomic:results': results = [], errors = [] } = document
        assertPointersExist(content, errors, path)
        return { status: response.status, headers: response.headers, document, results, errors }
      }
      body({
        dialect: database.dialect,
        get store() {
          return store
        },
        send,
        batch: (operations, headers) =>
          send(
            'POST',
            '/operations',
            { 'atomic:operations': operations },
            {
              'content-type': batchType,
              ...headers,
            },
          ),
        rows: (text) => store.snapshot((query) => query(sql.raw(text))),
        execute,
        reset: refill,
      })
    })
}

/** Asserts that each pointer of an error leads to a value of the document that was sent. */
function assertPointersExist(
  sent: string | undefined,
  errors: readonly ErrorObject[],
  path: string,
): void {
  if (!path.startsWith('/operations')) return
  for (const { source, detail } of errors) {
    let value: unknown = JSON.parse(sent ?? '{}')
    for (const token of (source?.pointer ?? '').split('/').slice(1)) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
      assert.ok(
        typeof value === 'object' && value !== null && Object.hasOwn(value, name),
        `${source?.pointer} does not exist: ${detail}`,
      )
      value = Reflect.get(value, name)
    }
  }
}

/** Returns what each error says in short: its status, its code and its pointer. */
export function summarize({ errors }: BatchResponse): readonly string[] {
  return errors.map(({ status, code, source }) => `${status} ${code} ${source?.pointer}`)
}
