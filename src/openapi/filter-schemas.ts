import type { IdQuery } from '../model/id-query.ts'
import type { JsonSchema, Kind } from '../model/kinds.ts'
import { type AttributeField, listRelationships, type ResourceType } from '../model/model.ts'
import {
  countOperators,
  getCustomOperators,
  isSortable,
  listOperators,
  type Operator,
  operators,
  relationshipOperators,
} from '../model/operators.ts'
import { listParameters, type ResolvedParameter } from '../model/parameter.ts'
import { makeUnique, replaceOthers } from './component-names.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { arrayOf, objectOf, openObject, orNull, type Schemas } from './schema.ts'
import { mergeEach, type Steps } from './steps.ts'
import { anyDecimal, getBaseName } from './value-schemas.ts'

/** Returns the attributes and the id of a type that clients can filter by, and the values inside JSON, such as `meta__city`. */
export function listFilterable({ id, fields }: ResourceType): AttributeField[] {
  const attributes = [...fields.values()].filter((field) => field.is === 'attribute')
  return [id, ...attributes]
    .filter(({ isFilterable }) => isFilterable)
    .flatMap((field) => [field, ...(field.paths?.values() ?? [])])
}

/** Describes a value that filters compare with an attribute of a kind: they accept more than a body does. */
function describeFilterValue({
  comparesAs,
  operators,
  schema,
  filterSchema,
}: Kind<unknown>): JsonSchema {
  if (filterSchema !== undefined) return filterSchema
  if (operators === 'textual') return { type: 'string' }
  if (operators === 'opaque') return { type: 'null' }
  if (operators === 'array') return { type: 'array' }
  if (comparesAs === 'decimal') return anyDecimal
  // Ids may be sent as numbers.
  if (comparesAs === 'number' && schema.type === 'string') return { type: ['string', 'integer'] }
  return schema
}

/** Describes the operand of a comparison. */
function describeOperand(kind: Kind<unknown>): JsonSchema {
  const value = describeFilterValue(kind)
  return value.type === 'null' ? value : orNull(value)
}

/** Describes the JSON value of an argument, except null. */
function describeArgument({ kind, omitted }: ResolvedParameter): JsonSchema {
  const value = kind.operators === 'opaque' ? kind.schema : describeFilterValue(kind)
  if (omitted === undefined || omitted === null) return value
  return { ...value, default: JSON.parse(kind.serialize(omitted)) }
}

/** Describes the text of an argument in `filter[name]=text`. That of an object or array is JSON. */
export function describeArgumentText({ kind, omitted }: ResolvedParameter): JsonSchema {
  const text = describeFilterText(kind) ?? { type: 'string' }
  if (omitted === undefined || omitted === null) return text
  const json = kind.serialize(omitted)
  return {
    ...text,
    default: text.type === 'string' && !json.startsWith('"') ? json : JSON.parse(json),
  }
}

/** Describes the text of `filter[name]=text`; `undefined` if no text is a value of the kind. */
export function describeFilterText(kind: Kind<unknown>): JsonSchema | undefined {
  // A kind that a program defines may read any text; that of an array is JSON.
  if (kind.filterSchema !== undefined || kind.operators === 'array') return { type: 'string' }
  return kind.operators === 'opaque' ? undefined : describeFilterValue(kind)
}

/**
 * Describes the filters of the types: `person.filter`, a list of filter objects, and `person.term`, one of them; `person.terms`, what
 * `any` and `has` take; and the comparisons of each kind, e.g. `filter.text`.
 * @see `docs/service.md`, Filter
 */
export function* describeFilters(context: SchemaContext): Steps<Schemas> {
  const comparisons = createComparisons(context)
  const filters = yield* mergeEach(context.model.types.values(), (resource) => {
    const name = context.nameType(resource.type)
    return {
      [`${name}.filter`]: arrayOf(context.ref(`${name}.term`)),
      [`${name}.terms`]: describeTerms(context.ref(`${name}.term`)),
      [`${name}.term`]: describeTerm(resource, context, comparisons.find),
    }
  })
  return { ...filters, ...Object.fromEntries(comparisons.schemas) }
}

/** Returns the schema of the comparisons of a kind, without the name of the field. */
type ComparisonFinder = (kind: Kind<unknown>) => JsonSchema

/** Kinds with equal comparisons share a schema, which all types refer to. */
function createComparisons({ ref }: SchemaContext): {
  readonly find: ComparisonFinder
  readonly schemas: ReadonlyMap<string, JsonSchema>
} {
  const schemas = new Map<string, JsonSchema>()
  const names = new Map<string, string>()
  const find: ComparisonFinder = (kind) => {
    const schema = describeComparison(kind)
    // An enumeration has a list of values of its own.
    if (Array.isArray(kind.schema.enum)) return schema
    const key = JSON.stringify(schema)
    const known = names.get(key)
    if (known !== undefined) return ref(known)
    const name = makeUnique(`filter.${replaceOthers(getBaseName(kind))}`, schemas)
    schemas.set(name, schema)
    names.set(key, name)
    return ref(name)
  }
  return { find, schemas }
}

/** Describes `op` and the operand of every operator that applies to a kind. */
function describeComparison(kind: Kind<unknown>): JsonSchema {
  const names = listOperators(kind)
  const select = (takes: Operator['takes'], isSearch = false) =>
    names.filter((name) => {
      const operator: Operator = Reflect.get(operators, name)
      return operator.takes === takes && (operator.requires === 'textual') === isSearch
    })
  const one = describeOperand(kind)
  const string = { type: ['string', 'null'] }
  const range = { ...arrayOf(one), minItems: 2, maxItems: 2 }
  const withField = isSortable(kind) ? [...select('one'), ...select('one', true)] : []
  return {
    anyOf: [
      ...describeOperators(select('one'), { val: one }),
      ...describeOperators(select('one', true), { val: string }),
      ...describeOperators(select('list'), { val: arrayOf(one) }),
      ...describeOperators(select('two'), { val: range }),
      ...describeOperators(withField, { field: { type: 'string' } }),
      ...Object.entries(getCustomOperators(kind)).flatMap(([name, { takes }]) =>
        describeOperators([name], {
          val: takes.operators === 'opaque' ? takes.schema : describeOperand(takes),
        }),
      ),
    ],
  }
}

function describeOperators(
  names: readonly string[],
  operand: Readonly<Record<string, JsonSchema>>,
): JsonSchema[] {
  if (names.length === 0) return []
  return [openObject({ op: { enum: names }, ...operand }, ['op', ...Object.keys(operand)])]
}

function describeTerm(
  resource: ResourceType,
  { ref, nameType, readable }: SchemaContext,
  findComparison: ComparisonFinder,
): JsonSchema {
  const term = ref(`${nameType(resource.type)}.term`)
  const terms = { ...arrayOf(term), minItems: 1 }
  const relationships = listRelationships(resource)
  const related = relationships.flatMap(({ name, many, to }) =>
    readable.includes(to)
      ? [describeNested(name, many ? 'any' : 'has', ref(`${nameType(to)}.terms`))]
      : [],
  )
  const names = relationships.map(({ name }) => name)
  const counted = relationships.flatMap(({ name, isCounted }) => (isCounted ? [name] : []))
  return {
    anyOf: [
      ...describeAttributeTerms(resource, findComparison),
      ...related,
      ...[...resource.queries].map(([name, query]) => describeCall(name, query)),
      ...listArguments(resource).map(([name, each]) => describeArgumentTerm(name, each)),
      ...(names.length > 0 ? [describeEmptiness(names), describePaths(names)] : []),
      ...(counted.length > 0 ? [describeCounts(counted)] : []),
      { ...objectOf({ and: terms, or: terms, not: term }), minProperties: 1, maxProperties: 1 },
    ],
  }
}

/** Attributes with equal comparisons share one schema. */
function describeAttributeTerms(
  resource: ResourceType,
  findComparison: ComparisonFinder,
): JsonSchema[] {
  const groups = Map.groupBy(listFilterable(resource), ({ kind }) =>
    JSON.stringify(findComparison(kind)),
  )
  return [...groups].map(([comparison, fields]) => ({
    allOf: [
      openObject({ name: { enum: fields.map(({ name }) => name) } }, ['name']),
      JSON.parse(comparison),
    ],
  }))
}

/** Describes `any` and `has` with a nested filter. Without one they test whether anything is related. */
function describeNested(name: string, op: string, terms: JsonSchema): JsonSchema {
  return openObject({ name: { const: name }, op: { const: op }, val: terms }, ['name', 'op'])
}

/** The filter of related resources: one object, or several that must all match. */
function describeTerms(term: JsonSchema): JsonSchema {
  return { anyOf: [term, arrayOf(term), { type: 'null' }] }
}

/** Describes the comparison of a relationship with null. */
function describeEmptiness(names: readonly string[]): JsonSchema {
  const known: readonly string[] = relationshipOperators.toMany
  const op = relationshipOperators.toOne.filter((name) => known.includes(name))
  return openObject({ name: { enum: names }, op: { enum: op }, val: { type: 'null' } }, [
    ...['name', 'op', 'val'],
  ])
}

/** Describes the comparison of the number of related resources. */
function describeCounts(names: readonly string[]): JsonSchema {
  const op = Object.keys(countOperators)
  return openObject({ name: { enum: names }, op: { enum: op }, val: { type: 'integer' } }, [
    ...['name', 'op', 'val'],
  ])
}

/** Describes the call of a query, with values for its parameters. Null is a value of each that has no default. */
function describeCall(name: string, { parameters }: IdQuery): JsonSchema {
  const declared = listParameters(parameters)
  const values = declared.map(([parameter, each]) => {
    const schema = describeArgument(each)
    return [parameter, each.isRequired || each.isNullable ? orNull(schema) : schema] as const
  })
  const required = declared.flatMap(([parameter, each]) => (each.isRequired ? [parameter] : []))
  const val = objectOf(Object.fromEntries(values), required)
  return openObject({ name: { const: name }, op: { const: 'call' }, val }, ['name', 'op', 'val'])
}

/** Lists the parameters of the table function of a type. */
export function listArguments({ table: { call } }: ResourceType): [string, ResolvedParameter][] {
  return listParameters(call?.parameters ?? {})
}

/** Describes the filter object of an argument of a table function. */
function describeArgumentTerm(name: string, parameter: ResolvedParameter): JsonSchema {
  const value = describeArgument(parameter)
  const val = parameter.isNullable ? orNull(value) : value
  return openObject({ name: { const: name }, op: { const: 'eq' }, val }, ['name', 'op', 'val'])
}

/** Describes a comparison through relationships, such as `owner__name`. */
function describePaths(names: readonly string[]): JsonSchema {
  const name = { type: 'string', pattern: `^(${names.join('|')})__.` }
  return openObject({ name, op: { type: 'string' }, val: {}, field: { type: 'string' } }, [
    ...['name', 'op'],
  ])
}
