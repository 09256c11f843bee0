import type { HookContext, Told } from '../model/hooks.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { touchedTypes } from '../plan/affected-types.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Rows } from '../plan/result.ts'
import type { Row, RowLayout } from '../plan/rows.ts'
import { perShape } from '../plan/shape.ts'
import { attributesIn, storedAttributes } from '../plan/stored-columns.ts'
import type { DuringRead, RunQuery, Store } from '../store/store.ts'

/** Whose hooks a read runs, and who asks. */
interface Scene {
  readonly model: Model
  readonly store: Store
  readonly caller: unknown
  /** Aborts when the client disconnects. */
  readonly signal?: (() => AbortSignal) | undefined
}

/**
 * Runs a read with the hooks of every type that it may tell of.
 * @throws NotFoundError when the resource in the path is not there; whatever a hook throws
 */
export function read(plan: ReadPlan, id: string | undefined, scene: Scene): Promise<Rows> {
  return scene.store.read(plan, id, { during: duringRead(plan, scene), signal: scene.signal })
}

/** What the hooks do in the snapshot of a read; `undefined` where there are none. */
export function duringRead(
  plan: ReadPlan,
  { model, caller }: Pick<Scene, 'model' | 'caller'>,
): DuringRead | undefined {
  // Models without such hooks are spared the walk through the plan.
  if (!hasHooks(model)) return undefined
  const types = touchedTypes(plan, model).filter(isHooked)
  if (types.length === 0) return undefined
  const contextOf = (query: RunQuery): HookContext => ({ caller, query })
  return {
    before: async (query) => {
      for (const { hooks } of types) await hooks.beforeRead?.(contextOf(query))
    },
    after: async (rows, layout, query) => {
      const resource = types.find(({ type }) => type === layout.type)
      if (resource?.hooks.afterRead && rows.length > 0)
        await resource.hooks.afterRead(toldOf(rows, layout, resource), contextOf(query))
    },
  }
}

const hasHooks = perShape((model: Model) => [...model.types.values()].some(isHooked))

function isHooked({ hooks }: ResourceType): boolean {
  return hooks.beforeRead !== undefined || hooks.afterRead !== undefined
}

/** The resources of rows with the attributes that they are to show. */
function toldOf(rows: readonly Row[], layout: RowLayout, resource: ResourceType): Told[] {
  const shown = storedAttributes(resource).filter(({ name }) => layout.attributes.includes(name))
  return rows.map((row) => ({ id: String(row[0]), attributes: attributesIn(row, layout, shown) }))
}
