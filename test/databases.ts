import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KindName } from '../src/model/kinds.ts'
import type { parametric } from '../src/model/parametric-kinds.ts'

/** A fresh, empty database: where it is, and how to leave nothing of it behind. */
export interface OpenDatabase {
  readonly url: string
  remove(): Promise<void>
}

/** The column types that keep values of the kinds, by kind; `newId` is that of ids which the database gives. */
export type ColumnTypes = Readonly<Record<KindName | keyof typeof parametric | 'newId', string>>

/** A kind of database the whole test suite runs on. */
export interface Database {
  readonly name: string
  readonly columnTypes: ColumnTypes
  create(): Promise<OpenDatabase>
}

// biome-ignore format: a table, many kinds a row
const sqliteTypes: ColumnTypes = {
  newId: 'integer primary key', id: 'integer', uuid: 'text',
  text: 'text', email: 'text', url: 'text', enumeration: 'text', json: 'text', bytes: 'blob',
  integer: 'integer', integer64: 'integer', number: 'real', decimal: 'text', boolean: 'integer',
  date: 'text', datetime: 'text', time: 'text',
}

/** Every database the tests run on; a new one is one more line. */
export const databases: readonly Database[] = [
  { name: 'SQLite on disk', columnTypes: sqliteTypes, create: onDisk },
  { name: 'SQLite in memory', columnTypes: sqliteTypes, create: inMemory },
]

async function onDisk(): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
  return {
    url: `sqlite:${join(folder, 'test.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function inMemory(): Promise<OpenDatabase> {
  return { url: 'sqlite::memory:', remove: async () => {} }
}
