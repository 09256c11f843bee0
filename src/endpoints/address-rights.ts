import { describeModel, type ModelDescription } from '../describe/describe-model.ts'
import { listNeededRules, type NeededRule } from '../describe/needed-rules.ts'
import type { Method, RouteTarget } from '../describe/paths.ts'
import { listRelationships, type ResourceType } from '../model/model.ts'
import type { Rights } from '../plan/access/rights.ts'
import type { RuleKey } from '../plan/access/rule-key.ts'
import { parsePathId } from '../plan/path-id.ts'
import type { AppContext } from './app-context.ts'

/** What an identity may know and do at an address. */
export interface AddressRights {
  /** What exists for the identity. */
  readonly described: ModelDescription
  /** False if the rules refuse a method of the address: always, or for the resource in the path. */
  readonly isAllowed: (method: Method) => boolean
  /** False if the rules refuse the call of an action at the address. */
  readonly isCallable: (action: string) => boolean
  /** False if the rules refuse a replacement in a relationship of the resource. */
  readonly isReplaceable: (relationship: string) => boolean
  /** False if the rules for links refuse a resource of the linkage that the address has. */
  readonly isMemberLinkable: (id: string) => boolean
}

/** An address and the identity that reads it. */
interface ReadAddress {
  readonly context: AppContext
  readonly target: RouteTarget
  /** The id in the path; empty for a path without one. */
  readonly id: string
  readonly auth: unknown
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal
}

/**
 * Reads what an identity may do at an address that it has read. A statement evaluates the rules of the resource in the path, and for a
 * linkage another one those of its members, if they depend on rows; without such rules nothing is read.
 * @param members - the ids of the linkage that the address has
 */
export async function readAddressRights(
  { context, target, id, auth, signal }: ReadAddress,
  members: readonly string[],
): Promise<AddressRights> {
  const rights = context.findRights(auth)
  const rules = listAddressRules(target, rights)
  const ids = target.is === 'root' || id === '' ? [] : [parsePathId(target.resource, id)]
  const read = (needed: readonly NeededRule[], ids: readonly string[]) =>
    readRowRights({ context, rights, auth, signal }, needed, ids)
  const [own, others] = await Promise.all([
    read(
      rules.filter(({ isOfPath }) => isOfPath),
      ids,
    ),
    read(target.is === 'relationship' ? rules.filter(isOfMember) : [], members),
  ])
  const ofPath = own.get(ids[0] ?? '')
  const holds = ({ type, operation, isOfPath }: NeededRule) => {
    const rule = rights.findRule(type, operation)
    if (typeof rule === 'boolean') return rule
    // The address has been read, so its resource is readable.
    return !isOfPath || operation === 'read' || (ofPath?.has(operation) ?? false)
  }
  const isAllowed = (part: RouteTarget | undefined, method: Method) =>
    (part && listNeededRules(part, method, rights)?.every(holds)) ?? false
  const parts = target.is === 'root' ? [] : listParts(target.resource)
  return {
    described: describeModel(rights),
    isAllowed: (method) => isAllowed(target, method),
    isCallable: (name) =>
      isAllowed(
        parts.find((part) => part.is === 'action' && part.action.name === name),
        'POST',
      ),
    isReplaceable: (name) =>
      isAllowed(
        parts.find((part) => part.is === 'relationship' && part.relationship.name === name),
        'PATCH',
      ),
    isMemberLinkable: (member) =>
      rules.filter(isOfMember).every(({ type, operation }) => {
        const rule = rights.findRule(type, operation)
        return typeof rule === 'boolean' ? rule : (others.get(member)?.has(operation) ?? false)
      }),
  }
}

function isOfMember({ isOfPath, operation }: NeededRule): boolean {
  return !isOfPath && operation !== 'read'
}

/** Lists the rules of everything that can be done at an address. */
function listAddressRules(target: RouteTarget, rights: Rights): readonly NeededRule[] {
  if (target.is === 'root') return []
  const targets = target.is === 'resource' ? [target, ...listParts(target.resource)] : [target]
  return targets.flatMap((each) =>
    (['POST', 'PATCH', 'DELETE'] as const).flatMap(
      (method) => listNeededRules(each, method, rights) ?? [],
    ),
  )
}

/** The actions and relationships of a resource. */
function listParts(resource: ResourceType): RouteTarget[] {
  const actions = [...resource.actions].map(([name, action]): RouteTarget => {
    return { is: 'action', resource, action: { name, action } }
  })
  const relationships = listRelationships(resource).map((relationship): RouteTarget => {
    return { is: 'relationship', resource, relationship }
  })
  return [...actions, ...relationships]
}

/** Who may do what is read. */
interface RowReader {
  readonly context: AppContext
  readonly rights: Rights
  readonly auth: unknown
  readonly signal: () => AbortSignal
}

/** Evaluates rules of one type that depend on rows. @returns the operations that are allowed, by id */
async function readRowRights(
  { context, rights, auth, signal }: RowReader,
  needed: readonly NeededRule[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<RuleKey>>> {
  const [first] = needed
  const operations = new Set(
    needed.flatMap(({ type, operation }) =>
      typeof rights.findRule(type, operation) === 'boolean' || operation === 'read'
        ? []
        : [operation],
    ),
  )
  const view = context.findView?.(auth)
  if (first === undefined || view === undefined || ids.length === 0 || operations.size === 0)
    return new Map()
  const identity = { rules: view.shape.rules, auth }
  const { type } = first
  const question = { identity, type, ids, operations: [...operations] }
  return context.store.findAllowed(question, { signal })
}
