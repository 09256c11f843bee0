import type { ReturnedResource } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import type { Model, ResourceType } from '../model/model.ts'
import { findAffectedTypes } from '../plan/affected-types.ts'
import type { ReadPlan } from '../plan/read.ts'
import type { Row, RowLayout } from '../plan/row-layout.ts'
import { extractAttributes, listStoredAttributes } from '../plan/stored-columns.ts'
import type { ReadHooks } from '../sql/store.ts'
import { createBeginContext, createHookContext } from './hook-context.ts'

/** Returns the read hooks that run during a read, bound to its request; `undefined` when there are none. */
export type ReadHookBinder = (plan: ReadPlan, request: RequestContext) => ReadHooks | undefined

/** Creates the binder of a model; none for a model without read hooks, which pays nothing for them. */
export function createReadHookBinder(model: Model): ReadHookBinder | undefined {
  if (![...model.types.values()].some(hasReadHooks)) return undefined
  return (plan, request) => {
    const types = findAffectedTypes(plan, model).filter(hasReadHooks)
    return types.length === 0 ? undefined : bindHooks(types, request)
  }
}

/** Adds the model's `begin` to the hooks of a read: it runs first in the transaction. */
export function withBegin(
  hooks: ReadHooks | undefined,
  { begin }: Model,
  request: RequestContext,
): ReadHooks | undefined {
  if (begin === undefined) return hooks
  return {
    before: async (query) => {
      await begin(createBeginContext(request, query))
      await hooks?.before(query)
    },
    after: async (rows, layout, query) => hooks?.after(rows, layout, query),
  }
}

function bindHooks(types: readonly ResourceType[], request: RequestContext): ReadHooks {
  return {
    before: async (query) => {
      for (const resource of types)
        await resource.hooks.beforeRead?.(createHookContext(request, query, resource))
    },
    after: async (rows, layout, query) => {
      const resource = types.find(({ type }) => type === layout.type)
      if (resource?.hooks.afterRead && rows.length > 0) {
        const context = createHookContext(request, query, resource)
        await resource.hooks.afterRead(toResources(rows, layout, resource), context)
      }
    },
  }
}

/** Whether a type has hooks that run with reads. */
export function hasReadHooks({ hooks }: ResourceType): boolean {
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
