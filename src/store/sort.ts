import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import type { Order } from '../plan/sort.ts'
import { columnAt } from './filter.ts'

/** An order as SQL: what must be joined for it, and its terms. */
export interface CompiledOrder {
  readonly joins: Sql
  readonly orderBy: Sql
}

/**
 * Writes an order as SQL. Joined tables are `s0_1`, `s0_2`, …: the term's number, then the step's.
 * Null counts as the largest value (SERVICE §5); where none can be, nothing is said of it, so that an index serves.
 */
export function compileOrder(order: readonly Order[]): CompiledOrder {
  const joins: Sql[] = []
  const terms = order.map(({ way, column, descending, nullable }, term) => {
    let at: (column: string) => Sql = (name) => columnAt(0, name)
    way.forEach(({ table, link }, step) => {
      const here = at(link.here)
      const alias = `s${term}_${step}`
      at = (name) => sql`${sql.ref(alias)}.${sql.ref(name)}`
      joins.push(
        sql` left join ${sql.table(table)} as ${sql.table(alias)} on ${at(link.there)} = ${here}`,
      )
    })
    const direction = descending
      ? nullable
        ? 'desc nulls first'
        : 'desc'
      : nullable
        ? 'asc nulls last'
        : 'asc'
    return sql`${at(column)} ${sql.raw(direction)}`
  })
  return { joins: sql.join(joins, sql.raw('')), orderBy: sql.join(terms, sql.raw(', ')) }
}
