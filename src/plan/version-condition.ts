import { HttpError, VersionConflictError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { RelationshipField, ResourceType } from '../model/model.ts'
import { type ConditionFields, type EntityTags, parseCondition } from '../parse/entity-tags.ts'
import type { Planner } from './planner.ts'
import type { ReadPlan } from './read.ts'
import type { CompleteRows } from './read-result.ts'
import { createIdentifierLayout, type Row } from './row-layout.ts'
import { planOne, planRelatedIds } from './stored-columns.ts'
import { addVersion, computeSetVersion, openVersions } from './version.ts'

/** What a request demands of the version of what it writes. It is checked in the transaction of the write, once the row is locked. */
export interface VersionCondition {
  /** Reads what the version depends on; `undefined` if the condition does not depend on it. */
  readonly read: ReadPlan | undefined
  /** The relationship whose members it is about; absent for a condition on the resource. */
  readonly relationship?: string
  /**
   * The digests of the stored versions with one of which the condition holds: a statement can check it alone, which changes no row for any
   * other. Absent if it cannot be checked so.
   */
  readonly digests?: readonly string[]
  /**
   * Checks the condition.
   * @param row - of `read`; `undefined` for a resource that the identity may write and not read
   * @throws VersionConflictError (412); HttpError `condition_required` (428)
   */
  readonly check: (row: Row | undefined) => void
}

/** What a condition is about. */
interface ConditionTarget {
  readonly resource: ResourceType
  readonly id: string
  /** The local id by which the client names the resource, if it has named no id. */
  readonly lid?: string | undefined
  /** At the address of a relationship: its members. */
  readonly relationship?: RelationshipField
  /** Whether the type may require a condition here. */
  readonly mayBeRequired: boolean
  /** Whether an operation of a batch writes it, whose condition is no header field. */
  readonly isOfBatch?: boolean | undefined
}

/**
 * Plans the condition of a write.
 * @returns `undefined` if the request has none and needs none
 * @throws HttpError `invalid_request` (400) for header fields that cannot be read
 */
export function planCondition(
  planner: Planner,
  target: ConditionTarget,
  { ifMatch, ifNoneMatch }: ConditionFields,
): VersionCondition | undefined {
  const { resource, relationship, mayBeRequired } = target
  const isRequired = mayBeRequired && resource.requiresConditions && ifMatch === undefined
  if (ifMatch === undefined && ifNoneMatch === undefined && !isRequired) return undefined
  const match = ifMatch === undefined ? '*' : parseCondition('If-Match', ifMatch)
  const noneMatch = ifNoneMatch === undefined ? [] : parseCondition('If-None-Match', ifNoneMatch)
  if (isRequired) return { read: undefined, check: () => throwRequired(target) }
  const digests =
    relationship === undefined && ifNoneMatch === undefined
      ? openTags(planner, resource, match)
      : []
  const needsVersion = match !== '*' || noneMatch.length > 0
  const getCurrent = createVersionReader(planner, target)
  return {
    read: needsVersion ? planVersionRead(planner, target) : undefined,
    ...(relationship && needsVersion && { relationship: relationship.name }),
    ...(digests.length > 0 && { digests }),
    check: (row) => {
      const current = row && getCurrent(row)
      if (match !== '*' && !isMatched(match, current)) throw createConflict(target, match, current)
      if (noneMatch === '*') throw createExists(target, current)
      if (isMatched(noneMatch.map(toStrong), current))
        throw createConflict(target, noneMatch, current, 'If-None-Match')
    },
  }
}

/** Reads the version of a resource, as an identity sees it. */
export interface VersionRead {
  readonly read: ReadPlan
  readonly getVersion: (row: Row) => string | undefined
}

/**
 * Plans the condition of a create, which needs no version.
 * @returns what reads that of a resource with its id if it must not exist yet
 * @throws as `checkListCondition`
 */
export function planCreateCondition(
  planner: Planner,
  resource: ResourceType,
  fields: ConditionFields,
): VersionRead | undefined {
  if (checkListCondition(fields) !== '*') return undefined
  const target = { resource, id: '', mayBeRequired: false }
  return {
    read: planVersionRead(planner, target),
    getVersion: createVersionReader(planner, target),
  }
}

/**
 * Checks the condition of a request to a list, which has no version, so a tag of it matches nothing.
 * @returns what `If-None-Match` has, which is about a resource that the request creates
 * @throws VersionConflictError (412), HttpError `invalid_request` (400)
 */
export function checkListCondition({
  ifMatch,
  ifNoneMatch,
}: ConditionFields): EntityTags | undefined {
  const match = ifMatch === undefined ? '*' : parseCondition('If-Match', ifMatch)
  if (match !== '*') {
    const detail =
      'A list has no version, so If-Match cannot hold here; send it with a request that changes a resource.'
    throw new VersionConflictError('version_conflict', detail, undefined)
  }
  return ifNoneMatch === undefined ? undefined : parseCondition('If-None-Match', ifNoneMatch)
}

function openTags({ model }: Planner, resource: ResourceType, tags: EntityTags): readonly string[] {
  if (tags === '*') return []
  const strong = tags.filter(({ isWeak }) => !isWeak)
  return openVersions(
    model.sealer,
    resource,
    strong.map(({ opaque }) => opaque),
  )
}

function planVersionRead(planner: Planner, { resource, relationship }: ConditionTarget): ReadPlan {
  if (relationship) return planRelatedIds(planner, resource, relationship)
  return planOne(planner, addVersion(createIdentifierLayout(resource.type), planner.model))
}

function createVersionReader(
  planner: Planner,
  target: ConditionTarget,
): (row: Row) => string | undefined {
  const { resource, relationship, id } = target
  if (relationship) {
    const { sealer } = planner.model
    const set = { type: resource.type, id, relationship: relationship.name }
    return ([, members]) => computeSetVersion(sealer, set, toMembers(members))
  }
  const { shape } = planVersionRead(planner, target)
  const getVersion = planner.getVersions(shape.primary)
  return (row) => getVersion?.(row)
}

/** The linkage of a to-many relationship is a list of ids, that of a to-one is an id or null. */
function toMembers(linkage: unknown): readonly string[] {
  if (Array.isArray(linkage)) return linkage.map(String)
  return linkage === null || linkage === undefined ? [] : [String(linkage)]
}

/** Strong comparison with the version, which the tag of a representation has before its dot (RFC 9110 §8.8.3.2). */
function isMatched(tags: EntityTags, current: string | undefined): boolean {
  if (tags === '*') return true
  if (current === undefined) return false
  return tags.some(
    ({ opaque, isWeak }) => !isWeak && (opaque === current || opaque.startsWith(`${current}.`)),
  )
}

function toStrong(tag: Exclude<EntityTags, '*'>[number]): typeof tag {
  return { ...tag, isWeak: false }
}

function createConflict(
  target: ConditionTarget,
  tags: Exclude<EntityTags, '*'>,
  current: string | undefined,
  field?: 'If-None-Match',
): VersionConflictError {
  const [first] = tags
  const weak = tags.find(({ isWeak }) => isWeak)
  const reason = field
    ? `has the version ${quote(current)}, and If-None-Match demands another one; leave the field out to write all the same`
    : weak
      ? `does not match the weak entity tag W/"${weak.opaque}": If-Match compares strongly; send its meta.version in quotation marks`
      : `does not have the version ${quote(first?.opaque)}; read it again, and decide with its present state`
  const detail = `${describe(target)} ${reason}.`
  return new VersionConflictError('version_conflict', detail, current, undefined, field)
}

function createExists(target: ConditionTarget, current: string | undefined): VersionConflictError {
  const detail = `${describe(target)} exists, and If-None-Match: * demands that it does not.`
  return new VersionConflictError('already_exists', detail, current)
}

function throwRequired(target: ConditionTarget): never {
  const { relationship, isOfBatch } = target
  const member = isOfBatch
    ? 'meta.ifMatch of the operation, or "*" for a resource that this request creates'
    : 'If-Match'
  const where = relationship ? 'GET of this address' : 'GET of the resource'
  const detail = `${describe(target)} is changed only with a condition: read its version from the ETag of a ${where}${relationship ? '' : ' or, with withVersions=true, from meta.version'}, and send it as ${member}.`
  throw new HttpError('condition_required', detail)
}

function describe({ resource: { type }, id, lid, relationship }: ConditionTarget): string {
  const named = lid === undefined ? `${type} ${quote(id)}` : `${type} with lid ${quote(lid)}`
  return relationship
    ? `The relationship "${relationship.name}" of ${named}`
    : `The resource ${named}`
}

/** The version of the resource that a document shows; `undefined` for a document without one. */
export function getRowVersion(
  planner: Planner,
  { shape }: ReadPlan,
  { primary }: Pick<CompleteRows, 'primary'>,
): string | undefined {
  const [row] = primary
  return row && planner.getVersions(shape.primary)?.(row)
}

/** The version of the members of a relationship; `undefined` for a document that may show a part of them. */
export function getSetVersion(
  { model }: Planner,
  { shape, page }: ReadPlan,
  { primary }: Pick<CompleteRows, 'primary'>,
  of: Readonly<{ type: string; id: string; relationship: string }>,
): string | undefined {
  if (page !== undefined || shape.where !== undefined) return undefined
  return computeSetVersion(
    model.sealer,
    of,
    primary.map(([id]) => String(id)),
  )
}
