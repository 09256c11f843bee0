import { createSchemaCompiler, truncateLists } from './json-schema.ts'
import { type Exchange, mediaType } from './parse-exchange.ts'
import { isObject } from './rule-violation.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Returns the differences between an exchange and the description of its API. @param body - of the response, if it is parsed */
export type FindDifferences = (exchange: Exchange, body?: unknown) => readonly string[]

/** A path of a description. */
interface DescribedPath {
  /** The segments, decoded; `{id}` stands for any. */
  readonly segments: readonly string[]
  readonly item: JsonObject
}

/** The context of the checks of one description. */
interface Context {
  readonly prefix: string
  readonly paths: readonly DescribedPath[]
  /** Follows a reference to a component; returns anything else as it is. */
  readonly resolve: (value: unknown) => JsonObject
  /** Validates a value by a schema at a place of the description. Returns the violations. */
  readonly validate: (schema: unknown, value: unknown) => readonly string[]
}

/**
 * Creates the check of one API. A request that succeeds must be one that the OpenAPI document allows; every response must be one
 * that it announces, with a document as described.
 *
 * @param description - the OpenAPI document
 * @param prefix - the beginning of every path
 * @param isStrict - true to throw an error for a schema with a keyword that is not implemented. Otherwise such a keyword is not checked
 */
export function createDescriptionCheck(
  description: object,
  prefix: string,
  isStrict: boolean,
): FindDifferences {
  const context = createContext(description, prefix, isStrict)
  return (exchange, body) => findDifferences(exchange, body, context)
}

function createContext(description: object, prefix: string, isStrict: boolean): Context {
  const { components, paths } = description as Readonly<Record<'components' | 'paths', object>>
  const resolve = (reference: string): JsonObject => {
    const [, , kind = '', name = ''] = reference.split('/')
    return Reflect.get(Reflect.get(components, kind), name)
  }
  const compile = createSchemaCompiler(resolve, isStrict)
  return {
    prefix,
    paths: Object.entries(paths).map(([path, item]) => ({
      segments: path.split('/').map(decodeURIComponent),
      item,
    })),
    resolve: (value) => {
      if (!isObject(value)) return {}
      return typeof value.$ref === 'string' ? resolve(value.$ref) : value
    },
    validate: (schema, value) => compile(schema)(value, ''),
  }
}

function findDifferences(exchange: Exchange, body: unknown, context: Context): string[] {
  const { method, status } = exchange
  const [path = '', search = ''] = exchange.url.replace(/^https?:\/\/[^/?]+/, '').split('?')
  const item = findPath(path, context)
  const isError = status >= 400
  if (method === 'OPTIONS' && item !== undefined && !isError)
    return findMethodDifferences(exchange, item)
  const isQuery = method === 'QUERY'
  const isDescribed = !isQuery || (item !== undefined && 'query' in item)
  // HEAD is GET without the body (RFC 9110, section 9.3.2), and OpenAPI 3.1 cannot describe QUERY, whose responses are those of GET.
  const name = method === 'HEAD' || !isDescribed ? 'get' : method.toLowerCase()
  // A method can have any name, such as `__proto__`.
  const operation = item && Object.hasOwn(item, name) ? item[name] : undefined
  // No URL has a query that is too long, so the document has no links.
  if (isQuery && exchange.headers.location === undefined && !isError) return []
  if (item === undefined || !isObject(operation))
    return isError ? [] : ['the operation is not described']
  return [
    ...(isError || exchange.isRandom || isQuery
      ? []
      : findRequestDifferences(exchange, search, { item, operation }, context)),
    ...findResponseDifferences(exchange, body, operation, context),
  ]
}

/** Compares the methods that a response to OPTIONS lists with those of the path. */
function findMethodDifferences({ status, headers, text }: Exchange, item: JsonObject): string[] {
  const methods = ['get', 'query', 'post', 'patch', 'delete'].filter((method) => method in item)
  const general = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']
  const described = [...methods.map((method) => method.toUpperCase()), ...general].sort()
  const allowed = (headers.allow ?? '')
    .split(', ')
    .filter((method) => method !== 'QUERY' || 'query' in item)
    .sort()
  const isSame = status === 204 && text === '' && described.join() === allowed.join()
  return isSame ? [] : [`the response to OPTIONS allows ${allowed}, and ${described} are described`]
}

function findPath(pathname: string, { prefix, paths }: Context): JsonObject | undefined {
  const split = (path: string) => (path || '/').split('/').map(decode)
  const [whole, rest] = [split(pathname), split(pathname.slice(prefix.length))]
  const found = paths.find((path) => {
    // A path with servers of its own is outside of the prefix.
    const segments = path.item.servers === undefined ? rest : whole
    return (
      path.segments.length === segments.length &&
      path.segments.every((segment, at) => segment === '{id}' || segment === segments[at])
    )
  })
  return found?.item
}

/** Some tests send paths that cannot be decoded. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function findResponseDifferences(
  { method, status, headers, text }: Exchange,
  body: unknown,
  operation: JsonObject,
  { resolve, validate }: Context,
): string[] {
  const responses = resolve(operation.responses)
  const described = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
  if (described === undefined) return [`the status ${status} is not described`]
  if (method === 'HEAD') return text === '' ? [] : ['response: HEAD has a body']
  const { content } = resolve(described)
  if (!isObject(content)) return text === '' ? [] : ['response: a body is not described']
  const type = headers['content-type']?.replace(/;.*/s, '') ?? ''
  const schema = getSchema(content, type)
  if (schema === undefined) return [`response: the media type ${type} is not described`]
  const value = body ?? (type.endsWith('json') ? JSON.parse(text) : text)
  return validate(schema, truncateLists(value, 4)).map((line) => `response: ${line}`)
}

function getSchema(content: unknown, type: string): unknown {
  const media: unknown = isObject(content) ? content[type] : undefined
  return isObject(media) ? media.schema : undefined
}

function findRequestDifferences(
  { sent }: Exchange,
  search: string,
  { item, operation }: Readonly<{ item: JsonObject; operation: JsonObject }>,
  context: Context,
): string[] {
  const { resolve, validate } = context
  const parameters = [item.parameters, operation.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map(resolve)
  const body = resolve(operation.requestBody)
  const bodyErrors =
    operation.requestBody === undefined || (sent === '' && body.required === false)
      ? []
      : validate(getSchema(body.content, mediaType), withoutReserved(JSON.parse(sent)))
  return [
    ...[...new URLSearchParams(search)].flatMap(([name, value]) =>
      findParameterDifferences(name, value, parameters, context),
    ),
    ...bodyErrors.map((line) => `body: ${line}`),
  ]
}

/** Reads the text of a number or a boolean among the parameters of pages. */
function readPageValue(parameter: string, text: string): unknown {
  if (/^page\[(?:size|number)\]$/.test(parameter)) return Number(text)
  if (parameter !== 'page[cursors]') return text
  return text === 'true' || (text === 'false' ? false : text)
}

/** The parameters that a route of one resource accepts without effect (`docs/service.md`, Query parameters). */
const ignored = /^(sort|page\[(size|number)\])$/

function findParameterDifferences(
  name: string,
  value: string,
  parameters: readonly JsonObject[],
  { validate }: Context,
): string[] {
  const [, family = '', member = ''] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
  const exact = parameters.find((parameter) => parameter.name === name)
  const deep = parameters.find((parameter) => parameter.name === family)
  const report = (lines: readonly string[]) => lines.map((line) => `${name}=${value}: ${line}`)
  if (name === 'filter' && exact) {
    const { content } = exact
    const media: unknown = isObject(content) ? content['application/json'] : undefined
    return report(validate(isObject(media) ? media.schema : {}, JSON.parse(value)))
  }
  if (exact) {
    const { schema, style } = exact
    const items = value === '' ? [] : value.split(',')
    if (style === 'form') return report(validate(schema, items))
    // A value, or several: the description shows how one is written.
    const texts = family === 'filter' ? value.split(',') : [value]
    return report(texts.flatMap((text) => validate(schema, readText(text, schema))))
  }
  // The description of `filter` announces its short form for every path.
  if (deep && family === 'filter') return []
  if (deep && family === 'includePage') {
    const [path = '', option = ''] = member.split('][')
    const sent = option === 'size' ? Number(value) : value
    return report(validate(deep.schema, { [path]: { [option]: sent } }))
  }
  if (deep?.style === 'deepObject')
    return report(validate(deep.schema, { [member]: readPageValue(name, value) }))
  return ignored.test(name) ? [] : [`the parameter ${name} is not described`]
}

/** Reads the text of a parameter as its schema says. */
function readText(text: string, schema: unknown): unknown {
  const types = isObject(schema) ? [schema.type].flat() : []
  if (types.includes('string')) return text
  return JSON.parse(text)
}

/** Removes names in `attributes` that the server ignores: `id`, and the reserved names that a client library sends. */
function withoutReserved(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.data) || !isObject(body.data.attributes)) return body
  const { id: _id, links: _links, relationships: _others, ...attributes } = body.data.attributes
  return { ...body, data: { ...body.data, attributes } }
}
