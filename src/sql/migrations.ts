import { ApiError, HttpError } from '../errors/errors.ts'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import {
  type Check,
  members,
  mustBe,
  oneOf,
  stringCheck,
  wholeNumber,
} from '../model/check/option-checks.ts'
import { ConstraintError } from './errors.ts'

/** A change of the schema. Versions count up from 1. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** `run` migrates a schema to the newest version; `compare` rejects a schema of another version. */
export type MigrationMode = 'run' | 'compare'

const list = mustBe('an array of migrations', Array.isArray)
const migration = members({
  version: wholeNumber(1),
  sql: stringCheck,
} satisfies Record<keyof Migration, Check>)

/**
 * Checks the arguments of `Store.migrate`: a migration without a version would never run.
 * @throws DeclarationError with one line for each error
 */
export function checkMigrations(migrations: readonly Migration[], mode: MigrationMode): void {
  throwDeclarationErrors(list(migrations, 'migrate.migrations'))
  throwDeclarationErrors([
    ...oneOf('run', 'compare')(mode, 'migrate.mode'),
    ...migrations.flatMap((each: unknown, at) => migration(each, `migrate.migrations[${at}]`)),
  ])
  throwDeclarationErrors(
    migrations.flatMap(({ version }, at) =>
      migrations.findIndex((other) => other.version === version) === at
        ? []
        : [`migrate.migrations[${at}].version: another migration has the version ${version}`],
    ),
  )
}

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

/**
 * Names the migration whose SQL has failed, with the message of the database. An error of a database that is busy or cannot be
 * reached is returned as it is, because the migration may run again.
 */
export function describeFailure({ version }: Migration, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof HttpError && error.code === 'unavailable') return error
  const isTranslated = error instanceof ApiError || error instanceof ConstraintError
  const { message } = isTranslated && error.cause instanceof Error ? error.cause : error
  return new Error(`The migration ${version} failed: ${message}`, { cause: error })
}
