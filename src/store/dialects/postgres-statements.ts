import type { ReadShape } from '../../plan/read.ts'
import { perShape } from '../../plan/shape.ts'
import { isUnbounded, wholeAtMost } from '../run.ts'
import { type Statements, statementsFor } from '../statements.ts'
import type { Target } from '../tables.ts'
import { type Countable, compileCountable } from './postgres-counts.ts'
import { compileWhole, type WholeStatement } from './postgres-whole.ts'

/** The statements of a store on PostgreSQL, which reads all of a document by one. */
export interface PostgresStatements extends Statements {
  readonly whole: (shape: ReadShape) => WholeStatement
  /** The same of no more than the first primary rows, one beyond `wholeAtMost`, where all of a list is asked for. */
  readonly short: (shape: ReadShape) => WholeStatement
  /** The same for a page whose count may be remembered. */
  readonly remembering: (shape: ReadShape) => WholeStatement
  /** The same for a page that is read from the end, because its count is remembered. */
  readonly backwards: (shape: ReadShape) => WholeStatement
  /** What that count is of; null where it may not be remembered. */
  readonly countable: (shape: ReadShape) => Countable | null
}

/** Makes the statements of a model. */
export function postgresStatements(target: Target): PostgresStatements {
  const whole = perShape((shape: ReadShape) => compileWhole(shape, target))
  const start = perShape((shape: ReadShape) =>
    compileWhole(shape, target, { most: wholeAtMost + 1 }),
  )
  return {
    ...statementsFor(target),
    whole,
    short: (shape) => (isUnbounded(shape) ? start(shape) : whole(shape)),
    remembering: perShape((shape) => compileWhole(shape, target, { remembers: true })),
    backwards: perShape((shape) => compileWhole(shape, target, { isBackwards: true })),
    countable: perShape((shape) => compileCountable(shape, target)),
  }
}
