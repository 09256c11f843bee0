/** One step in the life of a schema; versions count up from 1. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** What is done about a schema that is not at the newest version: it is brought there, or refused. */
export type MigrationMode = 'run' | 'compare'

/**
 * The migrations that are to run on a schema, in their order.
 * @param at - the version it is at; 0 before the first
 * @throws Error with one clear line for a schema of a later version, which a newer program made, and for one of an
 *   earlier version that is only to be compared
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  at: number,
  mode: MigrationMode,
): readonly Migration[] {
  const newest = Math.max(0, ...migrations.map(({ version }) => version))
  const found = `The database is at version ${at}`
  if (at > newest)
    throw new Error(`${found}; this program knows versions up to ${newest}. Run a newer one.`)
  if (at < newest && mode === 'compare')
    throw new Error(`${found}; this program needs ${newest}. Have it migrated first.`)
  return migrations
    .filter(({ version }) => version > at)
    .toSorted((one, other) => one.version - other.version)
}
