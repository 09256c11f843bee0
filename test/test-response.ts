import { AssertionError } from 'node:assert/strict'
import type { Exchange } from './client.ts'

/** A resource identifier. */
export interface Identifier {
  type: string
  id: string
}

/** A relationship object. */
export interface Linkage {
  links?: Record<string, string>
  data?: Identifier | Identifier[] | null
  meta?: { count: number }
}

/** A resource object. */
export interface Resource extends Identifier {
  attributes?: Record<string, unknown>
  relationships?: Record<string, Linkage>
  links?: Record<string, string>
  meta?: { version?: string; page?: { cursor: string } }
}

/** An error object. */
export interface ErrorObject {
  status: string
  code: string
  title: string
  detail: string
  source?: { pointer?: string; parameter?: string; header?: string }
  meta?: { version?: string; page?: { maxSize: number } }
  id?: string
}

/** A parsed document. The checker and the tests assert which members it has. */
export interface Document {
  data?: Resource | Resource[] | null
  included?: Resource[]
  links?: Record<string, string>
  meta?: Record<string, unknown>
  errors?: ErrorObject[]
  jsonapi?: { version?: string }
}

/** The response of the service. */
export interface TestResponse {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Record<string, string>
  readonly text: string
  /** `{}` when there is no body. */
  readonly body: Document
  /** The primary data, which must be one resource. */
  readonly one: Resource
  /** The primary data, which must be a list. */
  readonly many: Resource[]
  /** The first error. The response must have one. */
  readonly error: ErrorObject
}

/** Reads a response that the checker has accepted. @param parsed - its body, if it is parsed already */
export function parseResponse(exchange: Exchange, parsed?: unknown): TestResponse {
  const { status, headers, text } = exchange
  const body: Document = text === '' ? {} : (parsed ?? JSON.parse(text))
  const reject = (wanted: string): never => {
    throw new AssertionError({ message: `expected ${wanted}\n${describeExchange(exchange)}` })
  }
  return {
    status,
    headers,
    text,
    body,
    get one() {
      const { data } = body
      return data && !Array.isArray(data) ? data : reject('one resource')
    },
    get many() {
      return Array.isArray(body.data) ? body.data : reject('a list')
    },
    get error() {
      return body.errors?.[0] ?? reject('an error')
    },
  }
}

/** Formats an exchange, for the message of a failed test. */
export function describeExchange({ method, url, sent, status, headers, text }: Exchange): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${url}`, short(sent), `→ ${status}`, ...lines, '', short(text)].join('\n')
}

function short(text: string): string {
  const most = 50_000
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
}

/** The ids of a list of resources, in order. */
export function ids(response: TestResponse): string[] {
  return response.many.map(({ id }) => id)
}
