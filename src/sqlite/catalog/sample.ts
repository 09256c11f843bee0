import { sql } from 'kysely'
import { HttpError } from '../../errors/errors.ts'
import {
  type SampleRequest,
  type SampleSource,
  sampleTables,
  sampleTimeout,
  type TableSample,
} from '../../sql/sample-table.ts'
import { sqliteDialect } from '../dialect.ts'
import { LimitedReader } from '../readers/limited-reader.ts'
import { isIdPart } from './stored-rows.ts'

/**
 * Reads the first 1,000 rows of tables without creating or changing a file. The statements run in a process that is killed when one
 * takes too long.
 * @returns a sample for each request, in their order
 */
export async function sampleSqlite(
  path: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  const reader = new LimitedReader(path, sampleTimeout)
  const source: SampleSource = {
    dialect: sqliteDialect,
    isIdPart,
    typeOf: (column) => sql`typeof(${column})`,
    all: (statement) => reader.all(statement),
    isTimeout: (error) => error instanceof HttpError && error.code === 'query_timeout',
  }
  try {
    return await sampleTables(requests, source)
  } finally {
    reader.close()
  }
}
