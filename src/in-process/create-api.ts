import { AsyncLocalStorage } from 'node:async_hooks'
import type { AccessView } from '../endpoints/access-views.ts'
import { createAppContext } from '../endpoints/app-context.ts'
import { checkAppOptions } from '../endpoints/check-app-options.ts'
import { suggest } from '../errors/suggestion.ts'
import type { Logger, RequestContext } from '../model/declare/request-context.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { Declarations, Model } from '../model/model.ts'
import { createObjectSerializer } from '../serialize/objects.ts'
import type { Store } from '../sql/store.ts'
import { withActionCalls } from './action-calls.ts'
import { createActionFinder } from './atomic.ts'
import { checkArguments } from './check-arguments.ts'
import type { Client } from './client.ts'
import { type ApiContext, createApiClient } from './create-api-client.ts'
import { createEndpointFinder } from './endpoints.ts'

/** The options of `createApi`. */
export interface ApiOptions<Types extends Declarations = Declarations, Auth = unknown> {
  readonly model: Model<Types, Auth>
  /** The store that was opened for the model. */
  readonly store: Store
  /** The beginning of every path in documents, e.g. `/api`. Default: none. */
  readonly prefix?: string
  /** Scheme and host of absolute links in documents, e.g. `https://api.example.org`. Default: none, so links are paths. */
  readonly publicUrl?: string
}

/** The auth context and the options of the calls of a client, which hooks receive. */
export interface CallContext<Auth = unknown> {
  /** The auth context: what `authenticate` returns for a request. */
  readonly auth?: Auth
  /** The id of the request that the calls serve. */
  readonly requestId?: string | undefined
  /** The address of the client that the calls serve. */
  readonly ip?: string | undefined
  /** Default: warnings and errors go to standard error. */
  readonly log?: Logger | undefined
  /** Cancels reads, and rejects calls that begin after it has aborted. */
  readonly signal?: AbortSignal | undefined
}

/** The argument of `with`: required if `declare` has named an auth context that every request has. */
type CallArguments<Auth> = undefined extends Auth
  ? [context?: CallContext<Auth>]
  : [context: CallContext<Auth> & Readonly<{ auth: Auth }>]

/** The API of a model and a store, in process. */
export interface Api<Types extends Declarations = Declarations, Auth = unknown> {
  /** The model that it was created with. */
  readonly model: Model<Types, Auth>
  /** Returns a client whose calls have this context. */
  with(...context: CallArguments<Auth>): Client<Types>
}

/**
 * Creates the API of a model and a store for use in process, without HTTP: the same checks, hooks, access rules and errors.
 * @throws DeclarationError for an unknown option, or when the store was opened for another model
 * @returns an object whose `with` returns a client with an auth context, e.g. `api.with({ auth }).list('person')`
 */
export function createApi<Types extends Declarations, Auth = unknown>(
  options: ApiOptions<Types, Auth>,
): Api<Types, Auth> {
  checkAppOptions(options, 'createApi')
  const { model, prefix = '' } = options
  const documents = withActionCalls({
    ...createAppContext(options),
    ...(model.atomic && { findPath: createActionFinder(model, prefix) }),
  })
  const context: ApiContext = {
    find: createEndpointFinder(documents.planner),
    planner: documents.planner,
    findVisible: memoizeByIdentity(({ planner }: AccessView) => createEndpointFinder(planner)),
    objects: { ...documents, serializer: createObjectSerializer(model) },
    documents,
    origin: options.publicUrl ?? '',
    current: new AsyncLocalStorage(),
  }
  return {
    model,
    with: (call: CallContext = {}) => {
      checkCallContext(call)
      return createApiClient<Types>(context, toRequestContext(call), call.signal)
    },
  }
}

/** The names of the options of a call. */
const callOptions: ReadonlySet<string> = new Set([
  'auth',
  'requestId',
  'ip',
  'log',
  'signal',
] satisfies readonly (keyof CallContext)[])

/** Rejects a misspelled option: without `auth`, a call would have no user. @throws TypeError with the nearest name */
function checkCallContext(call: CallContext): void {
  checkArguments('with', { context: call })
  for (const name in call)
    if (!callOptions.has(name))
      throw new TypeError(
        `with.${name}: there is no such option; ${suggest(name, [...callOptions], 'options')}`,
      )
}

function toRequestContext({ auth, requestId, ip, log, signal }: CallContext): RequestContext {
  return {
    auth,
    requestId,
    ip,
    log: log ?? createConsoleLogger(),
    // A signal of its own for each call: many calls that listen to one signal would look like a leak to Node.
    signal: () => (signal ? AbortSignal.any([signal]) : new AbortController().signal),
  }
}

type Write = Logger['error']

/** Returns the logger of calls that have none: it writes warnings and errors to standard error, for people to read. */
function createConsoleLogger(): Logger {
  const ignore: Write = () => {}
  const write: Write = (fields: object | string, message?: string) =>
    message === undefined ? console.error(fields) : console.error(message, fields)
  return { trace: ignore, debug: ignore, info: ignore, warn: write, error: write, fatal: write }
}
