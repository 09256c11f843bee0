import { readFileSync } from 'node:fs'
import type { Store } from 'lapidary'
import { generateMusic } from './generate-music.ts'
import { generateSales } from './generate-sales.ts'
import { createSeededRandom } from './seeded-random.ts'

/** With this seed every genre has tracks and there are 2240 invoice lines. */
const seed = 23

/** The maximum number of rows that one INSERT statement contains. */
const rowsPerInsert = 500

/** A row of a table: its values in column order. */
type Row = readonly (string | number | null)[]

/** Generates the rows of every table. Referenced tables come first. Every call returns the same rows. */
function generateRows(): Readonly<Record<string, readonly Row[]>> {
  const random = createSeededRandom(seed)
  const music = generateMusic(random)
  return { ...music, ...generateSales(random, music.Track) }
}

/** Generates SQL that creates the tables of the music store and inserts their rows. */
export function generateSql(dialect: Store['dialect']): string {
  const schema = readFileSync(new URL(`schema-${dialect}.sql`, import.meta.url), 'utf8')
  const statements = Object.entries(generateRows()).flatMap(([table, rows]) => [
    ...inserts(table, rows),
    ...(dialect === 'postgres' ? restartIds(table, rows) : []),
  ])
  return [schema, ...statements].join('\n')
}

function inserts(table: string, rows: readonly Row[]): string[] {
  const values = rows.map((row) => `(${row.map(literal).join(', ')})`)
  const starts = Array.from(
    { length: Math.ceil(values.length / rowsPerInsert) },
    (_, at) => at * rowsPerInsert,
  )
  return starts.map(
    (at) => `INSERT INTO "${table}" VALUES ${values.slice(at, at + rowsPerInsert).join(', ')};`,
  )
}

/** An identity column of PostgreSQL does not notice inserted ids, so it restarts after the last one. */
function restartIds(table: string, rows: readonly Row[]): string[] {
  // This table has no identity column.
  if (table === 'PlaylistTrack') return []
  return [`ALTER TABLE "${table}" ALTER COLUMN "${table}Id" RESTART WITH ${rows.length + 1};`]
}

function literal(value: Row[number]): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
