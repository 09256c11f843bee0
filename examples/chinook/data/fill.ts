import { readFileSync } from 'node:fs'
import type { Store } from 'lapidary'
import { makeMusic } from './music.ts'
import { seededRandom } from './random.ts'
import { makeSales } from './sales.ts'

/** With this one every genre has tracks, and the invoices have 2240 lines. */
const seed = 23

/** How many rows a statement inserts at most. */
const batch = 500

/** A row of a table, in the order of the table's columns. */
type Row = readonly (string | number | null)[]

/** The rows of every table, parents before children; the same ones every time. */
function makeRows(): Readonly<Record<string, readonly Row[]>> {
  const random = seededRandom(seed)
  const music = makeMusic(random)
  return { ...music, ...makeSales(random, music.Track) }
}

/** SQL that makes the tables of the music store in a database and fills them. */
export function storeSql(dialect: Store['dialect']): string {
  const schema = readFileSync(new URL(`schema-${dialect}.sql`, import.meta.url), 'utf8')
  const filling = Object.entries(makeRows()).flatMap(([table, rows]) => [
    ...inserts(table, rows),
    ...(dialect === 'postgres' ? nextId(table, rows) : []),
  ])
  return [schema, ...filling].join('\n')
}

function inserts(table: string, rows: readonly Row[]): string[] {
  const values = rows.map((row) => `(${row.map(literal).join(', ')})`)
  const starts = Array.from({ length: Math.ceil(values.length / batch) }, (_, at) => at * batch)
  return starts.map(
    (at) => `INSERT INTO "${table}" VALUES ${values.slice(at, at + batch).join(', ')};`,
  )
}

/** PostgreSQL counts the ids that it gives, and does not look at those that are there. */
function nextId(table: string, rows: readonly Row[]): string[] {
  // The rows that link playlists with tracks have no number.
  if (table === 'PlaylistTrack') return []
  return [`ALTER TABLE "${table}" ALTER COLUMN "${table}Id" RESTART WITH ${rows.length + 1};`]
}

function literal(value: Row[number]): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
