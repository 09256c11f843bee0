import type { PathDatabase } from '../model/kinds/json-paths.ts'
import { sql } from '../model/sql.ts'
import { formatArray } from './arrays.ts'

/** Compiles the value at a path. `json` and `jsonb` both have these operators. The first character of JSON text determines its type. */
export const readPath: PathDatabase['readPath'] = (column, names, { json, pattern }) => {
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
