import { listOf } from './examination.ts'
import type { ExaminedApi, ExaminedResource, ExaminedResponse } from './examined-api.ts'

/** The resources of the first pages of a list. */
interface ReadPages {
  readonly resources: readonly ExaminedResource[]
  /** The count of the last page that was read; `undefined` if its list is not counted. */
  readonly count: number | undefined
  /** The page that was not read, because there are enough resources. */
  readonly next: string | undefined
  /** The page that is not readable. */
  readonly failure?: Readonly<{ url: string; response: ExaminedResponse }>
}

/**
 * Reads a list page by page, by the links `next`, which lead through numbered pages and through those between cursors.
 * @param enough - the number of resources after which it stops
 */
export async function readPages(
  { get }: Pick<ExaminedApi, 'get'>,
  url: string,
  enough = Number.POSITIVE_INFINITY,
): Promise<ReadPages> {
  const resources: ExaminedResource[] = []
  const read = new Set<string>()
  let next: string | undefined = url
  let count: number | undefined
  while (next !== undefined && !read.has(next) && resources.length < enough) {
    read.add(next)
    const response: ExaminedResponse = await get(next)
    const { meta, links, data } = response.document
    if (response.status !== 200 || data === undefined)
      return { resources, count, next, failure: { url: next, response } }
    resources.push(...listOf(response.document))
    count = meta?.count
    next = links?.next ?? undefined
  }
  return { resources, count, next }
}
