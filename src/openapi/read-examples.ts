import type { AppContext } from '../handlers/app-context.ts'
import type { ApiRequest } from '../handlers/handler.ts'
import type { ModelRoute } from '../handlers/route-table.ts'
import { isObject } from '../model/json.ts'
import type { ResourceType } from '../model/model.ts'

/** A resource that the description shows as an example. */
export interface ExampleResource {
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Resources by their types. */
export type Examples = Readonly<Record<string, ExampleResource>>

/** Milliseconds for the examples of all types; what is not read by then is made by kind. */
const timeout = 1000
/** The longest value that is shown, as JSON in UTF-16 code units; a longer one is made by kind. */
const maxLength = 200

/**
 * Reads one resource of each type, with the rights of the identity of a request: each read is `GET {path}?page[size]=1` of that
 * identity. A type with hooks around reads is left out, because they may count or record who reads; so is a type that the identity
 * may not read, and one whose read fails or finds nothing.
 */
export async function readExamples(
  routes: readonly ModelRoute[],
  request: ApiRequest,
  context: AppContext,
): Promise<Examples> {
  const deadline = AbortSignal.timeout(timeout)
  const examples: Record<string, ExampleResource> = {}
  for (const route of routes) {
    if (deadline.aborted) break
    if (route.target.is !== 'collection') continue
    if (hasReadHooks(route.target.resource) || !mayRead(request, route.target.resource, context))
      continue
    const example = await readFirst(route, { request, deadline }, context)
    if (example) examples[route.target.resource.type] = example
  }
  return examples
}

/** False if the identity may read no resource of a type: a request would be recorded as denied. */
function mayRead({ auth }: ApiRequest, { type }: ResourceType, { findView }: AppContext): boolean {
  return findView?.(auth).shape.rules.types.get(type)?.read !== false
}

function hasReadHooks({ hooks }: ResourceType): boolean {
  return hooks.beforeRead !== undefined || hooks.afterRead !== undefined
}

/** Returns the first resource of a collection; `undefined` if there is none or the identity may not read it. */
async function readFirst(
  { methods }: ModelRoute,
  { request, deadline }: Readonly<{ request: ApiRequest; deadline: AbortSignal }>,
  context: AppContext,
): Promise<ExampleResource | undefined> {
  // An adapter may create its members when they are first read, so they cannot be spread.
  const { auth, origin, requestId, ip, log } = request
  const search = { id: '', search: 'page[size]=1', body: new Uint8Array() }
  try {
    const response = await methods.GET?.(
      { auth, origin, requestId, ip, log, ...search, signal: () => deadline },
      context,
    )
    // One resource is never a stream.
    return typeof response?.body === 'string' ? parseFirst(response.body) : undefined
  } catch {
    return undefined
  }
}

function parseFirst(text: string): ExampleResource | undefined {
  const { data } = JSON.parse(text)
  const [first]: readonly unknown[] = Array.isArray(data) ? data : []
  if (!isObject(first) || typeof first.id !== 'string') return undefined
  const attributes = Object.entries(isObject(first.attributes) ? first.attributes : {})
  const short = attributes.filter(([, value]) => JSON.stringify(value).length <= maxLength)
  return { id: first.id, attributes: Object.fromEntries(short) }
}
