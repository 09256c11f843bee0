import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshPostgres } from './postgres.ts'

/** A fresh, empty database: where it is, and how to leave nothing of it behind. */
export interface OpenDatabase {
  readonly url: string
  remove(): Promise<void>
}

/** A kind of database the whole test suite runs on. */
export interface Database {
  readonly name: string
  create(): Promise<OpenDatabase>
}

/** Every database the tests run on; a new one is one more line. */
export const databases: readonly Database[] = [
  { name: 'SQLite on disk', create: onDisk },
  { name: 'SQLite in memory', create: inMemory },
  ...(process.env.LAPIDARY_TEST_POSTGRES ? [{ name: 'PostgreSQL', create: freshPostgres }] : []),
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
