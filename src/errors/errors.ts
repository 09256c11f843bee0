import { type FaultCode, type FaultRow, faults } from './codes.ts'

/** A fault the client is told about. Each subclass says *where* in the request it lies. */
export abstract class ApiError extends Error {
  /** A key of the table of faults, or what a service calls a refusal of its own. */
  readonly code: string
  /** The HTTP status of this fault alone. */
  readonly status: number
  /** What all faults of the code have in common. */
  readonly title: string
  constructor(
    code: FaultCode | Readonly<{ code: string } & FaultRow>,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options)
    this.name = new.target.name
    const row = typeof code === 'string' ? { code, ...faults[code] } : code
    this.code = row.code
    this.status = row.status
    this.title = row.title
  }
  /** Where in the request it lies, in the words of the subclass. */
  abstract readonly where: string
}

/** In the path or the query string: told as `source.parameter`. */
export class ParameterError extends ApiError {
  readonly parameter: string
  constructor(code: FaultCode, parameter: string, detail: string, options?: ErrorOptions) {
    super(code, detail, options)
    this.parameter = parameter
  }
  get where(): string {
    return this.parameter
  }
}

/** A path names a resource that is not there. */
export class NotFoundError extends ParameterError {
  constructor(type: string, id: string, parameter: string) {
    super('not_found', parameter, `There is no ${type} with id ${quoted(id)}.`)
  }
}

/** In the body: told as `source.pointer` (RFC 6901), where `''` is the whole document. */
export class BodyError extends ApiError {
  readonly pointer: string
  constructor(code: FaultCode, pointer: string, detail: string, options?: ErrorOptions) {
    super(code, detail, options)
    this.pointer = pointer
  }
  get where(): string {
    return this.pointer
  }
}

/** A name as a step of a JSON Pointer (RFC 6901 §3). */
export function pointerStep(name: string): string {
  // Hardly any name has something to escape, and to look is quicker than to replace.
  return `/${/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name}`
}

/** In the request line or a header: JSON:API 1.0 has no `source` for these. */
export class HeaderError extends ApiError {
  /** Header fields the answer must carry, e.g. `allow` of a 405. */
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: FaultCode,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(code, detail, options)
    this.headers = headers
  }
  get where(): string {
    return ''
  }
}

/** What a service says of a refusal of its own. */
export interface RefusalOptions {
  /** One sentence for the client. */
  readonly detail: string
  /** The HTTP status. Default 403. */
  readonly status?: number
  /** Stable, for programs. Default `refused`. */
  readonly code?: string
  /** What all refusals of the code have in common. Default that of `refused`. */
  readonly title?: string
  /** Where in the body the reason lies (RFC 6901), e.g. `/data/attributes/name`. */
  readonly pointer?: string
  /** The query parameter in which the reason lies. */
  readonly parameter?: string
  /** Header fields the answer must carry, e.g. `www-authenticate` of a 401. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a service's own code throws to refuse a request; told as any fault of the client's. */
export class Refusal extends ApiError {
  readonly pointer: string | undefined
  readonly parameter: string | undefined
  readonly headers: Readonly<Record<string, string>>
  constructor({ detail, pointer, parameter, headers = {}, ...own }: RefusalOptions) {
    super({ code: 'refused', ...faults.refused, ...own }, detail)
    this.pointer = pointer
    this.parameter = parameter
    this.headers = headers
  }
  get where(): string {
    return this.pointer ?? this.parameter ?? ''
  }
}

/** The longest name or value that a detail shows whole, in characters. */
const longest = 80

/** A name or value as an error detail shows it: in quotes, shortened when it is long. */
export function quoted(value: unknown): string {
  const text =
    typeof value === 'bigint' ? String(value) : (JSON.stringify(beginning(value)) ?? 'nothing')
  return text.length <= longest
    ? text
    : `${shortened(text, longest - 3)}…${text.startsWith('"') ? '"' : ''}`
}

/** The first characters of a text; no character is cut in two. */
export function shortened(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}

/**
 * As much of a value as a detail can show of it, at proportional cost: it is a client's, so it may be long and may nest
 * deep. What is written of a part is at least one character, in the order in which they are visited here.
 */
function beginning(value: unknown): unknown {
  let room = longest + 1
  const visit = (each: unknown): unknown => {
    room -= 1
    if (typeof each === 'string') return each.slice(0, longest + 1)
    if (typeof each === 'bigint') return String(each)
    if (typeof each !== 'object' || each === null || 'toJSON' in each) return each
    if (Array.isArray(each)) {
      const parts: unknown[] = []
      for (const part of each) {
        if (room <= 0) break
        parts.push(visit(part))
      }
      return parts
    }
    const members: [string, unknown][] = []
    for (const [name, part] of Object.entries(each)) {
      if (room <= 0) break
      members.push([name.slice(0, longest + 1), visit(part)])
    }
    return Object.fromEntries(members)
  }
  return visit(value)
}
