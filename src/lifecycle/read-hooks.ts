import type { HookContext, ReturnedResource } from '../model/hooks.ts'
import type { Model, ResourceType } from '../model/model.ts'
import type { RequestContext } from '../model/request-context.ts'
import { findAffectedTypes } from '../plan/affected-types.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Row, RowLayout } from '../plan/row-layout.ts'
import { extractAttributes, listStoredAttributes } from '../plan/stored-columns.ts'
import type { ReadHooks, RunQuery } from '../store/store.ts'

/** Returns the read hooks that run during a read, bound to its request; `undefined` when there are none. */
export type ReadHookBinder = (plan: ReadPlan, request: RequestContext) => ReadHooks | undefined

/** Creates the binder of a model. A model without read hooks pays nothing for them. */
export function createReadHookBinder(model: Model): ReadHookBinder {
  if (![...model.types.values()].some(hasReadHooks)) return () => undefined
  return (plan, request) => {
    const types = findAffectedTypes(plan, model).filter(hasReadHooks)
    return types.length === 0 ? undefined : bindHooks(types, request)
  }
}

function bindHooks(types: readonly ResourceType[], { auth }: RequestContext): ReadHooks {
  const createContext = (query: RunQuery): HookContext => ({ auth, query })
  return {
    before: async (query) => {
      for (const { hooks } of types) await hooks.beforeRead?.(createContext(query))
    },
    after: async (rows, layout, query) => {
      const resource = types.find(({ type }) => type === layout.type)
      if (resource?.hooks.afterRead && rows.length > 0)
        await resource.hooks.afterRead(toResources(rows, layout, resource), createContext(query))
    },
  }
}

function hasReadHooks({ hooks }: ResourceType): boolean {
  return hooks.beforeRead !== undefined || hooks.afterRead !== undefined
}

/** Converts rows to resources with the attributes that the response shows. */
function toResources(
  rows: readonly Row[],
  layout: RowLayout,
  resource: ResourceType,
): ReturnedResource[] {
  const stored = listStoredAttributes(resource)
  const shown = stored.filter(({ name }) => layout.attributes.includes(name))
  return rows.map((row) => ({
    id: String(row[0]),
    attributes: extractAttributes(row, layout, shown),
  }))
}
