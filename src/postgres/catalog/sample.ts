import { HttpError } from '../../errors/errors.ts'
import {
  type SampleRequest,
  sampleTables,
  sampleTimeout,
  type TableSample,
} from '../../sql/sample-table.ts'
import { PostgresPool } from '../connection/connection-pool.ts'
import { postgresDialect } from '../dialect.ts'
import { isUnpopulated } from '../errors.ts'
import { chooseFoldingCollation, describeDatabase, readServerSettings } from './server-settings.ts'

/** Reads the first rows of tables; see `samplePostgres`. */
export async function sampleTablesAt(
  url: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  const pool = new PostgresPool(url, { poolSize: 1, timeout: sampleTimeout })
  try {
    const settings = await readServerSettings(pool, describeDatabase(url))
    return await sampleTables(requests, {
      dialect: postgresDialect(chooseFoldingCollation(settings), settings.isGenuine),
      all: (statement) => pool.shared.allUnprepared(statement),
      // A materialized view may get its data later.
      isTimeout: (error) =>
        isUnpopulated(error) || (error instanceof HttpError && error.code === 'query_timeout'),
    })
  } finally {
    await pool.close()
  }
}
