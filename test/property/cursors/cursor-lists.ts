import { createHandler } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import type { Database } from '../../databases.ts'
import type { Random } from '../random-choices.ts'
import {
  declareLists,
  drawRow,
  drawSchema,
  listItemTerms,
  listSlotTerms,
  writeForeignTexts,
  writeLists,
} from './cursor-schemas.ts'

/** A server of lists. */
export interface ListServer {
  /** The terms of sorts, by type; `-` in front of one reverses it. */
  readonly terms: Readonly<{ item: readonly string[]; slot: readonly string[] }>
  /** Draws the attributes of an item. */
  readonly drawItem: (random: Random) => Readonly<Record<string, unknown>>
  /** The schema, for errors. */
  readonly schema: unknown
  /** Sends a request. @returns the status, and the document */
  send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<{ status: number; document: Document }>>
  close(): Promise<void>
}

/** A document, as far as walks read it. */
export interface Document {
  readonly data: readonly Readonly<{ id: string; meta?: { page: { cursor: string } } }>[]
  readonly links: Readonly<Record<string, string | null>>
  readonly meta?: Readonly<{ count?: number; page?: Readonly<Record<string, unknown>> }>
  readonly errors?: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Serves the lists of a random schema on a new database, with random rows: the same on each database for the same random numbers.
 * @param hasForeignTexts - whether rows of SQLite have texts that only other programs store
 */
export async function serveLists(
  database: Database,
  random: Random,
  hasForeignTexts = false,
): Promise<ListServer> {
  const schema = drawSchema(random)
  const model = declareLists(schema)
  const open = await database.create()
  await open.second?.execute(
    writeLists(schema, database.columnTypes, random, database.dialect === 'postgres'),
  )
  if (hasForeignTexts && database.dialect === 'sqlite')
    await open.second?.execute(writeForeignTexts(schema, random))
  const store = open.url.startsWith('sqlite:')
    ? openSqlite(model, open.url.slice('sqlite:'.length))
    : await openPostgres(model, open.url, { poolSize: 1 })
  await store.verify()
  const handle = createHandler({ model, store })
  const whole = schema.item.filter(({ kind }) => kind === 'integer64').map(({ name }) => name)
  return {
    schema,
    terms: { item: listItemTerms(schema), slot: listSlotTerms(schema) },
    drawItem: (choices) => drawRow(schema.item, choices),
    send: async (method, path, body) => {
      const headers = { 'content-type': 'application/vnd.api+json' }
      const init =
        body === undefined ? { method } : { method, headers, body: writeBody(body, whole) }
      const response = await handle(new Request(new URL(path, 'http://localhost'), init))
      const content = await response.text()
      return { status: response.status, document: content === '' ? {} : JSON.parse(content) }
    },
    close: async () => {
      await store.close()
      await open.remove()
    },
  }
}

/** Writes a body, with 64-bit integers as numbers. */
function writeBody(body: unknown, whole: readonly string[]): string {
  const names = whole.join('|')
  return JSON.stringify(body).replaceAll(new RegExp(`"(${names})":"(-?\\d+)"`, 'g'), '"$1":$2')
}
