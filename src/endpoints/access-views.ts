import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { Model } from '../model/model.ts'
import { type AccessShape, compileAccess } from '../plan/access/access-shapes.ts'
import type { Identity } from '../plan/access/identity.ts'
import { createPlanner, type Planner } from '../plan/planner.ts'
import type { Store } from '../sql/store.ts'

/** What the identities of an access shape share: a planner of the fields that exist for them. */
export interface AccessView {
  readonly planner: Planner
  readonly shape: AccessShape
}

/** Returns the view of an auth context. @throws what a function of a rule throws */
export type FindAccessView = (auth: unknown) => AccessView

/**
 * Creates the views of a model; `undefined` for a model that does not depend on the auth context, whose requests pay nothing.
 * @throws DeclarationError for names in rules that do not exist
 */
export function createAccessViews(model: Model): FindAccessView | undefined {
  const findShape = compileAccess(model)
  if (findShape === undefined) return undefined
  const getView = memoizeByIdentity(
    (shape: AccessShape): AccessView => ({ shape, planner: createPlanner(shape.visible) }),
  )
  return (auth) => getView(findShape(auth))
}

/** Binds the dependencies of handlers to an identity: every statement of the store has its rules. Hooks see all rows and fields. */
export function bindIdentity<Context extends Readonly<{ store: Store }>>(
  context: Context,
  view: AccessView,
  auth: unknown,
): Context {
  const identity = toIdentity(view, auth)
  const { store } = context
  const bound: Store = {
    ...store,
    read: (plan, id, options) => store.read({ ...plan, identity }, id, options),
    explain: (plan, id, options) => store.explain({ ...plan, identity }, id, options),
    readState: (plan) => store.readState({ ...plan, identity }),
    snapshot: (work, options) => store.snapshot(work, { ...options, identity }),
    transaction: (work, options) =>
      store.transaction((transaction) => work(transaction.as(identity)), { ...options, identity }),
  }
  return { ...context, store: bound, identity }
}

/** Returns the rules of a view with the auth context whose values they use. */
export function toIdentity({ shape }: AccessView, auth: unknown): Identity {
  return { rules: shape.rules, auth }
}
