import { faults } from '../errors/codes.ts'
import { type ErrorList, errorsIn } from '../errors/collector.ts'
import { type ApiError, BodyError, HeaderError, ParameterError, Refusal } from '../errors/errors.ts'
import { jsonapi } from './document.ts'

/** A refusal ready to send. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Tells a client's faults.
 *
 * @returns the status that the reported ones share, or 400, the most general, when they differ (JSON:API 1.0, Processing
 *   Errors); `undefined` when the thrown value is no fault of the client's
 */
export function errorAnswer(thrown: unknown): ErrorAnswer | undefined {
  const list = errorsIn(thrown)
  const [first, ...others] = list?.errors ?? []
  if (list === undefined || first === undefined) return undefined
  return {
    status: others.every(({ status }) => status === first.status) ? first.status : 400,
    headers: first instanceof HeaderError || first instanceof Refusal ? first.headers : {},
    body: errorsDocument(list.errors.map(errorObject), list),
  }
}

/** Tells a fault of ours: an id to find it by in the log, and nothing else. */
export function internalErrorAnswer(id: string): ErrorAnswer {
  const detail = `The server failed to answer. Its log tells more under the id ${id}.`
  return {
    status: 500,
    headers: {},
    body: errorsDocument(
      [{ id, ...common({ code: 'internal_error', ...faults.internal_error }, detail) }],
      { more: 0 },
    ),
  }
}

/** @param list - says in `meta` how many more errors there are, where there are any */
function errorsDocument(errors: readonly object[], { more }: Pick<ErrorList, 'more'>): string {
  const meta = more > 0 ? `"meta":{"moreErrors":${more}},` : ''
  return `{"errors":${JSON.stringify(errors)},${meta}${jsonapi}}`
}

function errorObject(error: ApiError): object {
  return { ...common(error, error.message), ...sourceOf(error) }
}

function common(
  { code, status, title }: Readonly<Pick<ApiError, 'code' | 'status' | 'title'>>,
  detail: string,
): object {
  return { status: String(status), code, title, detail }
}

function sourceOf(error: ApiError): object {
  if (error instanceof ParameterError) return { source: { parameter: error.parameter } }
  if (error instanceof BodyError) return { source: { pointer: error.pointer } }
  if (!(error instanceof Refusal)) return {}
  const { pointer, parameter } = error
  if (pointer !== undefined) return { source: { pointer } }
  return parameter === undefined ? {} : { source: { parameter } }
}
