import { getResourceType, type ResourceType } from '../model/model.ts'
import type { MembersShape } from '../plan/members.ts'
import type { ReadShape } from '../plan/read.ts'
import type { WriteShape } from '../plan/write.ts'
import { compileMembers } from './members.ts'
import { type CompiledRead, compileExists, compileLock, compileRead } from './read.ts'
import type { Statement } from './statement.ts'
import { StatementCache, statementSize } from './statement-cache.ts'
import type { Target } from './tables.ts'
import { type CompiledWrite, compileDelete, compileLookup, compileWrite } from './write.ts'

/** The statements of a resource type that are the same for every query shape. */
export interface TypeStatements {
  readonly resource: ResourceType
  /** Returns a row if the resource with the id exists. */
  readonly exists: Statement
  /** The same, and locks the row for a write. */
  readonly lock: Statement
  /** Returns which of the ids exist. */
  readonly lookup: Statement
  readonly remove: Statement
}

/** The statements of a store. Those of a query shape are compiled again after the cache has evicted them. */
export interface Statements {
  readonly read: (shape: ReadShape) => CompiledRead
  readonly write: (shape: WriteShape) => CompiledWrite
  readonly members: (shape: MembersShape) => Statement
  readonly ofType: (type: string) => TypeStatements
  readonly target: Target
}

/**
 * Creates the statements of a model for a dialect.
 * @param cache - holds the statements of query shapes
 */
export function createStatements(target: Target, cache = new StatementCache()): Statements {
  const types = new Map(
    [...target.model.types.values()].map((resource): [string, TypeStatements] => [
      resource.type,
      createTypeStatements(resource, target),
    ]),
  )
  return {
    target,
    read: cache.memoize((shape: ReadShape) => compileRead(shape, target), readSize),
    write: cache.memoize((shape: WriteShape) => compileWrite(shape, target), writeSize),
    members: cache.memoize(
      (shape: MembersShape) => compileMembers(shape, target),
      (statement) => statementSize(statement),
    ),
    ofType: (type) => {
      const found = types.get(getResourceType(target.model, type).type)
      if (found === undefined) throw new Error(`No statements are compiled for ${type}.`)
      return found
    },
  }
}

/** Those that depend on the triggers of the table are compiled when they are used: the table may not exist before. */
function createTypeStatements(resource: ResourceType, target: Target): TypeStatements {
  let lock: Statement | undefined
  let remove: Statement | undefined
  return {
    resource,
    exists: compileExists(resource, target),
    lookup: compileLookup(resource, target),
    get lock() {
      lock ??= compileLock(resource, target)
      return lock
    },
    get remove() {
      remove ??= compileDelete(resource, target)
      return remove
    },
  }
}

/** Estimates the memory of a read. Statements that are compiled later are as long as that of the rows. */
function readSize({ rows, count }: CompiledRead, { includeEdges }: ReadShape): number {
  return (6 + 2 * includeEdges.length) * statementSize(rows, count)
}

function writeSize({ insert, insertedId, update, links, parent }: CompiledWrite): number {
  const own = [insert, insertedId, update].filter((each) => each !== undefined)
  return statementSize(...own, ...links.flat(), ...parent)
}
