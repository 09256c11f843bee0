import { findTextParameter } from '../model/id-query.ts'
import type { JsonSchema } from '../model/kinds.ts'
import {
  type AttributeField,
  getResourceType,
  listRelationships,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { listParameters } from '../model/parameter.ts'
import {
  describeArgumentText,
  describeFilterText,
  listArguments,
  listFilterable,
} from './filter-schemas.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { arrayOf, objectOf } from './schema.ts'
import { makeExample } from './value-schemas.ts'

/** A parameter of an operation (https://spec.openapis.org/oas/v3.1.0#parameter-object). */
type Parameter = Readonly<Record<string, unknown>>

/** Parameters by their names among the components. */
type Parameters = Readonly<Record<string, Parameter>>

/** A list that is one parameter, with commas between the items. */
const commaSeparated = { in: 'query', style: 'form', explode: false } as const

/** Describes the parameters that are the same for every type. */
export function describeCommonParameters({ model, readable }: SchemaContext): Parameters {
  return {
    page: describePage(model),
    fields: describeFields(model, readable),
    linkageInclude: {
      ...{ name: 'include', ...commaSeparated },
      description: 'Paths of relationships, each of which begins with that of the path.',
      schema: arrayOf({ type: 'string' }),
    },
  }
}

function describePage({ pageSize, maxPageSize }: Model): Parameter {
  const size = {
    type: 'integer',
    minimum: maxPageSize === undefined ? 0 : 1,
    ...(maxPageSize !== undefined && { maximum: maxPageSize }),
    default: pageSize,
    description:
      maxPageSize === undefined ? 'Resources on a page; 0 for all.' : 'Resources on a page.',
  }
  const number = { type: 'integer', minimum: 1, default: 1, description: 'The page, from 1.' }
  return {
    ...{ name: 'page', in: 'query', style: 'deepObject', explode: true },
    description: 'The page of a list: `page[number]=2&page[size]=10`.',
    schema: objectOf({ number, size }),
  }
}

function describeFields(model: Model, readable: readonly string[]): Parameter {
  const properties = readable.map((type) => {
    const { fields } = getResourceType(model, type)
    const name = `(${['id', ...fields.keys()].join('|')})`
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
export function describeId({ id }: ResourceType): Parameter {
  return { name: 'id', in: 'path', required: true, schema: id.kind.schema }
}

/**
 * Describes the parameters of a type.
 *
 * @returns `person.filter`, `person.sort`, and if the type has relationships that they can name, `person.include` and
 *   `person.withCount`
 */
export function describeTypeParameters(
  resource: ResourceType,
  { nameType, ref }: SchemaContext,
): Parameters {
  const name = nameType(resource.type)
  const include = describeInclude(resource)
  const withCount = describeWithCount(resource)
  return {
    [`${name}.filter`]: {
      ...{ name: 'filter', in: 'query' },
      description: describeFilter(resource),
      content: { 'application/json': { schema: ref(`${name}.filter`) } },
    },
    [`${name}.sort`]: describeSort(resource),
    ...(include && { [`${name}.include`]: include }),
    ...(withCount && { [`${name}.withCount`]: withCount }),
  }
}

function describeFilter(resource: ResourceType): string {
  const { queries } = resource
  const names = listArguments(resource).flatMap(([name, { isRequired }]) =>
    isRequired ? [`\`${name}\``] : [],
  )
  const general = 'All filter objects must match. `filter[a__b]=value` is short for `eq`'
  const called = queries.size === 0 ? '.' : ', or for the `call` of a query.'
  const needed =
    names.length === 0 ? '' : ` A list needs a filter \`eq\` for each of ${names.join(', ')}.`
  return `${general}${called}${needed}${formatFilterExample(resource)}`
}

/** Formats a filter with a value that is made up; empty for a type without an attribute to filter by. */
function formatFilterExample(resource: ResourceType): string {
  const [example] = listFilterable(resource).flatMap(({ name, kind }) => {
    const val = kind.operators === 'opaque' || name === 'id' ? undefined : makeExample(kind)
    return val === undefined ? [] : [{ name, op: 'eq', val }]
  })
  return example === undefined ? '' : ` For example \`${JSON.stringify([example])}\`.`
}

function describeSort(resource: ResourceType): Parameter {
  const attributes = [resource.id, ...resource.fields.values()].filter(
    (field) => field.is === 'attribute',
  )
  const relationships = listRelationships(resource)
  const names = [
    ...attributes
      .flatMap((field) => [field, ...listReadablePaths(field)])
      .flatMap(({ name, isSortable }) => (isSortable ? [name.replaceAll('__', '.')] : [])),
    ...relationships.flatMap(({ name, isCounted }) => (isCounted ? [`${name}.count`] : [])),
  ]
  const beginnings = relationships.flatMap(({ name, many }) => (many ? [] : [name]))
  return {
    ...{ name: 'sort', ...commaSeparated },
    description: '`-` is descending.',
    schema: arrayOf(
      oneOfOrPath(
        names.flatMap((name) => [name, `-${name}`]),
        beginnings,
        '-?',
      ),
    ),
  }
}

/** Returns the values inside the JSON of an attribute, such as `meta__city`. */
function listReadablePaths({ isReadable, paths }: AttributeField): readonly AttributeField[] {
  return isReadable && paths ? [...paths.values()] : []
}

function describeWithCount(resource: ResourceType): Parameter | undefined {
  const names = listRelationships(resource).flatMap(({ name, isCounted }) =>
    isCounted ? [name] : [],
  )
  if (names.length === 0) return undefined
  return {
    ...{ name: 'withCount', ...commaSeparated },
    description: 'Relationships whose resources are counted.',
    schema: arrayOf({ enum: names }),
  }
}

function describeInclude(resource: ResourceType): Parameter | undefined {
  const names = listRelationships(resource).map(({ name }) => name)
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
export function describeShortFilters(resource: ResourceType): Parameter[] {
  const calls = [...resource.queries].flatMap(([name, query]) => {
    const parameter = findTextParameter(query)
    const declared = listParameters(query.parameters).find(([each]) => each === parameter)
    if (declared === undefined) return []
    const description = `The parameter \`${parameter}\` of the query.`
    return [{ name, description, schema: describeArgumentText(declared[1]) }]
  })
  const attributes = listFilterable(resource).flatMap(({ name, kind }) => {
    const schema = describeFilterText(kind)
    return schema ? [{ name, schema }] : []
  })
  const values = listArguments(resource).map(([name, parameter]) => {
    const description = parameter.isRequired
      ? 'A parameter of the list, required here or in `filter`.'
      : 'A parameter of the list.'
    return { name, description, schema: describeArgumentText(parameter) }
  })
  return [...values, ...attributes, ...calls].map(({ name, ...others }) => ({
    ...{ name: `filter[${name}]`, in: 'query' },
    ...others,
  }))
}
