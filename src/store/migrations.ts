/** A change of the schema. Versions count up from 1. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** `run` migrates a schema to the newest version; `compare` rejects a schema of another version. */
export type MigrationMode = 'run' | 'compare'

/**
 * Lists the migrations that a schema lacks, in their order.
 * @param current - the version of the schema; 0 before the first migration
 * @throws Error with a message of one line if the schema is newer than the program, or older and only compared
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  current: number,
  mode: MigrationMode,
): readonly Migration[] {
  const newest = Math.max(0, ...migrations.map(({ version }) => version))
  const found = `The database is at version ${current}`
  if (current > newest)
    throw new Error(`${found}; this program knows versions up to ${newest}. Run a newer program.`)
  if (current < newest && mode === 'compare')
    throw new Error(`${found}; this program needs ${newest}. Run the migrations first.`)
  return migrations
    .filter(({ version }) => version > current)
    .toSorted((one, other) => one.version - other.version)
}
