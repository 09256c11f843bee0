import * as fc from 'fast-check'
import { idOf, rowsOf } from '../everything/rows.ts'
import type { CollectionRequest, Parent } from '../reference/reference.ts'
import type { Selection } from '../reference/reference-document.ts'
import { kinds } from '../reference/reference-kinds.ts'
import {
  type AttributeDescription,
  type Data,
  getRelationship,
  getType,
  isReadable,
  type Schema,
} from '../schema.ts'
import { filtersOver } from './random-filter.ts'

/** A request for a collection, and the fields and related resources that its document contains. */
export interface DocumentRequest {
  readonly request: CollectionRequest
  readonly selection: Selection
}

/** The primary resources of a request: all of a type, or those related to one resource. */
type Start = Pick<CollectionRequest, 'type' | 'of'>

/** Mostly one filter; sometimes several, short filters, or a related collection. */
export function anyFilterRequest(data: Data): fc.Arbitrary<CollectionRequest> {
  const filters = filtersOver(data)
  return anyStart(data, { whole: 9, related: 1 }, (start) =>
    fc.record({
      ...constants(start),
      filters: fc.oneof(
        { weight: 8, arbitrary: filters.tree(start.type).map((tree) => [tree]) },
        { weight: 2, arbitrary: fc.array(filters.tree(start.type), { maxLength: 3 }) },
      ),
      simple: fc.oneof(
        { weight: 8, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: fc.array(filters.simple(start.type), { maxLength: 2 }) },
      ),
      sort: fc.constant([]),
      page: fc.constant({ number: 1, size: 0 }),
    }),
  )
}

/** Requests that sort, page, include and choose fields, and filter sometimes. */
export function anyDocumentRequest(data: Data): fc.Arbitrary<DocumentRequest> {
  const filters = filtersOver(data)
  return anyStart(data, { whole: 6, related: 1 }, (start) => {
    const { type } = start
    const request = fc.record({
      ...constants(start),
      filters: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(filters.tree(type), { maxLength: 1 }) },
      ),
      simple: fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(filters.simple(type), { maxLength: 1 }) },
      ),
      sort: anySort(data.schema, type),
      page: anyPage,
    })
    return fc.record({ request, selection: anySelection(data.schema, type) })
  })
}

function constants(start: Start) {
  return {
    type: fc.constant(start.type),
    ...(start.of !== undefined && { of: fc.constant(start.of) }),
  }
}

function anyStart<Made>(
  data: Data,
  weights: Readonly<{ whole: number; related: number }>,
  make: (start: Start) => fc.Arbitrary<Made>,
): fc.Arbitrary<Made> {
  const types = Object.keys(data.schema.types)
  const wholes = new Map(types.map((type) => [type, make({ type })]))
  const whole = fc.oneof(...wholes.values())
  const related = parentsIn(data)
  return fc.oneof(
    { weight: weights.whole, arbitrary: whole },
    {
      weight: weights.related,
      arbitrary: fc.constantFrom(...related).chain((of) => {
        const { to } = getRelationship(data.schema, of.type, of.relationship)
        return make({ type: to, of })
      }),
    },
  )
}

/** Every to-many relationship of every resource. */
function parentsIn(data: Data): Parent[] {
  return Object.entries(data.schema.types).flatMap(([type, { relationships }]) => {
    const names = Object.keys(relationships).filter((name) => relationships[name]?.many)
    const ids = rowsOf(data, type).map((row) => idOf(data.schema, type, row))
    return names.flatMap((relationship) => ids.map((id) => ({ type, id, relationship })))
  })
}

const anyPage = fc.record({
  number: fc.oneof(
    { weight: 2, arbitrary: fc.constant(1) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
  ),
  size: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(0, 30, 1000) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
  ),
})

function anySort(schema: Schema, type: string): fc.Arbitrary<string[]> {
  const descending = fc.boolean().map((down) => (down ? '-' : ''))
  const names = sortable(schema, type, 2)
  return fc
    .shuffledSubarray(names, { maxLength: Math.min(5, names.length) })
    .chain((some) => fc.tuple(...some.map((name) => descending.map((sign) => sign + name))))
}

/** All names that sort a type, through at most so many to-one relationships. */
export function sortable(schema: Schema, type: string, hops: number): string[] {
  const { attributes, relationships } = getType(schema, type)
  const own = [
    'id',
    ...Object.keys(attributes).filter((name) => sorts(attributes[name])),
    ...Object.keys(relationships).flatMap((name) =>
      relationships[name]?.isCounted ? [`${name}.count`] : [],
    ),
  ]
  if (hops === 0) return own
  const toOnes = Object.entries(relationships).filter(([, { many }]) => !many)
  return [
    ...own,
    ...toOnes.flatMap(([relationship, { to }]) =>
      sortable(schema, to, hops - 1).map((name) => `${relationship}.${name}`),
    ),
  ]
}

function sorts(attribute: AttributeDescription | undefined): boolean {
  if (attribute === undefined) return false
  return attribute.sorts ?? (isReadable(attribute) && kinds[attribute.kind].operators !== 'opaque')
}

/** Sets of fields for none, some or all types, and up to three paths of up to four relationships. */
function anySelection(schema: Schema, type: string): fc.Arbitrary<Selection> {
  const sets = Object.entries(schema.types).map(([name, { attributes, relationships }]) => {
    const fields = [...Object.keys(attributes), ...Object.keys(relationships)]
    return [name, fc.shuffledSubarray(fields)] as const
  })
  const some = fc.subarray(sets.map(([name]) => name))
  const chosen = some.chain((names) =>
    fc.record(Object.fromEntries(sets.filter(([name]) => names.includes(name)))),
  )
  const { relationships } = getType(schema, type)
  const counted = Object.keys(relationships).filter((name) => relationships[name]?.isCounted)
  return fc.record({
    withCount: fc.oneof(fc.constant([]), fc.shuffledSubarray(counted)),
    fields: fc.oneof(fc.constant({}), chosen),
    include: fc.uniqueArray(
      fc.integer({ min: 1, max: 4 }).chain((length) => anyPath(schema, type, length)),
      { maxLength: 3 },
    ),
  })
}

function anyPath(schema: Schema, type: string, length: number): fc.Arbitrary<string> {
  const relationships = Object.entries(getType(schema, type).relationships)
  return fc
    .constantFrom(...relationships)
    .chain(([name, { to }]) =>
      length === 1
        ? fc.constant(name)
        : anyPath(schema, to, length - 1).map((rest) => `${name}.${rest}`),
    )
}
