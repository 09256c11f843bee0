import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeMusic } from './music.ts'
import { seededRandom } from './random.ts'
import { makeSales } from './sales.ts'

/** With this one every genre has tracks, and the invoices have 2240 lines. */
const seed = 23

/** A row of a table, in the order of the table's columns in `schema.sql`. */
export type Row = readonly (string | number | null)[]

/** Makes the rows of every table, parents before children; the same ones every time. */
export function makeRows(): Readonly<Record<string, readonly Row[]>> {
  const random = seededRandom(seed)
  const music = makeMusic(random)
  return { ...music, ...makeSales(random, music.Track) }
}

/**
 * Makes the tables of the music store in an empty SQLite database and fills them, all or nothing.
 *
 * @throws Error when one of the tables is there already
 */
export function fill(database: DatabaseSync): void {
  database.exec('BEGIN')
  try {
    database.exec(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))
    for (const [table, rows] of Object.entries(makeRows())) {
      const marks = rows[0]?.map(() => '?').join(', ')
      const insert = database.prepare(`INSERT INTO ${table} VALUES (${marks})`)
      for (const row of rows) insert.run(...row)
    }
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined || existsSync(path)) {
    console.error(path ? `${path} is there already` : 'Usage: node fill.ts <path of a new file>')
    process.exit(1)
  }
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  fill(database)
  database.close()
}
