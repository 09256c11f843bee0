import { getResourceType, type ResourceType } from '../model/model.ts'
import type { ReadShape } from '../plan/read.ts'
import type { WriteShape } from '../plan/write.ts'
import { type CompiledRead, compileExists, compileLock, compileRead } from './read.ts'
import type { Statement } from './statement.ts'
import { StatementCache, statementSize } from './statement-cache.ts'
import type { Target } from './tables.ts'
import { type CompiledWrite, compileDelete, compileLookup, compileWrite } from './write.ts'

/** The statements of a resource type that no shape changes. */
export interface TypeStatements {
  readonly resource: ResourceType
  /** Whether the resource with an id is there. */
  readonly exists: Statement
  /** Whether it is there, for a write that changes it. */
  readonly lock: Statement
  /** Which of some ids are there. */
  readonly lookup: Statement
  readonly remove: Statement
}

/** The statements of a store: each written once, those of a shape for as long as the cache keeps them. */
export interface Statements {
  readonly read: (shape: ReadShape) => CompiledRead
  readonly write: (shape: WriteShape) => CompiledWrite
  readonly ofType: (type: string) => TypeStatements
  readonly target: Target
}

/**
 * Makes the statements of a model in a dialect.
 * @param cache - where those of shapes are kept
 */
export function createStatements(target: Target, cache = new StatementCache()): Statements {
  const types = new Map(
    [...target.model.types.values()].map((resource): [string, TypeStatements] => [
      resource.type,
      {
        resource,
        exists: compileExists(resource, target),
        lock: compileLock(resource, target),
        lookup: compileLookup(resource, target),
        remove: compileDelete(resource, target),
      },
    ]),
  )
  return {
    target,
    read: cache.memoize((shape: ReadShape) => compileRead(shape, target), readSize),
    write: cache.memoize((shape: WriteShape) => compileWrite(shape, target), writeSize),
    ofType: (type) => {
      const found = types.get(getResourceType(target.model, type).type)
      if (found === undefined) throw new Error(`No statements are compiled for ${type}.`)
      return found
    },
  }
}

/** Those that are written later are as long as the rows' own, and the expressions that they are made from are kept. */
function readSize({ rows, count }: CompiledRead, { includeEdges }: ReadShape): number {
  return (6 + 2 * includeEdges.length) * statementSize(rows, count)
}

function writeSize({ insert, update, links, parent }: CompiledWrite): number {
  const own = [insert, update].filter((each) => each !== undefined)
  return statementSize(...own, ...links.flat(), ...parent)
}
