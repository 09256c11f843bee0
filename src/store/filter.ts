import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import { operators } from '../model/operators.ts'
import type { Condition } from '../plan/filter.ts'
import { list, one } from './statement.ts'

/** The column of the table that is called `t<depth>` in the statement. */
export function columnAt(depth: number, column: string): Sql {
  return sql`${sql.id(`t${depth}`)}.${sql.id(column)}`
}

/** A table under the name it has at a depth. */
export function tableAt(depth: number, table: string): Sql {
  return sql`${sql.id(table)} as ${sql.id(`t${depth}`)}`
}

/** Writes a condition as SQL. Tables are `t0`, `t1`, …: one deeper for each relationship followed. */
export function compileCondition(condition: Condition, dialect: Dialect, depth = 0): Sql {
  switch (condition.is) {
    case 'compare': {
      const { takes, write } = operators[condition.operator]
      const place = takes === 'list' ? list : one
      const [first, ...others] = condition.slots.map((slot) => place(slot, condition.form, dialect))
      if (first === undefined)
        throw new Error(`The operator ${condition.operator} was planned without a value.`)
      return write(columnAt(depth, condition.column), [first, ...others] as never, dialect)
    }
    case 'fields':
      return operators[condition.operator].write(
        columnAt(depth, condition.column),
        [columnAt(depth, condition.other)] as never,
        dialect,
      )
    case 'null':
      return sql`${columnAt(depth, condition.column)} is null`
    case 'related':
      return compileRelated(condition, dialect, depth)
    case 'and':
    case 'or': {
      const parts = condition.all.map((part) => compileCondition(part, dialect, depth))
      return sql`(${balanced(parts, sql.raw(` ${condition.is} `))})`
    }
    case 'not':
      return sql`not (${compileCondition(condition.inner, dialect, depth)})`
  }
}

/**
 * Whether the row is linked to one that meets the condition: true or false, never unknown, hence the tests for null.
 * The subquery does not depend on the row, so it runs once however many rows there are and however deep it nests.
 */
function compileRelated(
  { table, link, where }: Extract<Condition, { is: 'related' }>,
  dialect: Dialect,
  depth: number,
): Sql {
  const here = columnAt(depth, link.here)
  const there = columnAt(depth + 1, link.there)
  const inner = where && compileCondition(where, dialect, depth + 1)
  const from = tableAt(depth + 1, table)
  if (link.key === 'here') {
    const among = inner
      ? sql`select ${there} from ${from} where ${inner}`
      : sql`select ${there} from ${from}`
    return sql`(${here} is not null and ${here} in (${among}))`
  }
  const isKey = sql`${there} is not null`
  const which = inner ? sql`${isKey} and ${inner}` : isKey
  return sql`${here} in (select ${there} from ${from} where ${which})`
}

/** Joins by halves: databases bound the depth of an expression, and a thousand parts in a row are a thousand deep. */
function balanced(parts: readonly Sql[], separator: Sql): Sql {
  if (parts.length <= 8) return sql.join(parts, separator)
  const half = parts.length >> 1
  return sql`(${balanced(parts.slice(0, half), separator)})${separator}(${balanced(parts.slice(half), separator)})`
}
