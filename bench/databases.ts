import { sqliteCopy, sqliteWith } from './data.ts'

/** A kind of database that servers are measured on. */
export interface Databases {
  /** The address of a database with so many persons, for reading alone. */
  with(persons: number): Promise<string>
  /** The address of a copy for one who writes. */
  copy(persons: number, name: string): Promise<string>
  /** Ends what was started for it. */
  end(): Promise<void>
}

/** Makes a kind of database ready. */
export async function openDatabases(name: string): Promise<Databases> {
  if (name === 'sqlite') return sqlite
  const { openPostgresDatabases } = await import('./postgres.ts')
  return openPostgresDatabases()
}

const sqlite: Databases = {
  with: async (persons) => `sqlite:${await sqliteWith(persons)}`,
  copy: async (persons, name) => `sqlite:${await sqliteCopy(persons, name)}`,
  end: async () => {},
}
