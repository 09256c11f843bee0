import { type FaultCode, type FaultRow, faults } from './faults.ts'

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

/** All faults of one body or one query, told at once (SERVICE §6). */
export class ManyErrors extends Error {
  readonly all: readonly [ApiError, ...ApiError[]]
  constructor(all: readonly [ApiError, ...ApiError[]]) {
    super(all.map((error) => error.message).join(' '))
    this.name = 'ManyErrors'
    this.all = all
  }
}

/** Throws when there is anything to throw: one fault as itself, several together, the same one once. */
export function refuse(errors: readonly ApiError[]): void {
  if (errors.length === 0) return
  const [first, ...others] = new Map(
    errors.map((error) => [JSON.stringify([error.code, error.where, error.message]), error]),
  ).values()
  if (first === undefined) return
  throw others.length === 0 ? first : new ManyErrors([first, ...others])
}

/** The faults within a thrown value, or `undefined` when it is none of the client's. */
export function faultsOf(thrown: unknown): readonly [ApiError, ...ApiError[]] | undefined {
  if (thrown instanceof ApiError) return [thrown]
  return thrown instanceof ManyErrors ? thrown.all : undefined
}

/**
 * Runs every part of a reading and tells the faults of all of them at once.
 *
 * @param parts - each returns its share or throws client faults; any other throw passes through
 * @returns the shares, in order, when no part threw
 * @throws ApiError | ManyErrors with every fault of every part
 */
export function together<Parts extends readonly unknown[]>(
  ...parts: { readonly [Index in keyof Parts]: () => Parts[Index] }
): Parts {
  const errors: ApiError[] = []
  const shares = parts.map((part) => attempt(part, errors))
  refuse(errors)
  // Every part has returned its share, so the tuple is whole: the compiler cannot see that.
  return shares as unknown as Parts
}

/** Runs one part; a client's fault is added to `errors` and `undefined` returned, any other throw passes. */
export function attempt<Share>(part: () => Share, errors: ApiError[]): Share | undefined {
  try {
    return part()
  } catch (thrown) {
    const found = faultsOf(thrown)
    if (found === undefined) throw thrown
    errors.push(...found)
    return undefined
  }
}

/** A name or value as an error detail shows it: in quotes, shortened when it is long. */
export function quoted(value: unknown): string {
  const writable = (_key: string, each: unknown) => (typeof each === 'bigint' ? String(each) : each)
  const text =
    typeof value === 'bigint' ? String(value) : (JSON.stringify(value, writable) ?? 'nothing')
  return text.length <= 80
    ? text
    : `${text.slice(0, 77).toWellFormed()}…${text.startsWith('"') ? '"' : ''}`
}
