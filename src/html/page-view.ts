import type { AppContext } from '../handlers/app-context.ts'
import type { Operation } from '../model/access.ts'
import { type Action, isCallable } from '../model/action.ts'
import type { Model } from '../model/model.ts'

/** What an identity may know and do, as far as that does not depend on rows. */
export interface PageView {
  /** The model with the fields that the identity may know of: pages, forms and filters name no others. */
  readonly model: Model
  /** False if the identity may not do it with any resource of the type. */
  isAllowed(type: string, operation: Operation): boolean
  /** False if the identity may call the action of no resource. */
  isCallable(type: string, action: Action): boolean
}

/**
 * Returns the view of an identity.
 * @param auth - the auth context of the request
 */
export function createPageView(
  { planner, findView }: Pick<AppContext, 'planner' | 'findView'>,
  auth: unknown,
): PageView {
  const view = findView?.(auth)
  const rules = view?.shape.rules.types
  const isAllowed = (type: string, operation: Operation) => {
    const own = rules?.get(type)
    const rule = operation === 'relate' ? (own?.relate ?? own?.update) : own?.[operation]
    return rule !== false
  }
  return {
    model: view?.shape.visible ?? planner.model,
    isAllowed,
    isCallable: (type, action) => isAllowed(type, 'call') && isCallable(action, auth),
  }
}
