import type { Identity } from '../plan/access/identity.ts'
import type { ReadShape } from '../plan/read.ts'
import {
  compileReadSequence,
  type ReadSequence,
  readSequenceSize,
} from '../sql/read/read-sequence.ts'
import type { StatementCache } from '../sql/statement-cache.ts'
import { createStatements, type Statements } from '../sql/statements.ts'
import type { Target } from '../sql/tables.ts'

/** The statements of a store on SQLite. */
export interface SqliteStatements extends Statements {
  readonly readSequence: (shape: ReadShape) => ReadSequence
}

/** Returns the statements of an identity; those without rules for `undefined`. */
export type SqliteStatementsOf = (identity: Identity | undefined) => SqliteStatements

/** Creates the statements of a model for SQLite. @param cache - holds the statements of query shapes */
export function createSqliteStatements(target: Target, cache: StatementCache): SqliteStatements {
  return {
    ...createStatements(target, cache),
    readSequence: cache.memoize((shape) => compileReadSequence(shape, target), readSequenceSize),
  }
}
