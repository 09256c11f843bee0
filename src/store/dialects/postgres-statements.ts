import type { ReadShape } from '../../plan/read.ts'
import { perShape } from '../../plan/shape.ts'
import { membership } from '../read.ts'
import { isUnbounded, wholeAtMost } from '../run.ts'
import type { RunValues } from '../statement.ts'
import { type Statements, statementsFor } from '../statements.ts'
import type { Target } from '../tables.ts'
import { type Countable, compileCountable } from './postgres-counts.ts'
import { compileWhole, type WholeStatement } from './postgres-whole.ts'

/** The statements of a store on PostgreSQL, which reads all of a document by one. */
export interface PostgresStatements extends Statements {
  readonly whole: (shape: ReadShape) => WholeStatement
  /** The same of the resource that the transaction has made last. */
  readonly ofNew: (shape: ReadShape) => WholeStatement
  /** The same of no more than the first primary rows, one beyond `wholeAtMost`, where all of a list is asked for. */
  readonly short: (shape: ReadShape) => WholeStatement
  /** The same for a page whose count may be remembered. */
  readonly remembering: OfPage
  /** The same for a page that is read from the end, because its count is remembered. */
  readonly backwards: OfPage
  /** What that count is of; null where it may not be remembered. */
  readonly countable: (shape: ReadShape) => Countable | null
}

/** A statement of a page that takes so many rows from so far. */
type OfPage = (shape: ReadShape, place: Pick<RunValues, 'limit' | 'offset'>) => WholeStatement

/** Makes the statements of a model. */
export function postgresStatements(target: Target): PostgresStatements {
  const whole = perShape((shape: ReadShape) => compileWhole(shape, target))
  const start = perShape((shape: ReadShape) =>
    compileWhole(shape, target, { most: wholeAtMost + 1 }),
  )
  return {
    ...statementsFor(target),
    whole,
    ofNew: perShape((shape) => compileWhole(shape, { ...target, lastNew: target.dialect.lastNew })),
    short: (shape) => (isUnbounded(shape) ? start(shape) : whole(shape)),
    remembering: perReach(target, (shape, reach) =>
      compileWhole(shape, target, { remembers: true, reach }),
    ),
    backwards: perReach(target, (shape, reach) =>
      compileWhole(shape, target, { isBackwards: true, reach }),
    ),
    countable: perShape((shape) => compileCountable(shape, target)),
  }
}

/** A page that reaches farther takes longer to read than to plan. */
const farthest = 1024

/**
 * Keeps a statement of each shape for each power of two that its pages reach into a list without conditions. PostgreSQL
 * takes a limit that it does not know for a tenth of the table, so a plan that serves every page looks worse to it than one
 * for the page at hand, and it plans each page of a large table anew. Where no value decides what is read but how far, that
 * is in vain.
 */
function perReach(
  target: Target,
  make: (shape: ReadShape, reach: number | undefined) => WholeStatement,
): OfPage {
  const known = perShape((shape: ReadShape) => ({
    hasConditions: membership(shape, 0, target).length > 0,
    made: new Map<number | undefined, WholeStatement>(),
  }))
  return (shape, { limit = 0, offset = 0n }) => {
    const { hasConditions, made } = known(shape)
    const rows = limit + Number(offset)
    const reach = hasConditions || rows > farthest ? undefined : 2 ** Math.ceil(Math.log2(rows))
    const found = made.get(reach)
    if (found !== undefined) return found
    const fresh = make(shape, reach)
    made.set(reach, fresh)
    return fresh
  }
}
