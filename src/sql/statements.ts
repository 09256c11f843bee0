import type { RowLock } from '../model/dialect.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { getResourceType, type ResourceType } from '../model/model.ts'
import type { MembersShape } from '../plan/members.ts'
import type { ReadShape } from '../plan/read.ts'
import type { ReferencingShape } from '../plan/referencing.ts'
import type { RowLayout } from '../plan/row-layout.ts'
import type { WritePlan, WriteShape } from '../plan/write.ts'
import type { AccessCheck } from './access/access-check.ts'
import { compileChangedMemberChecks } from './access/link-checks.ts'
import { type AccessChecks, compileAccessChecks } from './access/write-checks.ts'
import { type CompiledRead, compileExists, compileLock, compileRead } from './read/compile-read.ts'
import { showsRowsOnly } from './read/read-tables.ts'
import { compileLoad } from './read/select.ts'
import { markUncheckedKeys } from './read/streamed-keys.ts'
import type { Statement } from './statement.ts'
import { StatementCache, statementSize } from './statement-cache.ts'
import type { Target } from './tables.ts'
import {
  type CompiledRemovals,
  type CompiledWrite,
  compileInserts,
  compileLookup,
  compileRemovals,
  compileWrite,
  insertSizes,
} from './write/compile-write.ts'
import { compileMemberLocks } from './write/link-changes.ts'
import { compileMembers } from './write/members.ts'
import { findReturnedLayout } from './write/one-row.ts'
import { compileReferencing } from './write/referencing.ts'
import { compileUnlinkChecks, type UnlinkCheck } from './write/unlink-checks.ts'

/** The statements of a resource type that are the same for every query shape. */
interface TypeStatements {
  readonly resource: ResourceType
  /** Returns a row if the resource with the id exists. */
  readonly exists: Statement
  /** The same, and locks the row for a write. */
  readonly lock: (lock: Exclude<RowLock, 'share'>) => Statement
  /** Returns which of the ids exist. */
  readonly lookup: Statement
  readonly removals: CompiledRemovals
  /** Returns a row if the resource with the id is in the declared scope of its type, whoever may read it. */
  readonly inScope: Statement
  /** Returns which of the ids are in the declared scope, whoever may read them. */
  readonly lookupInScope: Statement
}

/** Compiles the inserts of several rows of a shape, by their numbers of rows. */
export type InsertsBySize = ReadonlyMap<number, (shape: WriteShape) => Statement>

/** The statements of writes that return the rows of their responses, and what loads the rows of `inserts` (`Statement.load`). */
interface ReturningWrites extends Pick<Statements, 'write' | 'inserts'> {
  readonly load: Statement['load']
}

/** What the access rules of a write depend on. */
type CheckedPlan = Pick<WritePlan, 'requested' | 'operation'>

/** The statements of a store. Those of a query shape are compiled again after the cache has evicted them. */
export interface Statements {
  /** The statements of a stream. Those of a read in memory are different for each database. */
  readonly streamedRead: (shape: ReadShape) => CompiledRead
  readonly write: (shape: WriteShape) => CompiledWrite
  /** The statements of writes whose responses are rows that these statements return; null if other ones have to read them. */
  readonly returning: (response: ReadShape) => ReturningWrites | null
  /** The inserts of several rows of a shape, by their numbers of rows. */
  readonly inserts: InsertsBySize
  /** Returns the access rules that a write must meet; absent for a target without rules. */
  readonly checks: ((plan: CheckedPlan) => AccessChecks | undefined) | undefined
  /** Returns the access rules for members whose foreign key a link of a write changed. */
  readonly memberChecks: (plan: CheckedPlan, index: number) => readonly AccessCheck[]
  /** Returns the checks of a write that may unlink rows which must be linked. */
  readonly unlinkChecks: (shape: WriteShape) => readonly UnlinkCheck[]
  /** Returns the statements that lock the members of a relationship; none where one transaction writes at a time. */
  readonly memberLocks: (type: string, relationship: string) => readonly Statement[]
  readonly members: (shape: MembersShape) => Statement
  /** Whether a document stays the same until a transaction is committed. */
  readonly showsRowsOnly: (shape: ReadShape) => boolean
  readonly referencing: (shape: ReferencingShape) => Statement
  readonly ofType: (type: string) => TypeStatements
  readonly target: Target
}

/**
 * Creates the statements of a model for a dialect.
 * @param cache - holds the statements of query shapes
 */
export function createStatements(target: Target, cache = new StatementCache()): Statements {
  return {
    target,
    streamedRead: cache.memoize(
      (shape: ReadShape) => compileRead(markUncheckedKeys(shape, target), target),
      readSize,
    ),
    write: cache.memoize((shape: WriteShape) => compileWrite(shape, target), writeSize),
    returning: memoizeByIdentity((response) => createReturning(response, target, cache)),
    inserts: createInserts(target, cache),
    checks: createAccessChecks(target, cache),
    memberChecks: createMemberChecks(target, cache),
    unlinkChecks: cache.memoize(
      (shape: WriteShape) => compileUnlinkChecks(shape, target),
      (checks) => statementSize(...checks.map(({ statement }) => statement)),
    ),
    members: cache.memoize(
      (shape: MembersShape) => compileMembers(shape, target),
      (statement) => statementSize(statement),
    ),
    referencing: cache.memoize(
      (shape: ReferencingShape) => compileReferencing(shape, target),
      (statement) => statementSize(statement),
    ),
    memberLocks: createMemberLocks(target),
    showsRowsOnly: memoizeByIdentity((shape) => showsRowsOnly(shape, target)),
    ofType: createStatementsOfTypes(target),
  }
}

function createStatementsOfTypes(target: Target): Statements['ofType'] {
  const types = new Map<string, TypeStatements>()
  return (type) => {
    const known = types.get(type)
    if (known !== undefined) return known
    const created = createTypeStatements(getResourceType(target.model, type), target)
    types.set(type, created)
    return created
  }
}

function createReturning(
  response: ReadShape,
  target: Target,
  cache: StatementCache,
): ReturningWrites | null {
  const layout = findReturnedLayout(response, target)
  if (layout === undefined) return null
  return {
    write: cache.memoize((shape: WriteShape) => compileWrite(shape, target, layout), writeSize),
    inserts: createInserts(target, cache, layout),
    load: compileLoad(layout, target),
  }
}

function createInserts(target: Target, cache: StatementCache, layout?: RowLayout): InsertsBySize {
  const createInsert = (size: number) =>
    cache.memoize(
      (shape: WriteShape) => compileInserts(shape, size, target, layout),
      (statement) => statementSize(statement),
    )
  return new Map(insertSizes.map((size) => [size, createInsert(size)]))
}

function createMemberLocks(target: Target): Statements['memberLocks'] {
  const byRelationship = new Map<string, readonly Statement[]>()
  return (type, relationship) => {
    const key = `${type}.${relationship}`
    const known = byRelationship.get(key)
    if (known !== undefined) return known
    const created = compileMemberLocks(getResourceType(target.model, type), relationship, target)
    byRelationship.set(key, created)
    return created
  }
}

/** Compiles the access rules of each query shape for each operation once. */
function createAccessChecks(target: Target, cache: StatementCache): Statements['checks'] {
  if (target.access === undefined) return undefined
  const compile = (operation: NonNullable<WritePlan['operation']>) =>
    cache.memoize(
      (shape: WriteShape) => compileAccessChecks(shape, operation, target),
      ({ locks, before, after }) =>
        statementSize(...[...locks, ...before, ...after].map((each) => each.statement)),
    )
  const byOperation = {
    create: compile('create'),
    update: compile('update'),
    delete: compile('delete'),
    relate: compile('relate'),
    call: compile('call'),
  }
  return ({ requested, operation }) => (operation ? byOperation[operation](requested) : undefined)
}

function createMemberChecks(target: Target, cache: StatementCache): Statements['memberChecks'] {
  if (target.access === undefined) return () => []
  const compile = cache.memoize(
    ({ links, ...shape }: WriteShape) =>
      links.map((_, index) => compileChangedMemberChecks({ ...shape, links }, index, target)),
    (checks) => statementSize(...checks.flat().map(({ statement }) => statement)),
  )
  return ({ requested, operation }, index) => (operation ? (compile(requested)[index] ?? []) : [])
}

function createTypeStatements(resource: ResourceType, target: Target): TypeStatements {
  const locks = new Map<RowLock, Statement>()
  let removals: CompiledRemovals | undefined
  const { unrestricted } = resource
  const exists = compileExists(resource, target)
  const lookup = compileLookup(resource, target)
  return {
    resource,
    exists,
    lookup,
    inScope: unrestricted ? compileExists(unrestricted, target) : exists,
    lookupInScope: unrestricted ? compileLookup(unrestricted, target) : lookup,
    lock: (lock) => {
      const known = locks.get(lock)
      if (known !== undefined) return known
      const created = compileLock(resource, lock, target)
      locks.set(lock, created)
      return created
    },
    get removals() {
      removals ??= compileRemovals(resource, target)
      return removals
    },
  }
}

/** Estimates the memory of a read. Statements that are compiled later are as long as that of the rows. */
function readSize({ rows, count }: CompiledRead, { includeEdges }: ReadShape): number {
  return (6 + 2 * includeEdges.length) * statementSize(rows, count)
}

function writeSize(compiled: CompiledWrite): number {
  const { insert, denied, insertedId, update, updateAtOnce, updateIfVersion, links, parent } =
    compiled
  const own = [insert, insertedId, update, updateAtOnce, updateIfVersion].filter(
    (each) => each !== undefined,
  )
  const checks = denied.map(({ statement }) => statement)
  return statementSize(...own, ...checks, ...links.flat(), ...parent)
}
