import type { ReadShape } from '../../plan/read.ts'
import { perShape } from '../../plan/shape.ts'
import type { Statement } from '../statement.ts'
import { type Statements, statementsFor } from '../statements.ts'
import type { Target } from '../tables.ts'
import { compileWhole } from './postgres-whole.ts'

/** The statements of a store on PostgreSQL, which reads all of a document by one. */
export interface PostgresStatements extends Statements {
  readonly whole: (shape: ReadShape) => Statement
}

/** Makes the statements of a model. */
export function postgresStatements(target: Target): PostgresStatements {
  return {
    ...statementsFor(target),
    whole: perShape((shape: ReadShape) => compileWhole(shape, target)),
  }
}
