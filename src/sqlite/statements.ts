import type { Identity } from '../plan/access/identity.ts'
import type { ReadShape } from '../plan/read.ts'
import { compileFullRead, type FullRead, fullReadSize } from '../sql/read/full-read.ts'
import type { StatementCache } from '../sql/statement-cache.ts'
import { createStatements, type Statements } from '../sql/statements.ts'
import type { Target } from '../sql/tables.ts'

/** The statements of a store on SQLite. */
export interface SqliteStatements extends Statements {
  readonly fullRead: (shape: ReadShape) => FullRead
}

/** Returns the statements of an identity; those without rules for `undefined`. */
export type SqliteStatementsOf = (identity: Identity | undefined) => SqliteStatements

/** Creates the statements of a model for SQLite. @param cache - holds the statements of query shapes */
export function createSqliteStatements(target: Target, cache: StatementCache): SqliteStatements {
  return {
    ...createStatements(target, cache),
    fullRead: cache.memoize((shape) => compileFullRead(shape, target), fullReadSize),
  }
}
