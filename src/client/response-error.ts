/** An error object of a response: https://jsonapi.org/format/1.0/#error-objects */
export interface ErrorObject {
  readonly status?: string
  /** The code of the error, which never changes (`docs/errors.md`). */
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  /** `type` identifies the type of the error, where the server of JSON:API 1.1 has addresses of them. */
  readonly links?: Readonly<{ type?: string }>
  readonly source?: Readonly<{ pointer?: string; parameter?: string; header?: string }>
  readonly meta?: Readonly<{ version?: string }>
  readonly [member: string]: unknown
}

/** The parts of a response that an error keeps. */
export interface FailedResponse {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** The error objects of its document; empty if it has none. */
  readonly errors: readonly ErrorObject[]
}

/**
 * A response that reports errors, or that is not a JSON:API document. Errors of the connection, and those of an aborted signal, are
 * thrown as `fetch` throws them.
 */
export class ResponseError extends Error {
  readonly method: string
  /** The URL of the request. */
  readonly url: string
  /** The HTTP status code. */
  readonly status: number
  readonly headers: Headers
  /** The error objects of the document; empty if the response is not a JSON:API document. */
  readonly errors: readonly ErrorObject[]

  /** @param problem - completes the message after the request and the status */
  constructor(response: FailedResponse, problem: string, options?: ErrorOptions) {
    const { method, url, status, headers, errors } = response
    const [address] = url.split('?')
    super(`${method} ${address}: ${status}, ${problem}`, options)
    this.name = new.target.name
    this.method = method
    this.url = url
    this.status = status
    this.headers = headers
    this.errors = errors
  }

  /** The code of the first error; `undefined` if the response is not a JSON:API document. */
  get code(): string | undefined {
    return this.errors[0]?.code
  }

  /** Seconds to wait before the next try, of the header field `Retry-After`; `undefined` without one. */
  get retryAfter(): number | undefined {
    const text = this.headers.get('retry-after')
    if (text === null) return undefined
    const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
    return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
  }

  /**
   * Returns the errors of a member of the request body, and of what is inside it.
   * @param pointer - a JSON Pointer (RFC 6901), e.g. `/data/attributes/name`
   */
  at(pointer: string): readonly ErrorObject[] {
    return this.errors.filter(({ source }) => {
      const found = source?.pointer
      return found === pointer || found?.startsWith(`${pointer}/`)
    })
  }
}

/** A write whose condition does not hold (412): what it changes has another version. Nothing was written. */
export class PreconditionFailedError extends ResponseError {
  /** The present version; `undefined` if the response does not have it. */
  get current(): string | undefined {
    const [first] = this.errors
    return first?.meta?.version
  }
}
