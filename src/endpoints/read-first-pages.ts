import { hasReadHooks } from '../lifecycle/read-hooks.ts'
import { needsParameters } from '../model/declare/table-function.ts'
import { isObject } from '../model/kinds/json.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { findRowCondition } from '../plan/access/identity.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest } from './handler.ts'
import { listRoutes } from './protected-routes.ts'
import type { ModelRoute } from './route-table.ts'

/** Who reads, and how long the reads may take. */
interface FirstPagesRequest
  extends Pick<ApiRequest, 'auth' | 'origin' | 'requestId' | 'ip' | 'log'> {
  /** Stops the reads. */
  readonly signal: AbortSignal
}

/** The document of `GET {path}?page[size]=1`. */
export interface FirstPage {
  /** The first resource object, if there is one. */
  readonly first: Readonly<Record<string, unknown>> | undefined
  /** How many resources there are. */
  readonly count: number | undefined
}

/** Reads the first page of each collection of an application, by type. */
export type FirstPageReader = (
  request: FirstPagesRequest,
  context: AppContext,
) => Promise<ReadonlyMap<string, FirstPage>>

/** The reads that run at the same time. */
const concurrency = 4

/**
 * Creates a reader of collections: of each type, the first resource and the number of all. It reads with the rights of
 * an identity, and what is not read in time is absent. So is a type with hooks around reads, because they may count or record who
 * reads, a type whose list needs parameters, a type that the identity may not read, and one whose read fails.
 */
export function createFirstPageReader(): FirstPageReader {
  const listCollections = memoizeByIdentity((context: AppContext) =>
    listRoutes(context).filter(
      ({ target }) =>
        target.is === 'collection' &&
        !hasReadHooks(target.resource) &&
        !needsParameters(target.resource.table),
    ),
  )
  return async (request, context) => {
    const routes = listCollections(context)
    const { signal } = request
    const found = new Map<string, FirstPage>()
    const remaining = routes.filter((route) => mayRead(request, route, context))
    const readNext = async (): Promise<void> => {
      for (let route = remaining.shift(); route && !signal.aborted; route = remaining.shift()) {
        const page = await readFirstPage(route, request, context)
        if (page && 'resource' in route.target) found.set(route.target.resource.type, page)
        // A read of SQLite returns at once: hundreds of them would be one piece, in which nobody is served and no time is up.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await Promise.all(Array.from({ length: concurrency }, readNext))
    return found
  }
}

/** False if the identity may read no resource of a type: a request would be recorded as denied. */
function mayRead(
  { auth }: FirstPagesRequest,
  { target }: ModelRoute,
  { findView }: AppContext,
): boolean {
  if (target.is === 'root' || findView === undefined) return true
  return findRowCondition(findView(auth).shape.rules, target.resource.type, 'read') !== false
}

async function readFirstPage(
  { methods }: ModelRoute,
  request: FirstPagesRequest,
  context: AppContext,
): Promise<FirstPage | undefined> {
  // An adapter may create the members of a request when they are first read, so they cannot be spread.
  const { auth, origin, requestId, ip, log, signal } = request
  const query = { id: '', search: 'page[size]=1', body: new Uint8Array() }
  try {
    const response = await methods.GET?.(
      { auth, origin, requestId, ip, log, ...query, signal: () => signal },
      context,
    )
    // One resource is never a stream.
    return typeof response?.body === 'string' ? parseFirstPage(response.body) : undefined
  } catch {
    return undefined
  }
}

function parseFirstPage(text: string): FirstPage {
  const { data, meta } = JSON.parse(text)
  const [first]: readonly unknown[] = Array.isArray(data) ? data : []
  const count: unknown = isObject(meta) ? meta.count : undefined
  return {
    first: isObject(first) ? first : undefined,
    count: typeof count === 'number' ? count : undefined,
  }
}
