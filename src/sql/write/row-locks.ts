import { type RowLock, type Sql, sql } from '../../model/dialect.ts'
import type { ResourceType, Table } from '../../model/model.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, idOrder, type Target, tableAt } from '../tables.ts'

// What a write is allowed depends on stored rows, which other transactions change at the same time. In *read committed* each statement
// sees what is committed when it begins, and one that waits for a row sees that row as it is afterwards, but all others as they were.
// So a write locks the rows first, and later statements check and change them.

/** Compiles the clause that locks the selected rows of a table; empty where the database need not or cannot lock them. */
export function compileLockClause(table: Table, lock: RowLock, { dialect, facts }: Target): Sql {
  return (facts.triggersOf(table)?.cannotLock ? undefined : dialect.locks?.[lock]) ?? sql``
}

/**
 * Compiles the statement that locks rows before they are checked, in the order of their ids. It may return fewer rows than the
 * checks do: PostgreSQL locks those only that the role may update.
 * @param where - about `t0`
 * @returns none where the database need not or cannot lock them, or where a role of requests may not
 */
export function compileRowLock(
  { id, table }: ResourceType,
  where: readonly Sql[],
  lock: RowLock,
  target: Target,
): readonly Statement[] {
  const { dialect, facts } = target
  const canLock = dialect.locks !== undefined && !facts.triggersOf(table)?.cannotLock
  if (!canLock || !facts.mayLock(table)) return []
  const rows = sql`select 1 from ${tableAt(0, table)} where ${and(where)} order by ${idOrder(0, id, target)}`
  return [compileStatement(sql`${rows}${compileLockClause(table, lock, target)}`, dialect)]
}
