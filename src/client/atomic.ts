import { isObject } from '../model/kinds/json.ts'
import { atomicMediaType } from '../model/media-types.ts'
import { recordBatch } from '../parse/format-operations.ts'
import { formatQuery, type QueryInput } from '../parse/format-query.ts'
import { linkResources } from './link-resources.ts'
import { omitMessage, readNew, readWrite } from './read-write.ts'
import type { LocationFinder } from './root-document.ts'
import type { ResponseDocument, Send, WriteCallOptions } from './transport.ts'

/** The options of a batch, without the types that follow from the declarations. */
interface UntypedOptions extends WriteCallOptions<boolean>, Partial<Pick<QueryInput, 'fields'>> {}

/** Creates the call of several operations in one request. @param url - the address of the API, without a slash at the end */
export function createBatchSender(url: string, send: Send, find: LocationFinder) {
  return async (work: unknown, { fields, ...options }: UntypedOptions = {}): Promise<unknown> => {
    const { operations, pick } = recordBatch(work)
    const formatted: unknown[] = []
    for (const { type, format } of operations) {
      const { relatedType, url: collection } = await find(type)
      formatted.push(format({ type, relatedType, path: collection.slice(url.length + 1) }))
    }
    const search = fields === undefined ? '' : `?${formatQuery({ fields })}`
    const document = await send({
      ...options,
      method: 'POST',
      url: `${url}/operations${search}`,
      mediaType: atomicMediaType,
      body: { 'atomic:operations': formatted },
    })
    return readWrite(document, options, (written) => pick(readResults(written)))
  }
}

function readResults({ 'atomic:results': results }: ResponseDocument): readonly unknown[] {
  return Array.isArray(results) ? results.map(readResult) : []
}

/** The result of an operation as that of a call of its own. */
function readResult(result: unknown): unknown {
  if (!isObject(result)) return undefined
  if (isObject(result.meta) && 'wouldCreate' in result.meta)
    return readNew(result.meta.wouldCreate, linkResources)
  if (!('data' in result)) return omitMessage(result.meta)
  const data = linkResources(result)
  return Array.isArray(data) ? { data, meta: { count: data.length }, links: {} } : data
}
