import {
  attempt,
  collectErrors,
  emptyCollector,
  ManyErrors,
  mapCollectingErrors,
  report,
  throwErrors,
} from '../errors/collector.ts'
import {
  type ApiError,
  BodyError,
  formatPointer,
  ParameterError,
  pointerToken,
} from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { findNearest, suggest } from '../errors/suggestion.ts'
import { isObject, type JsonValue, serializeJson } from '../model/kinds/json.ts'
import { encodeQuery, type Pair } from './encode-query.ts'
import {
  describeJsonError,
  describeJsonType,
  findRepeated,
  NestingError,
  parseJson,
} from './json.ts'
import { findFilterArray } from './other-idioms.ts'
import { getQueryParameter, isParameterName, parameterNames } from './parameters.ts'
import { decodePairs } from './query.ts'

// The body of a QUERY (RFC 10008) says what the query string of a GET says: as a form it is the query string, and as JSON each member
// is a parameter, or a family of parameters. Both become the query string of the GET that means the same.

/** The query of a request: of its URL and of its body. */
interface CombinedQuery {
  /** The query string, without its `?`. */
  readonly search: string
  /** The pointers to the members of a JSON body, by the names of their parameters. */
  readonly members: Members
}

type Members = ReadonlyMap<string, string>

/** A parameter, and the member of a JSON body that it is. */
type Member = readonly [name: string, value: string, pointer: string]

/**
 * Reads the body of a QUERY.
 * @param search - the query string of the URL, without its `?`
 * @throws ApiError | ManyErrors (400): `invalid_json`, `invalid_document` or `unknown_parameter` for the body, `repeated_parameter` for a
 *   parameter that the URL has, too
 */
export function parseQueryBody(
  body: Uint8Array,
  search: string,
  is: 'json' | 'form',
): CombinedQuery {
  // As Node decodes the request line: `decodePairs` reads the bytes of UTF-8 in it.
  const parsed = is === 'json' ? parseMembers(body) : []
  const sent =
    is === 'json' ? encodeQuery(parsed.map(toPair)).slice(1) : Buffer.from(body).toString('latin1')
  const { inUrl, inBody } = collectErrors({
    inUrl: () => decodePairs(search),
    inBody: () => decodePairs(sent),
  })
  const names = new Set(inUrl.map(([name]) => name))
  const members = new Map(
    parsed.map(([name, , pointer]) => [name.toWellFormed(), pointer.toWellFormed()]),
  )
  const errors = emptyCollector()
  for (const name of new Set(inBody.map(([each]) => each)))
    if (names.has(name)) report(errors, () => toPointer(repeatedError(name), members))
  throwErrors(errors)
  return { search: [search, sent].filter((part) => part !== '').join('&'), members }
}

/** A name and a value whose characters have an encoding. */
function toPair([name, value]: Member): Pair {
  return [name.toWellFormed(), value.toWellFormed()]
}

function repeatedError(name: string): ParameterError {
  const detail = `The parameter ${quote(name)} is in the URL and in the body; send it in one of them.`
  return new ParameterError('repeated_parameter', name, detail)
}

/** Turns the errors of parameters that are members of a JSON body into errors with a pointer to them; returns any other value. */
export function toPointers(thrown: unknown, { members }: Pick<CombinedQuery, 'members'>): unknown {
  if (thrown instanceof ParameterError) return toPointer(thrown, members)
  if (!(thrown instanceof ManyErrors)) return thrown
  const errors = thrown.errors.map((error) =>
    error instanceof ParameterError ? toPointer(error, members) : error,
  )
  return new ManyErrors({ errors, more: thrown.more })
}

function toPointer(error: ParameterError, members: Members): ApiError {
  const { parameter, path, code, status, title, message, meta } = error
  const pointer = members.get(parameter)
  if (pointer === undefined) return error
  // The path begins with the parameter: `filter[0].or[1].op`.
  const rest = path.slice(parameter.length).split(/[.[\]]+/)
  const tokens = rest.filter((token) => token !== '').map(pointerToken)
  return new BodyError({ code, status, title }, pointer + tokens.join(''), message, { meta })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The parameters of a JSON body. @throws ApiError | ManyErrors (400) with every error of its structure */
function parseMembers(body: Uint8Array): readonly Member[] {
  const text = readJson(() => utf8.decode(body))
  const json = readJson(() => parseJson(text))
  if (!isObject(json)) throw bodyError('', `must be an object; it is ${describeJsonType(json)}`)
  const errors = emptyCollector()
  for (const path of findRepeated(text)) report(errors, () => repeatedMemberError(path))
  const members = Object.entries(json).flatMap(
    ([name, value]) => attempt(() => parseMember(name, value), errors) ?? [],
  )
  throwErrors(errors)
  return members
}

/** A name that is repeated in an object: of a parameter, of a member of its family, or in a filter object. */
function repeatedMemberError(path: readonly (string | number)[]): BodyError {
  const isFilter = path.length > 1 && /^(?:filter|includeFilter)$/.test(String(path[0]))
  const pointer = formatPointer(path)
  const detail = `The member ${quote(path.at(-1))} is sent more than once in its object; remove all but one.`
  return new BodyError(isFilter ? 'invalid_filter' : 'repeated_parameter', pointer, detail)
}

/** @throws BodyError `invalid_json` */
function readJson<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const problem =
      error instanceof NestingError ? error.message : `is not JSON: ${describeJsonError(error)}`
    throw new BodyError('invalid_json', '', `The body ${problem}.`)
  }
}

function parseMember(name: string, value: unknown): readonly Member[] {
  const pointer = pointerToken(name)
  if (!isParameterName(name)) throw unknownMember(name, value, pointer)
  const { isPlain, value: is } = getQueryParameter(name)
  if (name === 'includePage') return parseIncludePages(name, value)
  if (!isPlain) return parseFamily(name, value, readers[is])
  const text = readers[is](value, pointer)
  // An empty list of names is that of a parameter that is absent, but for `include`.
  return text === '' && is === 'names' && name !== 'include' ? [] : [[name, text, pointer]]
}

const readers = {
  // The value is parsed JSON.
  json: (value: unknown) => serializeJson(value as JsonValue),
  names: joinNames,
  scalar: readScalar,
}

function unknownMember(name: string, value: unknown, pointer: string): BodyError {
  const form = `{"filter":${findFilterArray({ [name]: value }) ?? ''}}`
  const isField = findNearest(name, parameterNames) === undefined && form !== '{"filter":}'
  const known = suggest(name, parameterNames, 'members')
  const remedy = isField ? `a filter by a field is ${form}, and ${known}` : known
  const detail = `There is no member ${quote(name)}; ${remedy}`
  return new BodyError('unknown_parameter', pointer, detail)
}

/** Parses an object whose members are the parameters `name[member]`. */
function parseFamily(
  name: string,
  value: unknown,
  read: (value: unknown, pointer: string) => string,
  parent = pointerToken(name),
): readonly Member[] {
  const members = Object.entries(requireObject(value, parent))
  return mapCollectingErrors(members, ([member, each]): Member => {
    const pointer = parent + pointerToken(member)
    return [`${name}[${member}]`, read(each, pointer), pointer]
  })
}

/** Parses `includePage`: an object whose members are the families of parameters `includePage[path][member]`. */
function parseIncludePages(name: string, value: unknown): readonly Member[] {
  const parent = pointerToken(name)
  const families = Object.entries(requireObject(value, parent))
  return mapCollectingErrors(families, ([path, each]) =>
    parseFamily(`${name}[${path}]`, each, readScalar, parent + pointerToken(path)),
  ).flat()
}

function requireObject(value: unknown, pointer: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw bodyError(pointer, `must be an object; it is ${describeJsonType(value)}`)
}

/** The longest text of which an error shows the names. */
const maxShown = 200

function joinNames(value: unknown, pointer: string): string {
  if (!Array.isArray(value)) {
    const isShort = typeof value === 'string' && value !== '' && value.length <= maxShown
    const remedy = isShort ? `; send ${JSON.stringify(value.split(','))} instead` : ''
    throw bodyError(pointer, `must be an array of names; it is ${describeJsonType(value)}${remedy}`)
  }
  for (const [index, name] of value.entries())
    if (typeof name !== 'string' || name === '' || name.includes(','))
      throw bodyError(`${pointer}/${index}`, `must be one name; it is ${quote(name)}`)
  return value.join(',')
}

function readScalar(value: unknown, pointer: string): string {
  if (typeof value === 'string') return value
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  throw bodyError(
    pointer,
    `must be a text, a number or a boolean; it is ${describeJsonType(value)}`,
  )
}

/** @param problem - the rest of the detail's sentence, without its period */
function bodyError(pointer: string, problem: string): BodyError {
  const subject = pointer === '' ? 'The body' : pointer
  return new BodyError('invalid_document', pointer, `${subject} ${problem}.`)
}
