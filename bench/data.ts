import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startService } from '../service/start.ts'
import { computerRow, computersEach, personRow } from './people.ts'

/** Where databases are kept between runs; nothing in it is worth keeping. */
export const cacheFolder = join(import.meta.dirname, '.cache')

/**
 * A SQLite database with so many persons, five computers each; made when it is not there yet.
 * @returns the path of the file, which is for reading alone
 */
export async function sqliteWith(persons: number): Promise<string> {
  const path = join(cacheFolder, `${persons}.db`)
  if (await isThere(path)) return path
  const draft = `${path}.draft.db`
  await mkdir(cacheFolder, { recursive: true })
  await removeSqlite(draft)
  const service = await startService({ databaseUrl: `sqlite:${draft}`, port: 0, logLevel: 'error' })
  await service.close()
  fill(draft, persons)
  await rename(draft, path)
  return path
}

/** The same database under another name, for one who writes. */
export async function sqliteCopy(persons: number, name: string): Promise<string> {
  const path = join(cacheFolder, `copy-${name}.db`)
  await removeSqlite(path)
  await copyFile(await sqliteWith(persons), path)
  return path
}

/** Removes a database with what SQLite keeps beside it. */
export async function removeSqlite(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
}

function fill(path: string, persons: number): void {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000')
  database.exec('begin')
  const person = database.prepare(
    'insert into person (id, name, email, birth_date, gender) values (?, ?, ?, ?, ?)',
  )
  for (let id = 1; id <= persons; id += 1) person.run(...personRow(id))
  const computer = database.prepare('insert into computer (id, serial, person_id) values (?, ?, ?)')
  for (let id = 1; id <= persons * computersEach; id += 1) computer.run(...computerRow(id, persons))
  database.exec('commit; pragma journal_mode = wal')
  database.close()
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
