import { sql } from 'kysely'
import { getResourceType } from '../../model/model.ts'
import { findRowCondition, type Identity } from '../../plan/access/identity.ts'
import type { RuleKey } from '../../plan/access/rule-key.ts'
import { isInIdList } from '../keys/keys.ts'
import { addAuth } from '../read/run-values.ts'
import { compileStatement, type RunStatement, type Statement } from '../statement.ts'
import type { Statements } from '../statements.ts'
import { and, columnAt, columnsAt, idColumn, isRowInScope, tableAt } from '../tables.ts'
import { compileRowCondition } from './restrict.ts'

/** Resources of a type, and the rules that are evaluated on them. */
export interface AllowedQuestion {
  readonly identity: Identity
  readonly type: string
  readonly ids: readonly string[]
  readonly operations: readonly RuleKey[]
}

/** The operations that the rules allow, by id. A resource that does not exist for the identity is absent. */
export type AllowedOperations = ReadonlyMap<string, ReadonlySet<RuleKey>>

/** Compiles the statement that evaluates rules on resources. */
export function compileAllowed(
  { type, operations }: AllowedQuestion,
  { target }: Statements,
): Statement {
  const resource = getResourceType(target.model, type)
  const column = (name: string) => columnAt(0, name)
  const rules = operations.map((operation) => {
    const condition = findRowCondition(target.access?.rules, type, operation)
    const rule = compileRowCondition(condition, { resource, column, isOfRow: true }, target)
    return sql`case when ${rule} then 1 else 0 end`
  })
  const isListed = isInIdList(columnsAt(0, resource.id.columns), 'ids', resource.id, target.dialect)
  const where = and([isListed, ...isRowInScope(resource)])
  const select = sql.join([idColumn(resource, target), ...rules])
  return compileStatement(
    sql`select ${select} from ${tableAt(0, resource.table)} where ${where}`,
    target.dialect,
  )
}

/** Evaluates rules on resources. @param statement - that of `compileAllowed` */
export async function findAllowed(
  { identity, ids, operations }: AllowedQuestion,
  statement: Statement,
  run: RunStatement,
): Promise<AllowedOperations> {
  const rows = await run(statement, addAuth({ planValues: [], ids }, identity))
  return new Map(
    rows.map(([id, ...allowed]) => [
      String(id),
      new Set(operations.filter((_, index) => Number(allowed[index]) === 1)),
    ]),
  )
}
