import { listReadableTypes, type ModelDescription } from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import type { ParameterName } from '../parse/parameters.ts'
import { describeArgumentText, describeFilterText, listFiltersBy } from './filter-schemas.ts'
import type { SchemaContext } from './resource-schemas.ts'
import type { ExchangedByName } from './responses.ts'
import { arrayOf, objectOf } from './schema.ts'
import { makeExample } from './value-schemas.ts'

/** A parameter of an operation (https://spec.openapis.org/oas/v3.1.0#parameter-object). */
type Parameter = Readonly<Record<string, unknown>>

/** Parameters by their names among the components. */
type Parameters = Readonly<Record<string, Parameter>>

/** A list that is one parameter, with commas between the items. */
const commaSeparated = { in: 'query', style: 'form', explode: false } as const

const ifMatch: Parameter = {
  ...{ name: 'If-Match', in: 'header' },
  description:
    'Entity tags or versions in quotation marks, or `*`: nothing is written (412) if the version is none of them.',
  schema: { type: 'string' },
}

const idempotencyKey: Parameter = {
  ...{ name: 'Idempotency-Key', in: 'header' },
  description:
    'A random UUID. The same request with the same key is executed once: repeated, it gets the stored response, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
}

/** The names of the parameter `page` among the components, by what the lists of a type are paged by. */
export const pageComponents = { number: 'page', cursor: 'cursorPage' } as const

/** Describes the parameters that are the same for every type. */
export function describeCommonParameters({ described }: SchemaContext): Parameters {
  return {
    ...describePages(described),
    fields: describeFields(described),
    ...describeIncludePages(described),
    withVersions: {
      ...{ name: 'withVersions', in: 'query' },
      description: 'Whether resources have `meta.version`, for `If-Match`.',
      schema: { type: 'boolean' },
    },
    ...{ ifMatch, requiredIfMatch: { ...ifMatch, required: true } },
    ...{ idempotencyKey, requiredIdempotencyKey: { ...idempotencyKey, required: true } },
    prefer: {
      ...{ name: 'Prefer', in: 'header' },
      description:
        'Of a write `dry-run`: nothing is written; the response says what would be. `max-affected=5`: nothing is written if more rows would be. `return=minimal`: the response to an update has no document. Of any request `wait=5`: it is given up after 5 seconds, and nothing is written. `handling=strict`: a preference that cannot be applied is an error.',
      schema: { type: 'string' },
    },
    commonPrefer: {
      ...{ name: 'Prefer', in: 'header' },
      description:
        '`wait=5`: the request is given up after 5 seconds. `handling=strict`: a preference that cannot be applied is an error.',
      schema: { type: 'string' },
    },
    ifNoneMatch: {
      ...{ name: 'If-None-Match', in: 'header' },
      description:
        'Entity tags, or `*`. Of a read: 304 if the document has one of them. Of a write: nothing is written (412) if it exists (`*`), or if its version is one of them.',
      schema: { type: 'string' },
    },
    linkageInclude: {
      ...{ name: 'include', ...commaSeparated },
      description: 'Paths of relationships, each of which begins with that of the path.',
      schema: arrayOf({ type: 'string' }),
    },
  }
}

/** Describes the parameter `page` for each way in which lists are paged. */
function describePages(described: ModelDescription): Parameters {
  const ways = new Set([...described.types.values()].map(({ pagedBy }) => pagedBy))
  return Object.fromEntries(
    [...ways].map((pagedBy) => [pageComponents[pagedBy], describePage(described, pagedBy)]),
  )
}

function describePage(
  { pageSize, maxPageSize }: ModelDescription,
  pagedBy: TypeDescription['pagedBy'],
): Parameter {
  const takesAll = pagedBy === 'number' && maxPageSize === undefined
  const size = {
    type: 'integer',
    minimum: takesAll ? 0 : 1,
    ...(maxPageSize !== undefined && { maximum: maxPageSize }),
    default: pageSize,
    description: takesAll ? 'Resources on a page; 0 for all.' : 'Resources on a page.',
  }
  const number = { type: 'integer', minimum: 1, default: 1, description: 'The page, from 1.' }
  const cursor = { type: 'string', description: 'A cursor.' }
  return {
    ...{ name: 'page', in: 'query', style: 'deepObject', explode: true },
    description:
      pagedBy === 'number'
        ? 'The page of a list: `page[number]=2&page[size]=10`, or between cursors: `page[after]=…`, as links have them.'
        : 'The page of a list, between cursors: `page[after]=…`, as links have them.',
    schema: objectOf({
      ...(pagedBy === 'number' && { number }),
      ...{ size, after: cursor, before: cursor },
      total: { enum: ['exact', 'capped', 'none'], description: 'How all resources are counted.' },
      cursors: { type: 'boolean', description: 'Whether resources come with their cursors.' },
    }),
  }
}

/** Describes which members of an include path a response has. The names in brackets are relationship paths. */
function describeIncludePages({ maxPageSize }: ModelDescription): Parameters {
  const size = {
    ...{ type: 'integer', minimum: 1 },
    ...(maxPageSize !== undefined && { maximum: maxPageSize }),
    description: 'The most members of each resource; a relationship may allow fewer.',
  }
  const after = {
    type: 'string',
    description:
      'The cursor behind which the members start, where the path leads on from one resource.',
  }
  const describeFamily = (name: string, description: string, value: JsonSchema): Parameter => ({
    ...{ name, in: 'query', style: 'deepObject', explode: true },
    description,
    schema: { type: 'object', additionalProperties: value },
  })
  return {
    includePage: describeFamily(
      'includePage',
      'The page of members of an include path, for each resource: `includePage[a.b][size]=5`.',
      objectOf({ size, after }),
    ),
    includeSort: describeFamily(
      'includeSort',
      'The order of the members of an include path, as `sort`: `includeSort[a.b]=-name`.',
      { type: 'string' },
    ),
    includeFilter: describeFamily(
      'includeFilter',
      'The filter of the members of an include path, as `filter`: `includeFilter[a.b]=[…]`.',
      { type: 'string', contentMediaType: 'application/json' },
    ),
  }
}

/** Describes the bodies of a QUERY: of a list of a type, `person.query`, and of its linkage, `person.linkageQuery`. */
export function describeQueryBodies(
  type: TypeDescription,
  { described, nameType, ref }: SchemaContext,
): ExchangedByName {
  const name = nameType(type.type)
  const names = arrayOf({ type: 'string' })
  const { schema: include } = describeInclude(type) ?? {}
  const { schema: withCount } = describeWithCount(type) ?? {}
  const members: Readonly<Record<ParameterName, JsonSchema | undefined>> = {
    filter: ref(`${name}.filter`),
    sort: describeSort(type).schema as JsonSchema,
    page: describePage(described, type.pagedBy).schema as JsonSchema,
    fields: { type: 'object', additionalProperties: names },
    includePage: { type: 'object', additionalProperties: { type: 'object' } },
    includeSort: { type: 'object', additionalProperties: names },
    includeFilter: { type: 'object', additionalProperties: { type: 'array' } },
    include: include as JsonSchema | undefined,
    withCount: withCount as JsonSchema | undefined,
    withVersions: { type: 'boolean' },
  }
  const linkage = { ...members, include: names, withCount: undefined, withVersions: undefined }
  return {
    [`${name}.query`]: describeQueryBody(members),
    [`${name}.linkageQuery`]: describeQueryBody(linkage),
  }
}

/** @param members - `undefined` for a parameter that the list does not take */
function describeQueryBody(
  members: Readonly<Record<string, JsonSchema | undefined>>,
): ExchangedByName[string] {
  const description = 'The query string of the GET.'
  const taken = Object.entries(members).flatMap(([name, schema]) =>
    schema === undefined ? [] : [[name, schema] as const],
  )
  return {
    required: true,
    content: {
      'application/json': { schema: objectOf(Object.fromEntries(taken)) },
      'application/x-www-form-urlencoded': { schema: { type: 'object', description } },
    },
  }
}

function describeFields(described: ModelDescription): Parameter {
  const properties = listReadableTypes(described).map(({ type, fields }) => {
    const name = `(${['id', ...fields.map((field) => field.name)].join('|')})`
    return [type, { type: 'string', pattern: `^(${name}(,${name})*)?$` }] as const
  })
  return {
    ...{ name: 'fields', in: 'query', style: 'deepObject', explode: true },
    description:
      'The fields that a response has, by type, with commas between the names: `fields[type]=name,name`. Without it, all.',
    schema: objectOf(Object.fromEntries(properties)),
  }
}

/** Describes the id in the path of a resource, one parameter for each kind of ids. */
export function describeId({ id }: TypeDescription): Parameter {
  return { name: 'id', in: 'path', required: true, schema: id.kind.schema }
}

/**
 * Describes the parameters of a type.
 *
 * @returns `person.filter`, `person.sort`, and if the type has relationships that they can name, `person.include` and
 *   `person.withCount`
 */
export function describeTypeParameters(
  type: TypeDescription,
  { nameType, ref }: SchemaContext,
): Parameters {
  const name = nameType(type.type)
  const include = describeInclude(type)
  const withCount = describeWithCount(type)
  return {
    [`${name}.filter`]: {
      ...{ name: 'filter', in: 'query' },
      description: describeFilter(type),
      content: { 'application/json': { schema: ref(`${name}.filter`) } },
    },
    [`${name}.sort`]: describeSort(type),
    ...(include && { [`${name}.include`]: include }),
    ...(withCount && { [`${name}.withCount`]: withCount }),
  }
}

function describeFilter(type: TypeDescription): string {
  const queries = listFiltersBy(type, 'query')
  const names = type.parameters.flatMap(({ name, isRequired }) =>
    isRequired ? [`\`${name}\``] : [],
  )
  const called = queries.length === 0 ? '' : ' `filter[a]=value` may also be the `call` of a query.'
  const needed =
    names.length === 0 ? '' : ` A list needs a filter \`eq\` for each of ${names.join(', ')}.`
  return `All filter objects must match.${formatFilterExample(type)} ${shortForms}${called}${needed}`
}

/** The forms of filters that people type. */
const shortForms =
  'Short forms: `filter[a]=value` for `eq`, `filter[a][gt]=value` for another operator, `filter[a.b]=value` or `filter[a__b]=value` for a path, `filter[a][]=1&filter[a][]=2` for one of several values, and `filter[a]=1,2` where no value can contain a comma.'

/** Formats a filter with a value that is made up; empty for a type without an attribute to filter by. */
function formatFilterExample(type: TypeDescription): string {
  const [example] = listFiltersBy(type, 'attribute').flatMap(({ name, kind }) => {
    const val = kind.operators === 'opaque' || name === 'id' ? undefined : makeExample(kind)
    return val === undefined ? [] : [{ name, op: 'eq', val }]
  })
  return example === undefined ? '' : ` For example \`${JSON.stringify([example])}\`.`
}

function describeSort({ sorts, relationships }: TypeDescription): Parameter {
  const beginnings = relationships.flatMap(({ name, many }) => (many ? [] : [name]))
  return {
    ...{ name: 'sort', ...commaSeparated },
    description: '`-` is descending.',
    schema: arrayOf(
      oneOfOrPath(
        sorts.flatMap((name) => [name, `-${name}`]),
        beginnings,
        '-?',
      ),
    ),
  }
}

function describeWithCount({ relationships }: TypeDescription): Parameter | undefined {
  const names = relationships.flatMap(({ name, isCounted }) => (isCounted ? [name] : []))
  if (names.length === 0) return undefined
  return {
    ...{ name: 'withCount', ...commaSeparated },
    description: 'Relationships whose resources are counted.',
    schema: arrayOf({ enum: names }),
  }
}

function describeInclude({ relationships }: TypeDescription): Parameter | undefined {
  const names = relationships.map(({ name }) => name)
  if (names.length === 0) return undefined
  return {
    ...{ name: 'include', ...commaSeparated },
    description: 'Paths of relationships to include.',
    schema: arrayOf(oneOfOrPath(names, names, '')),
  }
}

/** Describes one of several names, or a path that begins with one, with dots between its names. */
function oneOfOrPath(
  names: readonly string[],
  beginnings: readonly string[],
  sign: string,
): JsonSchema {
  const listed = { enum: names }
  if (beginnings.length === 0) return listed
  const path = { type: 'string', pattern: `^${sign}(${beginnings.join('|')})\\.` }
  return { anyOf: [listed, path] }
}

/**
 * Describes `filter[name]=value` for each parameter of a table function, each attribute of a type, and each query that can be called
 * with one parameter.
 */
export function describeShortFilters(type: TypeDescription): Parameter[] {
  const calls = listFiltersBy(type, 'query').flatMap(({ name, textParameter }) => {
    if (textParameter === undefined) return []
    const description = `The parameter \`${textParameter.name}\` of the query.`
    return [{ name, description, schema: describeArgumentText(textParameter) }]
  })
  const attributes = listFiltersBy(type, 'attribute').flatMap(({ name, kind }) => {
    const schema = describeFilterText(kind)
    return schema ? [{ name, schema }] : []
  })
  const values = type.parameters.map((parameter) => {
    const description = parameter.isRequired
      ? 'A parameter of the list, required here or in `filter`.'
      : 'A parameter of the list.'
    return { name: parameter.name, description, schema: describeArgumentText(parameter) }
  })
  return [...values, ...attributes, ...calls].map(({ name, ...others }) => ({
    ...{ name: `filter[${name}]`, in: 'query' },
    ...others,
  }))
}
