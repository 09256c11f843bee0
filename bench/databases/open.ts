import type { Databases } from './databases.ts'

/** Opens the databases of an engine. PostgreSQL is started first. @param engine - `sqlite` or `postgres` */
export async function openDatabases(engine: string): Promise<Databases> {
  if (engine === 'postgres') return (await import('./postgres.ts')).openPostgresDatabases()
  return (await import('./sqlite.ts')).openSqliteDatabases()
}
