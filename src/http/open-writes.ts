import type { Logger } from '../model/declare/request-context.ts'
import { isObject } from '../model/kinds/json.ts'
import type { Model } from '../model/model.ts'

/** The options that say who may write. */
interface WriteOptions {
  readonly model: Model
  readonly authenticate?: object | undefined
}

/**
 * Creates the warning of the resource types that a request without an auth context may write: a type has no rules unless it declares
 * them. It is logged once for a mount that authenticates: at the start if a function of `lapidary/auth` has `anonymous`, otherwise when
 * `authenticate` has returned `undefined` or `null` for the first time, because no one else knows whether it ever does.
 * @returns what is called with the auth context of each request
 */
export function createOpenWritesWarning(
  { model, authenticate }: WriteOptions,
  log: Pick<Logger, 'warn'>,
): (auth: unknown) => void {
  const types = authenticate === undefined ? [] : listOpenTypes(model)
  let isTold = types.length === 0
  const warn = () => {
    const remedy = "declare their access, or access: 'deny by default' of the model"
    log.warn({ types }, `requests without an auth context may write these types; ${remedy}`)
    isTold = true
  }
  if (!isTold && authenticate && isOptional(authenticate)) warn()
  return (auth) => {
    if (!isTold && (auth === undefined || auth === null)) warn()
  }
}

function listOpenTypes({ types, access }: Model): readonly string[] {
  if (access?.isClosed) return []
  const open = [...types.values()].filter(
    (each) => each.isWritable && each.access === undefined && each.tenantColumn === undefined,
  )
  return open.map(({ type }) => type)
}

function isOptional(authenticate: object): boolean {
  const security: unknown = Reflect.get(authenticate, 'security')
  return isObject(security) && security.isOptional === true
}
