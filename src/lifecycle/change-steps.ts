import { type ErrorList, noErrors } from '../errors/collector.ts'
import { NotFoundError } from '../errors/errors.ts'
import type { FieldValues, StoredResource } from '../model/declare/hooks.ts'
import { findRelationship, type RelationshipField, type ResourceType } from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import { planRelatedIds } from '../plan/stored-columns.ts'
import type { WritePlan } from '../plan/write.ts'
import type { Step } from '../sql/write/steps.ts'
import { createHookContext, createResourceContext } from './hook-context.ts'
import { readStored, toChange } from './stored-resource.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { toIdList, validateWrite } from './validate.ts'
import type { WriteLifecycle } from './write-lifecycle.ts'

/** What the steps before a write have found. */
interface ChangeState {
  /** Errors about related resources that do not exist. */
  missing: ErrorList
  /** The stored resource before an update; `undefined` for a create, and where nothing needs it. */
  stored: StoredResource | undefined
  /** The related ids of each immutable relationship that the document contains, by name, as the identity sees them. */
  related: Readonly<Record<string, readonly string[]>>
  /** The plan with the values that validators and hooks returned. */
  plan: WritePlan
}

/** The steps before a write, and their results. */
interface PreparedChange {
  readonly steps: readonly Step[]
  readonly state: Readonly<ChangeState>
}

/** Lists the steps before a write: check the preconditions, read the stored resource, validate, run the hook. */
export function prepareChange(
  plan: WritePlan,
  unit: UnitOfWork,
  { resource, needsStored }: WriteLifecycle,
): PreparedChange {
  const isNew = plan.shape.row !== 'existing'
  const state: ChangeState = { missing: noErrors, stored: undefined, related: {}, plan }
  const check = createCheckStep(state, unit)
  const reads = needsStored ? [check, createStoredReadStep(state, unit, resource)] : [check]
  const validate = createValidateStep(state, unit, resource, reads)
  const hasHook = isNew ? resource.hooks.beforeCreate : resource.hooks.beforeUpdate
  const hook = hasHook ? [createHookStep(state, unit, resource, validate)] : []
  return { steps: [...reads, validate, ...hook], state }
}

function createCheckStep(state: ChangeState, { transaction }: UnitOfWork): Step {
  const run = async () => {
    state.missing = await transaction.checkPreconditions(state.plan)
  }
  return { needs: [], run }
}

function createStoredReadStep(state: ChangeState, unit: UnitOfWork, resource: ResourceType): Step {
  const run = async () => {
    state.stored = await readStored(unit, resource, state.plan.id)
    state.related = await readImmutable(state.stored, state.plan, unit, resource)
  }
  return { needs: [], run }
}

function createValidateStep(
  state: ChangeState,
  { planner, transaction }: UnitOfWork,
  resource: ResourceType,
  needs: readonly Step[],
): Step {
  const hidden = transaction.identity?.rules.hiddenFields.get(resource.type)
  const run = async () => {
    const { plan, missing, stored, related } = state
    const before = stored && { ...stored, related }
    state.plan = await validateWrite(planner, plan, resource, { missing, before, hidden })
  }
  return { needs, run }
}

function createHookStep(
  state: ChangeState,
  unit: UnitOfWork,
  resource: ResourceType,
  validate: Step,
): Step {
  const run = async () => {
    const { plan, stored } = state
    const values = await runBeforeHook(plan, stored, unit, resource)
    if (values) state.plan = applyFieldValues(unit.planner, plan, values, resource)
  }
  return { needs: [validate], run }
}

/** @returns the values that the hook changes, if it changes any */
async function runBeforeHook(
  plan: WritePlan,
  stored: StoredResource | undefined,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<FieldValues | undefined> {
  const { hooks } = resource
  const change = toChange(plan, resource, stored)
  const { request, transaction } = unit
  const values = stored
    ? await hooks.beforeUpdate?.(stored, change, createResourceContext(unit, resource, stored.id))
    : await hooks.beforeCreate?.(change, createHookContext(request, transaction.query, resource))
  return values ?? undefined
}

/**
 * Reads the related ids of the immutable relationships that a document contains, as the identity sees them, each with a statement of its
 * own. Without an identity those of a to-one relationship have been read.
 */
async function readImmutable(
  { id, relationships }: StoredResource,
  { shape }: WritePlan,
  { planner, transaction }: UnitOfWork,
  resource: ResourceType,
): Promise<ChangeState['related']> {
  const names = [
    ...shape.columns.flatMap((column) => (column.is === 'key' ? [column.relationship] : [])),
    ...shape.links.map(({ relationship }) => relationship),
  ]
  const fields = names.flatMap((name) => findRelationship(resource, name) ?? [])
  const entries = fields
    .filter(({ isImmutable }) => isImmutable)
    .map(async (field) => {
      if (!field.many && transaction.identity === undefined)
        return [field.name, toIdList(relationships[field.name])] as const
      return [
        field.name,
        await readRelatedIds(field, id, resource, { planner, transaction }),
      ] as const
    })
  return Object.fromEntries(await Promise.all(entries))
}

/** @returns none for a resource that the identity may not read, which is reported as such */
async function readRelatedIds(
  field: RelationshipField,
  id: string,
  resource: ResourceType,
  { planner, transaction }: Pick<UnitOfWork, 'planner' | 'transaction'>,
): Promise<readonly string[]> {
  try {
    const { primary } = await transaction.read(planRelatedIds(planner, resource, field), id)
    const [[, ids] = []] = primary
    // The linkage of a to-many relationship is a list of ids.
    return field.many ? (ids as readonly string[]) : toIdList(ids)
  } catch (error) {
    if (error instanceof NotFoundError) return []
    throw error
  }
}
