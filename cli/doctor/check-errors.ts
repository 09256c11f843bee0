import { describeResponse, type Examination } from './examination.ts'
import type { ExaminedResponse } from './examined-api.ts'

const mediaType = 'application/vnd.api+json'

/** A request that the server must reject, or respond to with the media type of JSON:API. */
interface ErrorCase {
  /** The end of the sentence "… must be 400". */
  readonly request: string
  readonly status: number
  /** The part of the target after the path of the type. */
  readonly suffix: string
  readonly accept?: string
}

// biome-ignore format: a table, one request a row
const cases: readonly ErrorCase[] = [
  { request: 'a resource that does not exist', status: 404, suffix: '/no-such-id' },
  { request: 'an include path that does not exist', status: 400, suffix: '?include=no-such-name' },
  { request: 'a sort field that does not exist', status: 400, suffix: '?sort=no-such-name' },
  { request: 'an unknown query parameter in small letters', status: 400, suffix: '?nosuchparameter=1' },
  { request: 'a page that is not a number', status: 400, suffix: '?page[number]=x' },
  { request: 'a media type of JSON:API with a parameter in Accept', status: 406, suffix: '', accept: `${mediaType}; no=1` },
]

/**
 * Checks the responses to requests that a server must reject, and the media type of its documents.
 * @see https://jsonapi.org/format/1.0/#content-negotiation-servers
 */
export async function checkErrors({ api, type, violations }: Examination): Promise<void> {
  const report = (problem: string, suffix: string) =>
    violations.add({ subject: type.type, problem, example: `GET ${type.path}${suffix}` })
  for (const { request, status, suffix, accept } of cases) {
    const response = await api.get(type.path + suffix, accept)
    if (response.status !== status)
      report(`${request} must be ${status}; it is ${describeResponse(response)}`, suffix)
    else if (!isErrorDocument(response))
      report(`${request} has no error document of JSON:API with the status ${status}`, suffix)
  }
  const { contentType } = await api.get(type.path)
  if (contentType !== mediaType)
    report(`the media type of documents must be ${mediaType}; it is ${contentType}`, '')
}

function isErrorDocument({ status, contentType, document }: ExaminedResponse): boolean {
  const { errors } = document
  return (
    contentType === mediaType &&
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((error) => error.status === String(status))
  )
}
