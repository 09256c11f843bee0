import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import { type Order, wayKey } from '../plan/sort.ts'
import { columnAt } from './filter.ts'

/** An order as SQL: what must be joined for it, and its terms. */
export interface CompiledOrder {
  readonly joins: Sql
  readonly orderBy: Sql
}

/**
 * Writes an order as SQL. Joined tables are `s1`, `s2`, …; terms that go the same way share them.
 * Null counts as the largest value (SERVICE §5); where none can be, nothing is said of it, so that an index serves.
 */
export function compileOrder(order: readonly Order[]): CompiledOrder {
  const aliases = new Map<string, string>()
  const joins: Sql[] = []
  const terms = order.map(({ way, column, descending, nullable }) => {
    let at: (column: string) => Sql = (name) => columnAt(0, name)
    way.forEach(({ table, link }, step) => {
      const key = wayKey(way.slice(0, step + 1))
      const alias = aliases.get(key) ?? `s${aliases.size + 1}`
      const here = at(link.here)
      at = (name) => sql`${sql.id(alias)}.${sql.id(name)}`
      if (aliases.has(key)) return
      aliases.set(key, alias)
      joins.push(
        sql` left join ${sql.id(table)} as ${sql.id(alias)} on ${at(link.there)} = ${here}`,
      )
    })
    return sql`${at(column)} ${sql.raw(directionOf(descending, nullable))}`
  })
  return { joins: sql.join(joins, sql.raw('')), orderBy: sql.join(terms, sql.raw(', ')) }
}

function directionOf(descending: boolean, nullable: boolean): string {
  const direction = descending ? 'desc' : 'asc'
  if (!nullable) return direction
  return `${direction} nulls ${descending ? 'first' : 'last'}`
}
