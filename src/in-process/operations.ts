import type { ApiRequest } from '../endpoints/handler.ts'
import type { RequestPlanner } from '../endpoints/request-plan.ts'
import { formatIfMatch } from '../model/declare/if-match.ts'
import { formatRestrictions } from '../model/declare/restricted-writes.ts'
import type { ResourceType } from '../model/model.ts'
import {
  type FieldInput,
  formatMembers,
  formatResource,
  type InputType,
  parseChange,
} from '../parse/format-document.ts'
import { formatQuery, type QueryInput } from '../parse/format-query.ts'
import { createCallKey } from '../parse/idempotency-key.ts'
import { parsePreferences } from '../parse/prefer.ts'
import { findNamedField, type Writer } from '../plan/write-rights.ts'
import { checkArguments } from './check-arguments.ts'
import {
  checkWritable,
  type EndpointFinder,
  findAction,
  findWritableRelationship,
} from './endpoints.ts'

/** The parts of a request that differ between the calls of a client. */
export type CallRequest = Pick<
  ApiRequest,
  'id' | 'search' | 'body' | 'writer' | 'conditions' | 'idempotency' | 'preferences'
>

/** Who writes in process: a program, or by `asServer()` the server. */
export type ProgramWriter = Exclude<Writer, 'client'>

/** Plans and executes a request, and returns the body of its response. */
type Call = (plan: RequestPlanner, request: CallRequest) => Promise<unknown>

/** The operations of a client, without the types that follow from the declarations. */
export interface UntypedOperations {
  list(type: string, query?: QueryInput): Promise<unknown>
  get(type: string, id: string, query?: QueryInput): Promise<unknown>
  create(type: string, fields: FieldInput, query?: RepeatableQuery): Promise<unknown>
  update(type: string, id: string, fields: FieldInput, query?: ConditionalQuery): Promise<unknown>
  remove(type: string, id: string, options?: ConditionalQuery): Promise<unknown>
  relate(
    type: string,
    id: string,
    relationship: string,
    change: FieldInput,
    options?: ConditionalQuery,
  ): Promise<unknown>
  call(type: string, action: string, input?: UntypedCall): Promise<unknown>
}

/** The query of a create, the key with which it may be repeated, and how it is restricted. */
export interface RepeatableQuery extends QueryInput {
  readonly idempotencyKey?: unknown
  readonly dryRun?: unknown
  readonly maxAffected?: unknown
}

/** The query of a write, and what it depends on. */
interface ConditionalQuery extends RepeatableQuery {
  readonly ifMatch?: unknown
}

/** What a call of an action sends. */
interface UntypedCall extends ConditionalQuery {
  readonly id?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

const noBody = new Uint8Array()

/**
 * Creates the operations of a client: each formats the request of its route, and calls the handler of the route.
 * @param writer - `server` for the operations that `asServer()` returns
 */
export function createOperations(
  find: EndpointFinder,
  call: Call,
  writer: ProgramWriter,
): UntypedOperations {
  return {
    list: async (type, query) => {
      checkArguments('list', { type, query })
      return call(find(type).list, { id: '', search: formatQuery(query), body: noBody })
    },
    get: async (type, id, query) => {
      checkArguments('get', { type, id, query })
      return call(find(type).get, { id, search: formatQuery(query), body: noBody })
    },
    create: async (type, fields, options) => {
      checkArguments('create', { type, fields, query: options })
      const { idempotencyKey, dryRun, maxAffected, ...query } = options ?? {}
      const { resource, create } = find(type)
      checkWritable(resource)
      const body = formatResource(toInputType(resource, writer), fields)
      const search = formatQuery(query)
      const repeat = formatKey(idempotencyKey, ['create', type, search, body])
      const restricted = restrict({ dryRun, maxAffected })
      return call(create, { id: '', search, body, writer, ...repeat, ...restricted })
    },
    update: async (type, id, fields, options) => {
      checkArguments('update', { type, id, fields, query: options })
      const { ifMatch, idempotencyKey, dryRun, maxAffected, ...query } = options ?? {}
      const { resource, update } = find(type)
      checkWritable(resource)
      const body = formatResource(toInputType(resource, writer), fields, id)
      const search = formatQuery(query)
      const repeat = formatKey(idempotencyKey, ['update', type, id, search, body])
      const condition = { ...formatConditions(ifMatch), ...restrict({ dryRun, maxAffected }) }
      return call(update, { id, search, body, writer, ...condition, ...repeat })
    },
    remove: async (type, id, options) => {
      checkArguments('remove', { type, id, options })
      const { resource, remove } = find(type)
      checkWritable(resource)
      const condition = { ...formatConditions(options?.ifMatch), ...restrict(options) }
      const repeat = formatKey(options?.idempotencyKey, ['remove', type, id])
      return call(remove, { id, search: '', body: noBody, writer, ...condition, ...repeat })
    },
    relate: async (type, id, name, change, options) => {
      checkArguments('relate', { type, id, relationship: name, change, options })
      const { resource, relate } = find(type)
      const relationship = findWritableRelationship(resource, name, writer)
      const [kind, members] = parseChange(change)
      const body = formatMembers(kind, members, relationship.to)
      const condition = { ...formatConditions(options?.ifMatch), ...restrict(options) }
      const repeat = formatKey(options?.idempotencyKey, ['relate', type, id, name, kind, body])
      const endpoint = relate(relationship)[kind]
      return call(endpoint, { id, search: '', body, writer, ...condition, ...repeat })
    },
    call: async (type, action, input) => {
      checkArguments('call', { type, action, input })
      const { id = '', parameters = {}, ifMatch, idempotencyKey, ...more } = input ?? {}
      const { dryRun, maxAffected, ...query } = more
      const handler = findAction(find(type), action)
      // Without an id, an action of a resource would be 404.
      if (find(type).resource.actions.get(action)?.on === 'resource')
        checkArguments('call.input', { id: input?.id })
      const condition = { ...formatConditions(ifMatch), ...restrict({ dryRun, maxAffected }) }
      const body = { meta: parameters }
      const search = formatQuery(query)
      const repeat = formatKey(idempotencyKey, ['call', type, action, id, search, body])
      return call(handler, { id, search, body, writer, ...condition, ...repeat })
    },
  }
}

/** The key of a call, as a request has it. */
export function formatKey(
  key: unknown,
  call: Parameters<typeof createCallKey>[1],
): Pick<CallRequest, 'idempotency'> {
  return key === undefined ? {} : { idempotency: createCallKey(key, call) }
}

/** How a call is restricted, as a request says it. */
export function restrict(
  options: Pick<RepeatableQuery, 'dryRun' | 'maxAffected'> = {},
): Pick<CallRequest, 'preferences'> {
  const prefer = formatRestrictions(options)
  return prefer === '' ? {} : { preferences: parsePreferences(prefer) }
}

/** The condition of a call, as a request has it. */
function formatConditions(ifMatch: unknown): Pick<CallRequest, 'conditions'> {
  const formatted = formatIfMatch(ifMatch)
  return formatted === undefined ? {} : { conditions: { ifMatch: formatted } }
}

/** Returns what the documents of a type depend on. */
export function toInputType(resource: ResourceType, writer: Writer): InputType {
  return {
    type: resource.type,
    relatedType: (name) => {
      const field = findNamedField(name, { resource, writer })
      return field?.is === 'relationship' ? field.to : undefined
    },
  }
}
