import type { IncomingMessage, ServerResponse } from 'node:http'
import { flattenText } from '../../model/flatten-text.ts'

// Memoized response heads. Node formats the head of each response field by field: it checks the characters of each name and
// value by regular expressions, and joins three dozen strings. But the fields of nearly all responses have the same values, as
// have `Date`, `Connection` and `Keep-Alive` for a second. These responses remember the formatted fields: a head takes 0.26 µs
// instead of 0.65, for a row such as `one` of the benchmark. To write past Fastify saves
// more, but plugins would not see the responses.
//
// Invariant: a head is the same, byte for byte, as Node's own. Node writes every head that is not of the usual form, and the
// first one of each server is written by both: as long as the two differ, Node's is sent.

/** Properties of Node's responses that its documentation does not name. */
interface ResponseState {
  _header: string | null
  _headerSent: boolean
  _contentLength: number | null
  _removedContLen: boolean
  readonly _removedConnection: boolean
  readonly _keepAliveTimeout: number
  readonly _maxRequestsPerSocket: number | null
  readonly _defaultKeepAlive: boolean
  readonly maxRequestsOnConnectionReached: boolean
  _storeHeader(statusLine: string, headers: unknown): void
}

type ResponseClass = typeof ServerResponse<IncomingMessage>
type InternalResponseClass = new (
  ...parameters: ConstructorParameters<ResponseClass>
) => ServerResponse & ResponseState

/** Header fields by name. */
type Headers = Readonly<Record<string, unknown>>

/** The last value of a header field, and its line if the value was there twice in succession. */
interface Field {
  readonly value: string
  readonly line: string | undefined
}

/** Fields that change how Node sends the response. */
const controlFields = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer'],
  ...['expect', 'date', 'content-length', 'content-disposition'],
])
/** Of so many names the last value is remembered. */
const maxFields = 100

/** Creates the class of the responses of one server, for the option `ServerResponse` of `createServer` of `node:http`. */
export function createResponseClass(): ResponseClass {
  const { ServerResponse, validateHeaderName, validateHeaderValue } =
    process.getBuiltinModule('node:http')
  const fields = new Map<string, Field>()
  const formatEnd = createEndFormatter()
  let isVerified = false

  /** Formats a field; `undefined` if Node must. @throws what Node throws for a malformed field */
  function formatField(name: string, headers: Headers): string | undefined {
    const value = headers[name]
    const known = fields.get(name)
    const isRepeated = known !== undefined && known.value === value
    if (isRepeated && known.line !== undefined) return known.line
    if (typeof value !== 'string' || !Object.hasOwn(headers, name)) return undefined
    if (controlFields.has(name.toLowerCase())) return undefined
    validateHeaderName(name)
    validateHeaderValue(name, value)
    const line = `${name}: ${value}\r\n`
    if (known !== undefined || fields.size < maxFields)
      fields.set(name, { value, line: isRepeated ? flattenText(line) : undefined })
    return line
  }

  /** Formats a head; `undefined` if Node must. `length` is the value of `content-length`. */
  function formatHead(
    { _keepAliveTimeout }: ResponseState,
    statusLine: string,
    headers: Headers,
    length: string,
  ): string | undefined {
    let head = statusLine
    for (const name in headers) {
      const isLength = name === 'content-length'
      const line = isLength ? `content-length: ${length}\r\n` : formatField(name, headers)
      if (line === undefined) return undefined
      head += line
    }
    return head + formatEnd(_keepAliveTimeout)
  }

  // The types of Node.js have no undocumented properties.
  const Base = ServerResponse as unknown as InternalResponseClass
  class MemoizedHeadResponse extends Base {
    override _storeHeader(statusLine: string, headers: unknown): void {
      const length = findLength(this, headers)
      // `findLength` returns a length for plain objects only.
      const head = length && formatHead(this, statusLine, headers as Headers, length)
      if (head && isVerified) {
        this._header = head
        this._headerSent = false
        this._contentLength = Number(length)
        this._removedContLen = false
        return
      }
      super._storeHeader(statusLine, headers)
      if (head) isVerified = head === this._header
    }
  }
  return MemoizedHeadResponse as unknown as ResponseClass
}

/** Returns the field `content-length` of a head of the usual form; `undefined` for any other head. */
function findLength(
  response: ServerResponse & ResponseState,
  headers: unknown,
): string | undefined {
  if (typeof headers !== 'object' || headers === null || !isUsual(response)) return undefined
  const length = (headers as Headers)['content-length']
  return typeof length === 'string' && length === `${Number(length)}` ? length : undefined
}

/** True if no property of a response changes its head. */
function isUsual(response: ServerResponse & ResponseState): boolean {
  return (
    response.shouldKeepAlive &&
    response.sendDate &&
    response._defaultKeepAlive &&
    response._keepAliveTimeout > 0 &&
    !response._removedConnection &&
    !response._maxRequestsPerSocket &&
    !response.maxRequestsOnConnectionReached &&
    !response.chunkedEncoding
  )
}

/** Creates the function that formats the fields which Node adds, and the end of the head. */
function createEndFormatter(): (keepAliveTimeout: number) => string {
  let known: Readonly<{ timeout: number; text: string }> | undefined
  return (timeout) => {
    if (known?.timeout === timeout) return known.text
    const now = new Date()
    const connection = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(timeout / 1000)}`
    const text = flattenText(`Date: ${now.toUTCString()}\r\n${connection}\r\n\r\n`)
    if (known === undefined)
      setTimeout(() => {
        known = undefined
      }, 1000 - now.getMilliseconds()).unref()
    known = { timeout, text }
    return text
  }
}
