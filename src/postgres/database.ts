import { PostgresAdapter, PostgresQueryCompiler } from 'kysely'
import { findColumnErrors, formatColumn } from '../model/check/check-columns.ts'
import type { Database, TextIndexes } from '../model/database.ts'
import type { PathDatabase } from '../model/kinds/json-paths.ts'
import { sql } from '../model/sql.ts'
import { createCodecs } from '../sql/array-codecs.ts'
import { createCompiler } from '../sql/create-compiler.ts'
import { formatArray, postgresArrays } from './arrays.ts'
import { postgresCodecs } from './codecs.ts'

/** Compiles the value at a path. `json` and `jsonb` both have these operators. The first character of JSON text determines its type. */
const readPath: PathDatabase['readPath'] = (column, names, { json, pattern }) => {
  const path = sql.lit(formatArray(names))
  const text = sql`(${column} #>> ${path})`
  const start = sql`left((${column} #> ${path})::text, 1)`
  const numeric = sql`(case when ${start} between '-' and '9' then ${text}::numeric end)`
  switch (json) {
    case 'string': {
      const isValue = pattern
        ? sql`${start} = '"' and ${text} ~ ${sql.lit(pattern[0])}`
        : sql`${start} = '"'`
      // With the collation of sorts, one index serves sorts and comparisons.
      return sql`((case when ${isValue} then ${text} end) collate "C")`
    }
    case 'boolean':
      return sql`(case when ${start} in ('t', 'f') then ${text}::boolean end)`
    case 'integer':
      return sql`(case when ${numeric} = trunc(${numeric}) and ${numeric} between -9223372036854775808 and 9223372036854775807 then ${numeric}::bigint end)`
    case 'number':
      // Outside of these bounds the conversion would be an error.
      return sql`(case when abs(${numeric}) < 2.4703282292062328e-324 then 0 when abs(${numeric}) <= 1.7976931348623157e308 then ${numeric}::double precision end)`
  }
}

/** Columns of the type `tsvector`. */
const textIndexes: TextIndexes = {
  isDeclared: ({ tsvector }) => tsvector !== undefined,
  example: "{ tsvector: '<column>' }",
  findErrors({ location, index: { tsvector = '' }, table }) {
    const position = `${location}.tsvector`
    const errors = findColumnErrors({ location: position, column: tsvector }, table)
    const type = table.columns.get(tsvector)?.type
    if (errors.length > 0 || type === 'tsvector') return errors
    return [
      `${position}: ${formatColumn(tsvector, table)} has the type "${type}"; it must be tsvector`,
    ]
  },
  match({ tsvector = '', config = 'simple' }, columnOf, words) {
    return sql`${columnOf(tsvector)} @@ plainto_tsquery(${sql.lit(config)}::regconfig, ${words})`
  },
}

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
    sortsAll: (plan) => /^\s*(?:->\s+)?Sort$/m.test(plan),
    listIndexes: (plan) =>
      [...plan.matchAll(/Index (?:Only )?Scan (?:Backward )?using (\S+)/g)].map(
        ([, name = '']) => name,
      ),
    isPresorted: (plan) => plan.includes('Presorted Key'),
    usesExpressionIndex(plan, table) {
      const scans = [...plan.matchAll(/Seq Scan on (?:[^ .]+\.)?"?([^ "]+)/g)]
      return scans.every(([, scanned]) => scanned !== table)
    },
    showsExpressionIndex: () => false,
  },
  namesIndexes: false,
  indexesEndWithId: false,
  indexesServeKeys: true,
  removesNegations: true,
  rowVersion: 'xmin',
}
