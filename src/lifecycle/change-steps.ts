import { type ErrorList, noErrors } from '../errors/collector.ts'
import type { FieldValues, StoredResource } from '../model/hooks.ts'
import { findRelationship, type ResourceType } from '../model/model.ts'
import { applyFieldValues } from '../plan/field-values.ts'
import type { WritePlan } from '../plan/write.ts'
import type { Step } from '../store/steps.ts'
import { createHookContext, createResourceContext } from './hook-context.ts'
import { readStored, toChange } from './stored-resource.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { validateWrite } from './validate.ts'
import type { WriteLifecycle } from './write-lifecycle.ts'

/** What the steps before a write have found. */
interface ChangeState {
  /** Errors about related resources that do not exist. */
  missing: ErrorList
  /** The stored resource before an update; `undefined` for a create, and where nothing needs it. */
  stored: StoredResource | undefined
  /** The members of each immutable to-many relationship that the document contains, by name. */
  members: Readonly<Record<string, readonly string[]>>
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
  const state: ChangeState = { missing: noErrors, stored: undefined, members: {}, plan }
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
    state.members = await readImmutableMembers(state.stored.id, state.plan, unit, resource)
  }
  return { needs: [], run }
}

function createValidateStep(
  state: ChangeState,
  { planner }: UnitOfWork,
  resource: ResourceType,
  needs: readonly Step[],
): Step {
  const run = async () => {
    const { plan, missing, stored, members } = state
    const before = stored && { ...stored, members }
    state.plan = await validateWrite(planner, plan, resource, { missing, before })
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

/** Reads the members of the immutable to-many relationships that a document contains, each with a statement of its own. */
async function readImmutableMembers(
  id: string,
  { shape }: WritePlan,
  unit: UnitOfWork,
  resource: ResourceType,
): Promise<ChangeState['members']> {
  const names = shape.links.flatMap(({ relationship }) => {
    const field = findRelationship(resource, relationship)
    return field?.many && field.isImmutable ? [relationship] : []
  })
  if (names.length === 0) return {}
  const { members } = createResourceContext(unit, resource, id)
  const entries = names.map(async (name) => [name, await members(name)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
