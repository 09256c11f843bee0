import { isObject } from '../model/json.ts'
import type { Model } from '../model/model.ts'
import type { Logger } from '../model/request-context.ts'

/** The options that say who may write. */
interface WriteOptions {
  readonly model: Model
  readonly authenticate?: object | undefined
}

/**
 * Warns of the resource types that a request without an identity may write, at the start of a mount that authenticates: a type has no
 * rules unless it declares them. A function of `lapidary/auth` without `anonymous` accepts no such request. Any other function may
 * return `undefined`, unless its property `security` says that it is not optional.
 */
export function warnOfOpenWrites(
  { model, authenticate }: WriteOptions,
  log: Pick<Logger, 'warn'>,
): void {
  if (authenticate === undefined || rejectsAnonymous(authenticate) || model.access?.isClosed) return
  const types = [...model.types.values()].flatMap(({ type, isWritable, access, tenantColumn }) =>
    isWritable && access === undefined && tenantColumn === undefined ? [type] : [],
  )
  if (types.length === 0) return
  const remedy = "declare their access, or access: 'deny by default' of the model"
  log.warn({ types }, `requests without an auth context may write these types; ${remedy}`)
}

function rejectsAnonymous(authenticate: object): boolean {
  const security: unknown = Reflect.get(authenticate, 'security')
  return isObject(security) && security.isOptional === false
}
