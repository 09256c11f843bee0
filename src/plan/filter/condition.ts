import type { OperatorName } from '../../model/kinds/operators.ts'
import type { RuleValue, readRuleOperand } from '../access/rule-value.ts'

/**
 * A bind parameter: an index into the client's values, which are passed separately from the query shape. In the condition of a rule it is the
 * value itself, because a rule is not a part of a query shape.
 */
export type Parameter = number | RuleValue

/** The client's values; planning a filter appends to them. */
export interface PlanParameters {
  /** By parameter number. */
  readonly values: unknown[]
  /** The parameters that were sent as `filter[name]=text`, in the order sent. */
  readonly textParameters: TextParameter[]
  /** Reads the operands of a rule, whose values are not those of a client. */
  readonly readRuleOperand?: typeof readRuleOperand
}

/** A parameter that was sent as `filter[name]=text`. */
export interface TextParameter {
  readonly parameter: number
  /** Reads another text as a value of the same field; the rest of the plan stays the same. @throws ApiError if it is invalid */
  readonly read: (text: string) => unknown
}

/** A filter whose names are resolved and whose values are read as values of their field's kind. */
export type Condition =
  | Readonly<{
      is: 'compare'
      operator: OperatorName
      field: string
      parameters: readonly Parameter[]
      /** True if the value meets `Operator.simpler`, so that the simpler SQL suffices. */
      isSimple?: boolean
    }>
  | Readonly<{ is: 'fields'; operator: OperatorName; field: string; other: string }>
  | Readonly<{ is: 'null'; field: string }>
  /** An operator of a kind that a program defines. */
  | Readonly<{ is: 'custom'; operator: string; field: string; parameter: Parameter }>
  | Readonly<{
      is: 'related'
      relationship: string
      where: Condition | undefined
      /** True if the database must not turn the subquery into a join (`maxJoinedSubqueries`). */
      preventPullUp?: boolean
    }>
  | Readonly<{
      is: 'count'
      relationship: string
      operator: OperatorName
      parameter: Parameter
      /** Whether a resource without related resources matches. */
      includesZero: boolean
      preventPullUp?: boolean
    }>
  | Readonly<{
      is: 'call'
      /** The name of the query. */
      query: string
      /** In the order of the parameters of the query. */
      parameters: readonly Parameter[]
      preventPullUp?: boolean
    }>
  | Readonly<{ is: 'and' | 'or'; all: readonly [Condition, ...Condition[]] }>
  | Readonly<{ is: 'not'; inner: Condition }>
