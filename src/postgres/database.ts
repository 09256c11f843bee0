import { PostgresAdapter, PostgresQueryCompiler } from 'kysely'
import type { Database } from '../model/database.ts'
import { createCodecs } from '../sql/array-codecs.ts'
import { createCompiler } from '../sql/create-compiler.ts'
import { postgresArrays } from './arrays.ts'
import { postgresCodecs } from './codecs.ts'
import { readPath } from './json-paths.ts'
import { textIndexes } from './text-indexes.ts'

/** What PostgreSQL states before a database is opened. */
export const postgres: Database = {
  name: 'postgres',
  title: 'PostgreSQL',
  codecs: createCodecs('postgres', postgresCodecs, postgresArrays),
  compiler: createCompiler(new PostgresAdapter(), () => new PostgresQueryCompiler()),
  readPath,
  textIndexes,
  plans: {
    isSorted: (plan) => plan.includes('Sort Key'),
    // An index returns the rows in order, and those with equal values are sorted by id.
    isPresorted: (plan) => plan.includes('Presorted Key'),
    usesExpressionIndex(plan, table) {
      const scans = [...plan.matchAll(/Seq Scan on (?:[^ .]+\.)?"?([^ "]+)/g)]
      return scans.every(([, scanned]) => scanned !== table)
    },
    showsExpressionIndex: () => false,
  },
  namesIndexes: false,
  indexesServeKeys: true,
  removesNegations: true,
  rowVersion: 'xmin',
}
