import { getResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { readBudget } from '../../sql/read/document-budget.ts'
import type { RunValues } from '../../sql/statement.ts'
import type { Target } from '../../sql/tables.ts'
import {
  compileDocumentStatement,
  type DocumentOptions,
  type DocumentStatement,
} from './document-statement.ts'

// Generic plans for bounded pages. PostgreSQL expects `limit $1 offset $2` to return a tenth of a table, so
// the generic plan of a prepared statement looks more expensive than a plan for the values at hand, and each page of a large
// table is planned again. A page of a list without conditions is selected from a subquery with a constant limit instead: the
// smallest power of two that is at least offset plus limit. At 100,000 rows this saves a third of the cost of row `list` of the
// benchmark.
//
// Invariant: the subquery contains every row of the page. With conditions, whose best plan depends on their values, and for
// pages beyond `maxRowBound`, the plain statement is used.

/** Returns the statement for a page with a limit and an offset. */
export type PageStatement = (
  shape: ReadShape,
  window: Pick<RunValues, 'limit' | 'offset'>,
) => DocumentStatement

/** To read a page beyond this row takes longer than to plan it. */
const maxRowBound = 1024

/** Memoizes the statements of a page for each row bound: the powers of two up to `maxRowBound`. */
export function memoizeByRowBound(
  target: Target,
  memoize: (
    compile: (shape: ReadShape) => DocumentStatement,
  ) => (shape: ReadShape) => DocumentStatement,
  options: Omit<DocumentOptions, 'budget'>,
): PageStatement {
  const compile = (rowBound?: number) =>
    memoize((shape) =>
      compileDocumentStatement(shape, target, { ...options, budget: readBudget, rowBound }),
    )
  const unbounded = compile()
  const bounded = Array.from({ length: 1 + Math.log2(maxRowBound) }, (_, power) =>
    compile(2 ** power),
  )
  return (shape, { limit = 0, offset = 0 }) => {
    const { scope } = getResourceType(target.model, shape.type)
    const hasConditions = (scope ?? shape.where) !== undefined || shape.addressed.is !== 'all'
    if (hasConditions || shape.cursors) return unbounded(shape)
    const power = Math.ceil(Math.log2(limit + offset))
    return (bounded[Math.max(power, 0)] ?? unbounded)(shape)
  }
}
