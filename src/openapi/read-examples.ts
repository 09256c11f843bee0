import type { AppContext } from '../endpoints/app-context.ts'
import type { ApiRequest } from '../endpoints/handler.ts'
import type { FirstPage, FirstPageReader } from '../endpoints/read-first-pages.ts'
import { isObject } from '../model/kinds/json.ts'

/** A resource that the description shows as an example. */
export interface ExampleResource {
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Resources by their types. */
export type Examples = Readonly<Record<string, ExampleResource>>

/** The default of `examplesTimeout`. */
const defaultTimeout = 1000
/** The longest value that is shown, as JSON in UTF-16 code units; a longer one is made by kind. */
const maxLength = 200

/**
 * Reads one resource of each type that the identity of a request may read.
 *
 * @param timeout - milliseconds for all types; what is not read by then is made by kind
 * @returns `isComplete` is false if the time was too short
 */
export async function readExamples(
  readFirstPages: FirstPageReader,
  { auth, origin, requestId, ip, log }: ApiRequest,
  {
    context,
    timeout = defaultTimeout,
  }: Readonly<{ context: AppContext; timeout: number | undefined }>,
): Promise<Readonly<{ examples: Examples; isComplete: boolean }>> {
  const signal = AbortSignal.timeout(timeout)
  const pages = await readFirstPages({ auth, origin, requestId, ip, log, signal }, context)
  const examples = [...pages].flatMap(([type, page]) => {
    const example = toExample(page)
    return example ? [[type, example] as const] : []
  })
  return { examples: Object.fromEntries(examples), isComplete: !signal.aborted }
}

function toExample({ first }: FirstPage): ExampleResource | undefined {
  if (typeof first?.id !== 'string') return undefined
  const attributes = Object.entries(isObject(first.attributes) ? first.attributes : {})
  const short = attributes.filter(([, value]) => JSON.stringify(value).length <= maxLength)
  return { id: first.id, attributes: Object.fromEntries(short) }
}
