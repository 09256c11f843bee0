import { isDefinedCodec } from '../model/kinds/codecs.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import {
  getRelationship,
  getResourceType,
  type KeyColumns,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import type { ReadShape } from '../plan/read.ts'
import { listStoredAttributes } from '../plan/stored-columns.ts'
import type { WriteShape } from '../plan/write.ts'
import type { LinkChange } from '../plan/write-builder.ts'

/** What runs around the creates or updates of one shape. */
export interface WriteLifecycle {
  readonly resource: ResourceType
  /** Whether hooks, validators or immutable fields need the stored values of an updated resource. */
  readonly needsStored: boolean
  /**
   * True if nothing has to be read or run between the checks and the write: no hook and no validator changes the plan, and no hook
   * needs the stored resource as it was before, as `afterUpdate` and `afterCommit` do. The write is then sent together with the
   * checks.
   */
  readonly writesDirectly: boolean
  /** Whether a hook of the type runs after the write. */
  readonly hasAfterHook: boolean
}

/** Returns what runs around the writes of a shape. */
export type GetWriteLifecycle = (shape: WriteShape) => WriteLifecycle

/** Decides once for each shape what runs around its writes, so that a write pays for nothing that its type does not declare. */
export function createWriteLifecycles(model: Model): GetWriteLifecycle {
  return memoizeByIdentity((shape: WriteShape) => decideLifecycle(shape, model))
}

/** Returns whether the response of a read needs no code of the application that may throw. */
export type NeverThrows = (shape: ReadShape) => boolean

/**
 * Decides once for each shape whether the response to a write may be computed after its commit: the document of one resource, of kinds of
 * the engine, and of computed attributes that never throw.
 */
export function createNeverThrows(model: Model): NeverThrows {
  return memoizeByIdentity(
    ({ type, order, includeEdges, primary }: ReadShape) =>
      order.length === 0 &&
      includeEdges.length === 0 &&
      primary.linkages.every(({ many }) => !many) &&
      primary.attributes.every((name) => isCertainField(name, getResourceType(model, type))),
  )
}

function isCertainField(name: string, { fields }: ResourceType): boolean {
  const field = fields.get(name)
  if (field === undefined || field.is === 'relationship' || isDefinedCodec(field.kind.codec))
    return false
  if (field.is !== 'computed') return true
  return field.neverThrows && field.columns.every(([, { kind }]) => !isDefinedCodec(kind.codec))
}

function decideLifecycle(shape: WriteShape, model: Model): WriteLifecycle {
  const resource = getResourceType(model, shape.type)
  const { beforeCreate, afterCreate, afterUpdate, afterCommit } = resource.hooks
  const isNew = shape.row !== 'existing'
  const needsStored = !isNew && needsStoredValues(shape, resource)
  const isChangeable =
    needsStored ||
    (isNew && beforeCreate !== undefined) ||
    resource.validate !== undefined ||
    hasValidatedColumn(shape, resource) ||
    shape.links.some((link) => isHookedLink(link, resource, model))
  const after = isNew ? afterCreate : afterUpdate
  return {
    resource,
    needsStored,
    writesDirectly: !isChangeable,
    hasAfterHook: after !== undefined || afterCommit !== undefined,
  }
}

function needsStoredValues({ columns, links }: WriteShape, resource: ResourceType): boolean {
  if (hasUpdateHooks(resource) || resource.validate) return true
  const isImmutable = (name: string) => {
    const field = resource.fields.get(name)
    return field !== undefined && field.is !== 'computed' && field.isImmutable
  }
  return (
    columns.some((column) =>
      isImmutable(column.is === 'attribute' ? column.name : column.relationship),
    ) || links.some(({ relationship }) => isImmutable(relationship))
  )
}

/** Whether a hook runs when a resource of the type is updated. */
function hasUpdateHooks({ hooks }: ResourceType): boolean {
  const { beforeUpdate, afterUpdate, afterCommit } = hooks
  return [beforeUpdate, afterUpdate, afterCommit].some((hook) => hook !== undefined)
}

/** Whether an attribute that a write sets has a validator. */
function hasValidatedColumn({ columns }: WriteShape, { fields }: ResourceType): boolean {
  return columns.some((column) => {
    const field = column.is === 'attribute' ? fields.get(column.name) : undefined
    return field?.is === 'attribute' && field.validate !== undefined
  })
}

/** Whether a change of a relationship changes rows of the members, and hooks or validators of the members run then. */
export function isHookedLink(
  { relationship }: LinkChange,
  owner: ResourceType,
  model: Model,
): boolean {
  const { link, to } = getRelationship(owner, relationship)
  const member = getResourceType(model, to)
  return (
    link.foreignKey === 'other' && (hasUpdateHooks(member) || isValidated(link.otherKey, member))
  )
}

/** Whether a validator of the type sees a foreign key: as an attribute that is stored in the same column. */
function isValidated(foreignKey: KeyColumns, resource: ResourceType): boolean {
  return (
    resource.validate !== undefined &&
    listStoredAttributes(resource).some(({ column }) => foreignKey.some((name) => name === column))
  )
}
