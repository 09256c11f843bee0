import { type RowLock, type Sql, sql } from '../../model/dialect.ts'
import type { KeyColumns, ResourceType, Table } from '../../model/model.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, idOrder, type Target, tableAt } from '../tables.ts'

// What a write is allowed depends on stored rows, which other transactions change at the same time. In *read committed* each statement
// sees what is committed when it begins, and one that waits for a row sees that row as it is afterwards, but all others as they were.
// So a write locks the rows first, and later statements check and change them.

/**
 * Compiles the clause that locks the selected rows of a table; empty where the database need not or cannot lock them.
 * @param key - the columns whose values the statement gives: rows of a distributed table are locked only where they show the server
 */
export function compileLockClause(
  table: Table,
  { lock, key }: Readonly<{ lock: RowLock; key: KeyColumns }>,
  { dialect, facts }: Target,
): Sql {
  const sharding = facts.shardingOf(table)
  const isOnOneServer = sharding === undefined || key.includes(sharding.column)
  const canLock = isOnOneServer && !facts.triggersOf(table)?.cannotLock
  return (canLock ? dialect.locks?.[lock] : undefined) ?? sql``
}

/**
 * Compiles the statement that locks rows before they are checked, in the order of their ids. It may return fewer rows than the
 * checks do: PostgreSQL locks those only that the role may update.
 * @param where - about `t0`
 * @returns none where the database need not or cannot lock them, as those of several servers, or where a role of requests may not
 */
export function compileRowLock(
  { id, table }: ResourceType,
  where: readonly Sql[],
  lock: RowLock,
  target: Target,
): readonly Statement[] {
  const { dialect, facts } = target
  const isSharded = facts.shardingOf(table) !== undefined
  const canLock = dialect.locks !== undefined && !isSharded && !facts.triggersOf(table)?.cannotLock
  if (!canLock || !facts.mayLock(table)) return []
  const rows = sql`select 1 from ${tableAt(0, table)} where ${and(where)} order by ${idOrder(0, id, target)}`
  return [
    compileStatement(
      sql`${rows}${compileLockClause(table, { lock, key: id.columns }, target)}`,
      dialect,
    ),
  ]
}
