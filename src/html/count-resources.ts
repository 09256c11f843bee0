import { silentLogger } from '../endpoints/handler.ts'
import { createFirstPageReader } from '../endpoints/read-first-pages.ts'
import type { PageRequest, RoutedRequest } from '../http/html.ts'

/** The numbers of resources, by type. */
type Counts = ReadonlyMap<string, number>

/** The request of a page; that of the landing page with the numbers of resources that could be counted in time. */
export interface CountedRequest extends PageRequest {
  readonly counts?: Counts
}

/** Counts the resources of each type that an identity may read. */
export type CountReader = (routed: RoutedRequest, origin: string | undefined) => Promise<Counts>

/** Milliseconds for all counts of a landing page. The script of the page counts what takes longer. */
const timeout = 300

/** Creates a counter of resources. */
export function createCountReader(): CountReader {
  const readFirstPages = createFirstPageReader()
  return async ({ context, auth }, origin = '') => {
    const request = {
      ...{ auth, origin, requestId: undefined, ip: undefined, log: silentLogger },
      signal: AbortSignal.timeout(timeout),
    }
    const pages = await readFirstPages(request, context)
    return new Map(
      [...pages].flatMap(([type, { count }]) => (count === undefined ? [] : [[type, count]])),
    )
  }
}
