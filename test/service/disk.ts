import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { World } from '../world.ts'

/** Whether the chapter runs on a database that a second connection can open beside the service. */
export function isOnDisk(world: World): boolean {
  return world.database === 'SQLite on disk'
}

/** The file of a database on disk. */
export function fileOf(databaseUrl: string): string {
  assert.match(databaseUrl, /^sqlite:\//, 'a database on disk')
  return databaseUrl.slice('sqlite:'.length)
}

/** Does something to the stored tables behind the service's back, through a connection of its own. */
export function behind<Result>(
  databaseUrl: string,
  work: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync(fileOf(databaseUrl), { timeout: 10_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** What `insertMany` writes. */
export interface Crowd {
  readonly persons: number
  /** For each person. */
  readonly computers: number
  /** The length of each name, in characters. */
  readonly nameLength?: number
}

/** Fills the tables in one transaction: persons with ids from 1 on, each owning computers. */
export function insertMany(
  databaseUrl: string,
  { persons, computers, nameLength = 12 }: Crowd,
): void {
  behind(databaseUrl, (database) => {
    const person = database.prepare('insert into person (id, name, email) values (?, ?, ?)')
    const computer = database.prepare('insert into computer (serial, person_id) values (?, ?)')
    database.exec('begin immediate')
    for (let id = 1; id <= persons; id++) {
      person.run(id, `Person ${id}`.padEnd(nameLength, '.'), `person${id}@example.org`)
      for (let nth = 1; nth <= computers; nth++) computer.run(`${id}-${nth}`, id)
    }
    database.exec('commit')
  })
}
