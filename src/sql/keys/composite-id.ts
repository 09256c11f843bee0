import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { type Operator, operators } from '../../model/kinds/operators.ts'
import type { ResourceType } from '../../model/model.ts'
import type { Comparison, ConditionTable } from '../filter/condition-table.ts'
import { columnAt, comparisonKey, sortKey, type Target } from '../tables.ts'
import { idParam, selectIdList, toKey } from './keys.ts'

/** Whether a field is an id over several columns. */
export function isCompositeId(field: string, { id }: ResourceType): boolean {
  return field === 'id' && id.parts.length > 1
}

/** Compiles whether a part of a composite id is null. */
export function compileIdIsNull(table: ConditionTable): Sql {
  return sql`(${sql.join(
    idColumnsOf(table).map((column) => sql`${column} is null`),
    sql.raw(' or '),
  )})`
}

function idColumnsOf({ resource, depth, column }: ConditionTable): Sql[] {
  return resource.id.columns.map((name) => (column ? column(name) : columnAt(depth, name)))
}

/** Compiles a comparison of a composite id: as row values, which compare column by column, in the order of the sort by id. */
export function compileIdComparison(
  { operator: name, parameters }: Comparison,
  table: ConditionTable,
  target: Target,
): Sql {
  const { id } = table.resource
  const operator: Operator = operators[name]
  const left = compileIdOperand(table, operator, target)
  const [first, ...others] = parameters.map((parameter) =>
    operator.takes === 'list'
      ? selectIdList(parameter, id, target.dialect)
      : idParam(parameter, id, target.dialect),
  )
  if (first === undefined) throw new Error(`The operator ${name} was planned without a value.`)
  const inList = (key: Sql, list: Sql) => sql`${key} in (${list})`
  return operator.write(left, [first, ...others], { ...target.dialect, inList })
}

/** Compiles a composite id as an operand; as sort keys if the operator needs an order. */
export function compileIdOperand(
  table: ConditionTable,
  { requires }: Operator,
  target: Target,
): Sql {
  const compile = requires === 'ordered' ? sortKey : comparisonKey
  const { parts } = table.resource.id
  const columns = idColumnsOf(table)
  return toKey(columns.map((column, at) => compile(column, parts[at]?.kind.codec ?? 'id', target)))
}
