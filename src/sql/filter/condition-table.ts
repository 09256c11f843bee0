import type { Sql } from '../../model/dialect.ts'
import type { ResourceType } from '../../model/model.ts'
import type { Condition } from '../../plan/filter/condition.ts'

/** A comparison of a field with values of the client. */
export type Comparison = Extract<Condition, { is: 'compare' }>

/** The table `t<depth>` of a statement, whose rows a condition is about. */
export interface ConditionTable {
  readonly resource: ResourceType
  readonly depth: number
  /** Compiles the columns of the rows; absent: they are those of `t<depth>`. */
  readonly column?: (name: string) => Sql
  /** Whether the condition is inside a `not`, where null must not stand for false. */
  readonly isNegated?: boolean
  /** Whether the statement looks up few rows of `t<depth>` by their ids, so that subqueries start from the row. */
  readonly isOfRow?: boolean
}
