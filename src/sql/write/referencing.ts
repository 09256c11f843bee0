import { sql } from 'kysely'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { Identity } from '../../plan/access/identity.ts'
import type { ReferencingShape } from '../../plan/referencing.ts'
import { isInIdList, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { addAuth } from '../read/run-values.ts'
import { compileSelection } from '../read/select.ts'
import { compileStatement, type RunStatement, rawParam, type Statement } from '../statement.ts'
import { and, columnsAt, inScope, type Target, tableAt } from '../tables.ts'

/** Compiles the read of the rows that reference rows with the given `ids`, as far as the request may read them. `maxRows` limits them. */
export function compileReferencing({ layout, over }: ReferencingShape, target: Target): Statement {
  const { model, dialect } = target
  const owner = getResourceType(model, over.type)
  const { link, to } = getRelationship(owner, over.relationship)
  const isOwn = link.foreignKey === 'own'
  const referencing = getResourceType(model, layout.type)
  const { table, id } = isOwn ? getResourceType(model, to) : owner
  const foreignKey = linkKeyAt(link, isOwn ? 'ownKey' : 'otherKey', 0)
  const key = linkKeyAt(link, isOwn ? 'otherKey' : 'ownKey', 1)
  const isListed = isInIdList(columnsAt(1, id.columns), 'ids', id, dialect)
  const keys = sql`select ${sql.join(key)} from ${tableAt(1, table)} where ${isListed}`
  const where = and([sql`${toKey(foreignKey)} in (${keys})`, ...inScope(0, referencing)])
  const { columns } = compileSelection(layout, target)
  const from = tableAt(0, referencing.table)
  return compileStatement(
    sql`select ${sql.join(columns)} from ${from} where ${where} limit ${rawParam('maxRows')} + 0`,
    dialect,
  )
}

/** Which rows reference others, as far as an identity may read them. */
export interface ReferencingQuestion {
  readonly identity: Identity | undefined
  readonly shape: ReferencingShape
  /** One at least. */
  readonly ids: readonly string[]
  readonly maxRows: number
}

/** Runs the statement that answers the question. @returns the ids of the rows */
export async function findReferencing(
  { identity, ids, maxRows }: ReferencingQuestion,
  statement: Statement,
  run: RunStatement,
): Promise<readonly string[]> {
  const rows = await run(statement, addAuth({ planValues: [], ids, maxRows }, identity))
  return rows.map(([id]) => String(id))
}
