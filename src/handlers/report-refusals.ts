import { channel } from 'node:diagnostics_channel'
import { toErrorList } from '../errors/collector.ts'
import type { Awaitable } from '../model/hooks.ts'
import type { RequestContext } from '../model/request-context.ts'
import { AccessRefusal } from '../plan/access/refusal.ts'

/** Publishes every refusal of an access rule, as `RefusalEvent`. */
const refusalChannel = channel('lapidary:refusal')

/** A refusal: who wanted to do what, and which rule refused it. It contains no values of fields. */
export interface RefusalEvent {
  /** The auth context of the request. */
  readonly auth: unknown
  readonly requestId: string | undefined
  readonly operation: AccessRefusal['operation']
  readonly type: string
  /** The id of the refused resource; `undefined` for a new one, and where the rule refused several. */
  readonly id: string | undefined
  /** The path of the rule, e.g. `tasks.access.update` or `users.fields.salary.writable`. */
  readonly rule: string
}

/** Runs the handler of a request, and reports the refusals of access rules: on the channel, and at `info` in its log. */
export function reportRefusals<Result>(
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
    if (!(cause instanceof AccessRefusal)) continue
    const { operation, type, id, rule } = cause
    const refusal = { operation, type, id, rule }
    if (refusalChannel.hasSubscribers) {
      const event: RefusalEvent = { auth, requestId, ...refusal }
      refusalChannel.publish(event)
    }
    log.info({ user: findUser(auth), ...refusal }, 'an access rule refused a request')
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
