import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startService } from '../../service/start-service.ts'
import { computersPerPerson, makeComputerRow, makePersonRow } from '../seed-data.ts'
import { cacheFolder, type Databases } from './databases.ts'

/** Opens the SQLite databases of the benchmark. Each is a file. */
export function openSqliteDatabases(): Databases {
  return {
    open: async (persons) => `sqlite:${await prepareDatabase(persons)}`,
    copy: async (persons, name) => {
      const path = join(cacheFolder, `copy-${name}.db`)
      await removeDatabase(path)
      await copyFile(await prepareDatabase(persons), path)
      return `sqlite:${path}`
    },
    close: async () => {},
  }
}

/** Creates the database with so many persons if it does not exist. @returns the path of its file */
async function prepareDatabase(persons: number): Promise<string> {
  const path = join(cacheFolder, `${persons}.db`)
  if (await exists(path)) return path
  const incomplete = `${path}.incomplete.db`
  await mkdir(cacheFolder, { recursive: true })
  await removeDatabase(incomplete)
  const service = await startService({
    databaseUrl: `sqlite:${incomplete}`,
    port: 0,
    logLevel: 'error',
  })
  await service.close()
  insertRows(incomplete, persons)
  await rename(incomplete, path)
  return path
}

/** Removes a database file with its WAL and shared-memory files. */
async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
}

function insertRows(path: string, persons: number): void {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000')
  database.exec('begin')
  const person = database.prepare(
    'insert into person (id, name, email, birth_date, gender) values (?, ?, ?, ?, ?)',
  )
  for (let id = 1; id <= persons; id += 1) person.run(...makePersonRow(id))
  const computer = database.prepare('insert into computer (id, serial, person_id) values (?, ?, ?)')
  for (let id = 1; id <= persons * computersPerPerson; id += 1)
    computer.run(...makeComputerRow(id, persons))
  database.exec('commit; pragma journal_mode = wal')
  database.close()
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
