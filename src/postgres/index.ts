import type { Catalog } from '../model/catalog.ts'
import type { Model } from '../model/model.ts'
import { checkRuntime } from '../sql/check-runtime.ts'
import type { SampleRequest, TableSample } from '../sql/sample-table.ts'
import type { Store } from '../sql/store.ts'
import { checkPostgresArguments, type PostgresOptions } from './options.ts'

/** The options of a PostgreSQL database. */
export type { PostgresOptions } from './options.ts'

/**
 * Opens a PostgreSQL database, version 14 or later, as a store.
 * @param url - `postgres://user:password@host:port/database`
 * @throws Error with a message of one line when the database cannot be reached, is older, or has unsuitable settings; when the
 *   driver `pg` is not installed; or when the runtime is too old; DeclarationError for unknown or wrong options
 */
export async function openPostgres(
  model: Model,
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  checkPostgresArguments(model, url, options)
  await checkDriver()
  const { createPostgresStore } = await import('./store.ts')
  return createPostgresStore(model, url, options)
}

/**
 * Reads the catalog of a PostgreSQL database without changing anything.
 * @throws Error with a message of one line when it cannot be reached or is older than version 14, or when the driver `pg` is
 *   not installed
 */
export async function readPostgresCatalog(url: string): Promise<Catalog> {
  await checkDriver()
  const { readCatalogAt } = await import('./store.ts')
  return readCatalogAt(url)
}

/**
 * Reads the first 1,000 rows of tables of a PostgreSQL database without changing anything. What cannot be read in 3 seconds is
 * missing in the samples.
 * @returns a sample for each request, in their order
 */
export async function samplePostgres(
  url: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  await checkDriver()
  const { sampleTablesAt } = await import('./catalog/sample.ts')
  return sampleTablesAt(url, requests)
}

/** Checks the runtime and the driver, an optional peer dependency: a static import could not say how to install it. */
async function checkDriver(): Promise<void> {
  checkRuntime('lapidary/postgres')
  try {
    await import('pg')
  } catch (cause) {
    const message = 'lapidary/postgres needs the driver pg; install it with "npm install pg"'
    throw new Error(message, { cause })
  }
}
