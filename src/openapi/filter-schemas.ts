import type {
  FilterDescription,
  ParameterDescription,
  TypeDescription,
} from '../describe/describe-type.ts'
import type { JsonSchema, Kind } from '../model/kinds/kinds.ts'
import type { KindOperator } from '../model/kinds/operators.ts'
import { makeUnique, replaceOthers } from './component-names.ts'
import type { SchemaContext } from './resource-schemas.ts'
import { arrayOf, objectOf, openObject, orNull, type Schemas } from './schema.ts'
import { mergeEach, type Steps } from './steps.ts'
import { anyDecimal, getBaseName } from './value-schemas.ts'

/** The filters of one form, e.g. those by an attribute. */
type FilterBy<Is> = Extract<FilterDescription, { is: Is }>

/** Lists the filters of a type that have one form, e.g. those by the id, an attribute or a value inside JSON. */
export function listFiltersBy<Is extends FilterDescription['is']>(
  { filters }: TypeDescription,
  is: Is,
): FilterBy<Is>[] {
  return filters.filter((filter): filter is FilterBy<Is> => filter.is === is)
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
function describeArgument({ kind, omitted }: ParameterDescription): JsonSchema {
  const value = kind.operators === 'opaque' ? kind.schema : describeFilterValue(kind)
  if (omitted === undefined || omitted === null) return value
  return { ...value, default: JSON.parse(kind.serialize(omitted)) }
}

/** Describes the text of an argument in `filter[name]=text`. That of an object or array is JSON. */
export function describeArgumentText({ kind, omitted }: ParameterDescription): JsonSchema {
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
  const filters = yield* mergeEach(context.described.types.values(), (type) => {
    const name = context.nameType(type.type)
    return {
      [`${name}.filter`]: arrayOf(context.ref(`${name}.term`)),
      [`${name}.terms`]: describeTerms(context.ref(`${name}.term`)),
      [`${name}.term`]: describeTerm(type, context, comparisons.find),
    }
  })
  return { ...filters, ...Object.fromEntries(comparisons.schemas) }
}

/** Returns the schema of the comparisons of a kind, without the name of the field. */
type ComparisonFinder = (filter: FilterBy<'attribute'>) => JsonSchema

/** Kinds with equal comparisons share a schema, which all types refer to. */
function createComparisons({ ref }: SchemaContext): {
  readonly find: ComparisonFinder
  readonly schemas: ReadonlyMap<string, JsonSchema>
} {
  const schemas = new Map<string, JsonSchema>()
  const names = new Map<string, string>()
  const find: ComparisonFinder = ({ kind, operators }) => {
    const schema = describeComparison(kind, operators)
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
function describeComparison(kind: Kind<unknown>, operators: readonly KindOperator[]): JsonSchema {
  const select = (form: KindOperator['is'], takes: KindOperator['takes']) =>
    operators.filter((each) => each.is === form && each.takes === takes)
  const one = describeOperand(kind)
  const [search] = select('search', 'one')
  const range = { ...arrayOf(one), minItems: 2, maxItems: 2 }
  const general = [...select('comparison', 'one'), ...select('search', 'one')]
  return {
    anyOf: [
      ...describeOperators(select('comparison', 'one'), { val: one }),
      ...(search
        ? describeOperators(select('search', 'one'), { val: describeOperand(search.operand) })
        : []),
      ...describeOperators(select('comparison', 'list'), { val: arrayOf(one) }),
      ...describeOperators(select('comparison', 'two'), { val: range }),
      ...describeOperators(
        general.filter(({ takesField }) => takesField),
        { field: { type: 'string' } },
      ),
      ...select('custom', 'one').flatMap((operator) => {
        const { operand } = operator
        const val = operand.operators === 'opaque' ? operand.schema : describeOperand(operand)
        return describeOperators([operator], { val })
      }),
    ],
  }
}

function describeOperators(
  operators: readonly KindOperator[],
  operand: Readonly<Record<string, JsonSchema>>,
): JsonSchema[] {
  if (operators.length === 0) return []
  const names = operators.map(({ name }) => name)
  return [openObject({ op: { enum: names }, ...operand }, ['op', ...Object.keys(operand)])]
}

function describeTerm(
  type: TypeDescription,
  { ref, nameType, described }: SchemaContext,
  findComparison: ComparisonFinder,
): JsonSchema {
  const term = ref(`${nameType(type.type)}.term`)
  const terms = { ...arrayOf(term), minItems: 1 }
  const relationships = listFiltersBy(type, 'relationship')
  const related = relationships.flatMap(({ name, nesting, to }) =>
    described.types.get(to)?.isReadable
      ? [describeNested(name, nesting, ref(`${nameType(to)}.terms`))]
      : [],
  )
  return {
    anyOf: [
      ...describeAttributeTerms(type, findComparison),
      ...related,
      ...listFiltersBy(type, 'query').map(describeCall),
      ...type.parameters.map(describeArgumentTerm),
      ...describeRelationshipTerms(relationships),
      { ...objectOf({ and: terms, or: terms, not: term }), minProperties: 1, maxProperties: 1 },
    ],
  }
}

/** Attributes with equal comparisons share one schema. */
function describeAttributeTerms(
  type: TypeDescription,
  findComparison: ComparisonFinder,
): JsonSchema[] {
  const groups = Map.groupBy(listFiltersBy(type, 'attribute'), (filter) =>
    JSON.stringify(findComparison(filter)),
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

/** Describes the comparisons of relationships with null, those through them, and those of the number of related resources. */
function describeRelationshipTerms(
  relationships: readonly FilterBy<'relationship'>[],
): JsonSchema[] {
  const [first] = relationships
  if (first === undefined) return []
  const counted = relationships.filter(({ count }) => count.length > 0)
  return [
    describeNumberOrNull(relationships, first.empty, 'null'),
    describePaths(relationships.map(({ name }) => name)),
    ...(counted[0] ? [describeNumberOrNull(counted, counted[0].count, 'integer')] : []),
  ]
}

function describeNumberOrNull(
  relationships: readonly FilterBy<'relationship'>[],
  operators: readonly string[],
  type: 'null' | 'integer',
): JsonSchema {
  const names = relationships.map(({ name }) => name)
  return openObject({ name: { enum: names }, op: { enum: operators }, val: { type } }, [
    ...['name', 'op', 'val'],
  ])
}

/** Describes the call of a query, with values for its parameters. Null is a value of each that has no default. */
function describeCall({ name, parameters }: FilterBy<'query'>): JsonSchema {
  const values = parameters.map((each) => {
    const schema = describeArgument(each)
    return [each.name, each.isRequired || each.isNullable ? orNull(schema) : schema] as const
  })
  const required = parameters.flatMap((each) => (each.isRequired ? [each.name] : []))
  const val = objectOf(Object.fromEntries(values), required)
  return openObject({ name: { const: name }, op: { const: 'call' }, val }, ['name', 'op', 'val'])
}

/** Describes the filter object of an argument of a table function. */
function describeArgumentTerm(parameter: ParameterDescription): JsonSchema {
  const { name, isNullable } = parameter
  const value = describeArgument(parameter)
  const val = isNullable ? orNull(value) : value
  return openObject({ name: { const: name }, op: { const: 'eq' }, val }, ['name', 'op', 'val'])
}

/** Describes a comparison through relationships, such as `owner__name`. */
function describePaths(names: readonly string[]): JsonSchema {
  const name = { type: 'string', pattern: `^(${names.join('|')})__.` }
  return openObject({ name, op: { type: 'string' }, val: {}, field: { type: 'string' } }, [
    ...['name', 'op'],
  ])
}
