import { channel } from 'node:diagnostics_channel'
import { toErrorList } from '../errors/collector.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { AccessDenied } from '../plan/access/access-denied.ts'

/** Publishes every operation that an access rule denies, as `AccessDeniedEvent`. */
const deniedChannel = channel('lapidary:access-denied')

/** A denied operation: who wanted to do what, and which rule denied it. It contains no values of fields. */
interface AccessDeniedEvent {
  /** The auth context of the request. */
  readonly auth: unknown
  readonly requestId: string | undefined
  readonly operation: AccessDenied['operation']
  readonly type: string
  /** The id of the refused resource; `undefined` for a new one, and where the rule refused several. */
  readonly id: string | undefined
  /** The path of the rule, e.g. `tasks.access.update` or `users.fields.salary.writable`. */
  readonly rule: string
}

/** Runs the handler of a request, and reports the operations that access rules deny: on the channel, and at `info` in its log. */
export function reportDeniedAccess<Result>(
  request: RequestContext,
  handle: () => Awaitable<Result>,
): Awaitable<Result> {
  const fail = (error: unknown): never => {
    report(error, request)
    throw error
  }
  try {
    const result = handle()
    return result instanceof Promise ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}

function report(thrown: unknown, { auth, requestId, log }: RequestContext): void {
  for (const { cause } of toErrorList(thrown)?.errors ?? []) {
    if (!(cause instanceof AccessDenied)) continue
    const { operation, type, id, rule } = cause
    const denied = { operation, type, id, rule }
    if (deniedChannel.hasSubscribers) {
      const event: AccessDeniedEvent = { auth, requestId, ...denied }
      deniedChannel.publish(event)
    }
    log.info({ user: findUser(auth), ...denied }, 'an access rule denied a request')
  }
}

/** Returns the id in an auth context. The rest of it may be secret. */
function findUser(auth: unknown): string | undefined {
  if (typeof auth !== 'object' || auth === null) return undefined
  const id: unknown = Reflect.get(auth, 'id') ?? Reflect.get(auth, 'sub')
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint'
    ? String(id)
    : undefined
}
