import { SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import type { Database } from '../model/database.ts'
import { createCodecs } from '../sql/array-codecs.ts'
import { createCompiler } from '../sql/create-compiler.ts'
import { sqliteArrays } from './arrays.ts'
import { sqliteCodecs } from './codecs.ts'
import { readPath } from './json-paths.ts'
import { textIndexes } from './text-indexes.ts'

/** What SQLite states before a database is opened. */
export const sqlite: Database = {
  name: 'sqlite',
  title: 'SQLite',
  codecs: createCodecs('sqlite', sqliteCodecs, sqliteArrays),
  compiler: createCompiler(new SqliteAdapter(), () => new SqliteQueryCompiler()),
  readPath,
  textIndexes,
  plans: {
    isSorted: (plan) => plan.includes('USE TEMP B-TREE FOR ORDER BY'),
    isPresorted: () => false,
    usesExpressionIndex: (plan) => plan.includes('<expr>'),
    showsExpressionIndex: (plan) => plan.includes('(<expr>'),
  },
  namesIndexes: true,
  indexesServeKeys: false,
  removesNegations: false,
  // The driver would bind null instead of some objects.
  canBind: (value) => typeof value !== 'object' || value === null || ArrayBuffer.isView(value),
}
