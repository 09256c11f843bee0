import { sql } from 'kysely'
import { HeaderError } from '../../errors/errors.ts'
import {
  type SampleRequest,
  type SampleSource,
  sampleTables,
  sampleTimeout,
  type TableSample,
} from '../sample-table.ts'
import type { Statement } from '../statement.ts'
import { sqliteDialect } from './dialect.ts'
import { isIdPart } from './id-parts.ts'
import { Reader } from './reader.ts'

/**
 * Reads the first 1,000 rows of tables without creating or changing a file. The statements run in a process that is killed when one
 * takes too long.
 * @returns a sample for each request, in their order
 */
export async function sampleSqlite(
  path: string,
  requests: readonly SampleRequest[],
): Promise<readonly TableSample[]> {
  let reader: Reader | undefined
  const open = () => new Reader(path, () => {}, { role: 'introspector' })
  const all = async (statement: Statement) => {
    if (!reader?.isAlive) {
      reader = open()
      // The time of the sample is that of its statements.
      await reader.waitForStart()
    }
    const deadline = { remaining: sampleTimeout, timeout: sampleTimeout }
    const reply = await reader.request({ do: 'all', sql: statement.sql, values: [] }, deadline)
    if (reply.is === 'rows') return reply.rows
    throw new Error('message' in reply ? reply.message : `unexpected reply ${reply.is}`)
  }
  const source: SampleSource = {
    dialect: sqliteDialect,
    isIdPart,
    typeOf: (column) => sql`typeof(${column})`,
    all,
    isTimeout: (error) => error instanceof HeaderError && error.code === 'query_timeout',
  }
  try {
    return await sampleTables(requests, source)
  } finally {
    reader?.kill()
  }
}
