import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import { isSortable } from '../model/kinds/operators.ts'
import {
  type Field,
  findRelationship,
  getResourceType,
  listRelationships,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { findSortTerm } from '../parse/other-idioms.ts'
import type { SortTerm } from '../parse/sort.ts'

/**
 * One term of a sort order: an attribute of the type, or of the type at the end of a path of to-one relationships; or the number of
 * the related resources of a to-many relationship there.
 */
export interface OrderTerm {
  /** The names of the relationships; empty for an attribute of the type itself. */
  readonly path: readonly string[]
  /** The name of the attribute, or of the counted relationship. */
  readonly field: string
  readonly isCount?: boolean
  readonly descending: boolean
  /** True if the value can be null, which sorts as the largest. The column of a required attribute may contain nulls. */
  readonly nullable: boolean
}

/** The maximum number of relationships in an order; each costs a join, and databases limit joins. */
const maxJoins = 20

/**
 * Resolves the terms of a sort. The order always contains the id, last if the client does not sort by it, so that it is
 * total and pages do not overlap.
 *
 * @throws ApiError | ManyErrors `invalid_sort` (400) for every name that cannot be sorted by
 * @see https://jsonapi.org/format/1.0/#fetching-sorting and `docs/service.md`, Sort
 */
export function planSort(
  terms: readonly SortTerm[],
  resource: ResourceType,
  model: Model,
): readonly OrderTerm[] {
  const errors = emptyCollector()
  const resolved = terms.map((term) => planTerm(term, resource, model, errors))
  throwErrors(errors)
  const order = withoutDuplicates(resolved.filter((term) => term !== undefined))
  if (countJoins(order) > maxJoins) throw tooManyJoins()
  const isTotal = order.some(isId)
  return isTotal ? order : [...order, { path: [], field: 'id', descending: false, nullable: false }]
}

/** The terms up to the id, after which all others are without effect. */
export function untilId(order: readonly OrderTerm[]): readonly OrderTerm[] {
  return order.slice(0, order.findIndex(isId) + 1)
}

function isId({ path, field, isCount = false }: OrderTerm): boolean {
  return path.length === 0 && field === 'id' && !isCount
}

/** Removes all but the first term of each field: the others cannot change the order. */
function withoutDuplicates(order: readonly OrderTerm[]): readonly OrderTerm[] {
  if (order.length < 2) return order
  const seen = new Set<string>()
  return order.filter(({ path, field }) => {
    const key = toPathKey([...path, field])
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** The key of a relationship path: equal paths have equal keys. Terms with equal paths share their joins. */
export function toPathKey(path: OrderTerm['path']): string {
  return JSON.stringify(path)
}

function countJoins(order: readonly OrderTerm[]): number {
  const joins = order.flatMap(({ path, field, isCount }) =>
    listPrefixes(isCount ? [...path, field] : path).map(toPathKey),
  )
  return new Set(joins).size
}

/** Lists the paths to the tables of a relationship path, the shortest first. */
export function listPrefixes(path: OrderTerm['path']): OrderTerm['path'][] {
  return path.map((_, index) => path.slice(0, index + 1))
}

function planTerm(
  term: SortTerm,
  resource: ResourceType,
  model: Model,
  errors: ErrorCollector,
): OrderTerm | undefined {
  if (term.path.length > 1 && term.path.at(-1) === 'count') {
    const counted = planCountTerm(term, resource, model)
    if (counted) return counted
  }
  const length = findAttributeIndex(term.path, resource, model)
  const path = term.path.slice(0, length)
  if (path.length > maxJoins) return report(errors, tooManyJoins)
  const type = followPath(path, resource, model, errors)
  if (type === undefined) return undefined
  const name = term.path[length] ?? ''
  if (length < term.path.length - 1) return planJsonPath(term, path, type, errors)
  const field = name === 'id' ? type.id : type.fields.get(name)
  if (field?.is !== 'attribute' || !field.isSortable)
    return report(errors, () => notSortable(name, field, type, term))
  const nullable = path.length > 0 || field !== type.id
  return { path, field: field.name, descending: term.descending, nullable }
}

/** The index of the last name, or of an attribute before it: the names after an attribute are those of members in JSON. */
function findAttributeIndex(path: SortTerm['path'], resource: ResourceType, model: Model): number {
  let type = resource
  for (const [index, name] of path.entries()) {
    const field = type.fields.get(name)
    if (field?.is === 'attribute' && field.paths) return index
    if (field?.is !== 'relationship') break
    type = getResourceType(model, field.to)
  }
  return path.length - 1
}

/** Plans `meta.address.city`: the order of values inside JSON. */
function planJsonPath(
  { path: names, descending }: SortTerm,
  path: readonly string[],
  type: ResourceType,
  errors: ErrorCollector,
): OrderTerm | undefined {
  const members = names.slice(path.length)
  const [name = ''] = members
  const attribute = type.fields.get(name)
  const paths =
    attribute?.is === 'attribute' && attribute.isReadable && attribute.paths
      ? [...attribute.paths.values()].filter((each) => each.isSortable)
      : []
  const field = paths.find((each) => each.name === members.join('__'))
  if (field) return { path, field: field.name, descending, nullable: true }
  return report(errors, () => {
    if (paths.length === 0) return unknownName(name, type, 'relationship', listToOneNames(type))
    const known = paths.map((each) => each.name.replaceAll('__', '.'))
    const hint = suggest(members.join('.'), known, 'paths to sort by')
    return sortError(`sort: ${type.type} has no path ${quote(members.join('.'))}; ${hint}`)
  })
}

/** Plans `computers.count`, or `owner.computers.count`; `undefined` if the path does not end with a counted relationship. */
function planCountTerm(
  { path, descending }: SortTerm,
  resource: ResourceType,
  model: Model,
): OrderTerm | undefined {
  const toOnes = path.slice(0, -2)
  if (toOnes.length > maxJoins) return undefined
  const type = followPath(toOnes, resource, model, emptyCollector())
  const field = type && findRelationship(type, path.at(-2) ?? '')
  if (!field?.isCounted) return undefined
  // Without a row at the end of the path there is no number.
  return { path: toOnes, field: field.name, isCount: true, descending, nullable: toOnes.length > 0 }
}

/** The type at the end of a path of to-one relationships; `undefined` after an error. */
function followPath(
  path: readonly string[],
  resource: ResourceType,
  model: Model,
  errors: ErrorCollector,
): ResourceType | undefined {
  let type = resource
  for (const name of path) {
    const field = findRelationship(type, name)
    const owner = type
    if (field === undefined)
      return report(errors, () => unknownName(name, owner, 'relationship', listToOneNames(owner)))
    if (field.many) return report(errors, () => toManyInPath(name, owner))
    type = getResourceType(model, field.to)
  }
  return type
}

function toManyInPath(name: string, { type }: ResourceType): ParameterError {
  return sortError(
    `${type}.${name} is a to-many relationship; a sort path may only contain to-one relationships.`,
  )
}

/** A field that must not be sorted by is reported like one that does not exist, unless it is readable. */
function notSortable(
  name: string,
  field: Field | undefined,
  resource: ResourceType,
  term: SortTerm,
): ParameterError {
  if (field?.is === 'attribute' && field.isReadable && !isSortable(field.kind))
    return sortError(`${resource.type}.${name} has no order and cannot be sorted by.`)
  if (field?.is === 'computed')
    return sortError(`${resource.type}.${name} is computed and cannot be sorted by.`)
  if (field?.is === 'relationship') {
    const advice = field.many ? '' : `; sort by a field of it, as in "${name}.id"`
    return sortError(`${resource.type}.${name} is a relationship and cannot be sorted by${advice}.`)
  }
  const meant = findSortTerm(term.path.join('.'), term.descending)
  if (field === undefined && meant !== undefined)
    return sortError(
      `sort: ${resource.type} has no field ${quote(name)}; send ${quote(meant)} in its place.`,
    )
  const attributes = [...resource.fields.values()].filter(
    (candidate) => candidate.is === 'attribute' && candidate.isSortable,
  )
  return unknownName(name, resource, 'field', ['id', ...attributes.map((each) => each.name)])
}

function listToOneNames(resource: ResourceType): string[] {
  return listRelationships(resource)
    .filter(({ many }) => !many)
    .map(({ name }) => name)
}

function unknownName(
  name: string,
  resource: ResourceType,
  label: 'field' | 'relationship',
  names: readonly string[],
): ParameterError {
  const known = suggest(name, names, `${label}s to sort by`)
  return sortError(`sort: ${resource.type} has no ${label} ${quote(name)}; ${known}`)
}

function tooManyJoins(): ParameterError {
  return sortError(`sort follows more than ${maxJoins} relationships.`)
}

function sortError(detail: string): ParameterError {
  return new ParameterError('invalid_sort', 'sort', detail)
}
