import type { PathDatabase } from '../model/kinds/json-paths.ts'
import { type Sql, sql } from '../model/sql.ts'

/** Compiles the value at a path. */
export const readPath: PathDatabase['readPath'] = (column, names, { json, pattern }) => {
  const path = sql.lit(`$${names.map((name) => `."${name}"`).join('')}`)
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`
  const ifValue = (isValue: Sql, then: Sql) =>
    sql`iif(json_valid(${column}) and ${isValue}, ${then}, null)`
  switch (json) {
    case 'string': {
      const matches = pattern ? sql` and ${value} glob ${sql.lit(pattern[1])}` : sql``
      return ifValue(sql`${type} = 'text'${matches}`, value)
    }
    case 'boolean':
      return ifValue(sql`${type} in ('true', 'false')`, value)
    case 'integer': {
      const whole = sql`cast(${value} as integer)`
      return ifValue(sql`${type} in ('integer', 'real') and ${value} = ${whole}`, whole)
    }
    case 'number': {
      const isInRange = sql`abs(cast(${value} as real)) <= 1.7976931348623157e308`
      return ifValue(
        sql`${type} in ('integer', 'real') and ${isInRange}`,
        sql`cast(${value} as real)`,
      )
    }
  }
}
