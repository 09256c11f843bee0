import { requireImmediate } from '../errors/require-immediate.ts'
import { cursorMember } from '../model/declare/cursor-of.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { versionMember } from '../model/declare/if-match.ts'
import { markPart, nameFilteredMember, nameMoreMember } from '../model/declare/more-members.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import {
  type Field,
  getRelationship,
  getResourceType,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { toStoredValue } from '../plan/fields.ts'
import { primaryRowSet } from '../plan/include.ts'
import type { IncludedMembers } from '../plan/include-page.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import {
  type CompleteRows,
  findIncludedLayout,
  type RowBatch,
  type Rows,
} from '../plan/read-result.ts'
import {
  createCountValue,
  findShownLinkage,
  findValueIndex,
  type Row,
  type RowLayout,
} from '../plan/row-layout.ts'
import { createVersions } from '../plan/version.ts'
import type { DocumentSerializer, OperationSerializer } from './document.ts'
import { describeCursorPage, sealRow } from './page.ts'

/** A resource, or its identifier, as a plain object: `type`, `id`, and the fields. */
export type PlainObject = Readonly<Record<string, unknown>>

/** A list of resources as plain objects. */
interface PlainList {
  readonly data: readonly PlainObject[]
  readonly meta: Readonly<{ count?: number; page?: object }>
}

/**
 * Creates the serializer of plain objects. The values of attributes are those of their kinds. A relationship whose linkage the
 * document has is a member: with the related resources where an include path reaches it, with identifiers elsewhere.
 *
 * Each end of an include path has objects of its own, one for each resource. So an object has the members that its path gives
 * it, and no object contains itself.
 */
export function createObjectSerializer(model: Model): DocumentSerializer<Awaitable<unknown>> {
  const getBuilder = memoizeByIdentity((layout: RowLayout) => compileBuilder(layout, model))
  const build = ({ shape }: ReadPlan, rows: CompleteRows) => buildObjects(shape, rows, getBuilder)
  const identify = ({ shape }: ReadPlan, { primary }: CompleteRows) =>
    primary.map(([id]): PlainObject => ({ type: shape.type, id: String(id) }))
  const ofOperations: OperationSerializer<Awaitable<unknown>> = {
    serializeCollection: async (plan, rows): Promise<PlainList> => {
      const complete = await collectRows(rows)
      const data = addCursorMembers(plan, build(plan, complete), complete)
      return { data, meta: describePage(plan, complete) }
    },
    serializeResource: async (plan, rows) => build(plan, await collectRows(rows))[0] ?? null,
    serializeMessage: () => undefined,
    serializeMeta: (values) => values,
  }
  return {
    ...ofOperations,
    ofOperations,
    serializeResults: (results) => results,
    serializeToManyLinkage: async (plan, rows) => {
      const complete = await collectRows(rows)
      return addCursorMembers(plan, identify(plan, complete), complete)
    },
    serializeToOneLinkage: async (plan, rows) => identify(plan, await collectRows(rows))[0] ?? null,
    serializeRoot: (meta) => meta,
  }
}

/** Adds their cursors to the objects of primary rows, if the request asks for them. */
function addCursorMembers(
  plan: ReadPlan,
  objects: PlainObject[],
  { primary }: CompleteRows,
): PlainObject[] {
  const cursors = plan.page?.cursors
  if (!cursors?.showsCursors) return objects
  return objects.map((object, index) => {
    const row = primary[index]
    return row ? Object.assign(object, { [cursorMember]: sealRow(plan, row, cursors) }) : object
  })
}

/** The `meta` of a list, which has no links: of a page between cursors also the cursors of the other pages. */
function describePage(plan: ReadPlan, { count, primary, hasMore = false }: CompleteRows) {
  if (plan.page?.cursors === undefined) return count === undefined ? {} : { count }
  const end = { count, hasMore, first: primary[0], last: primary.at(-1) }
  return describeCursorPage(plan, end, true)
}

/**
 * Returns the function that builds the objects of primary rows without included resources, for a list that is read in batches.
 */
export function compileObjects(plan: ReadPlan, model: Model): (row: Row) => PlainObject {
  const build = compileBuilder(plan.shape.primary, model)
  return (row) => build(row, identifyRelated)
}

/** Reads a stream to its end. The included rows of a type may arrive in several batches. */
async function collectRows(rows: Rows): Promise<CompleteRows> {
  if (rows.is === 'complete') return rows
  try {
    const primary: Row[] = []
    for await (const batch of rows.primary) primary.push(...batch)
    const included: RowBatch[] = []
    for await (const batch of rows.included) included.push(batch)
    const { hasMore } = rows
    // A page between cursors may not be counted.
    const count = hasMore === undefined ? (rows.count ?? primary.length) : rows.count
    return { is: 'complete', count, primary, included, ...(hasMore !== undefined && { hasMore }) }
  } finally {
    rows.end()
  }
}

/** Returns the value of a relationship from the linkage of a row. */
type ResolveRelated = (relationship: string, ids: readonly string[], to: string) => unknown[]

/** Builds the object of a row. */
type ObjectBuilder = (row: Row, resolve: ResolveRelated) => PlainObject

/** The related resources of a relationship that no include path reaches. */
const identifyRelated: ResolveRelated = (_relationship, ids, type) =>
  ids.map((id) => ({ type, id }))

/** Compiles the builder of a row layout. */
function compileBuilder(layout: RowLayout, model: Model): ObjectBuilder {
  const resource = getResourceType(model, layout.type)
  const attributes = layout.attributes.map(
    (name) => [name, compileValue(resource, name, layout)] as const,
  )
  const relationships = layout.relationships.flatMap((name) => {
    const index = findShownLinkage(layout, name)
    const isPaged = layout.linkages.some((each) => each.relationship === name && each.isPaged)
    return index === -1 ? [] : [{ index, isPaged, ...getRelationship(resource, name) }]
  })
  // No field has a dot in its name.
  const counts = layout.relationships.flatMap((name) => {
    const index = findValueIndex(layout, createCountValue(name))
    return index === -1 ? [] : [[`${name}.count`, index] as const]
  })
  const getVersion = layout.version === 'shown' ? createVersions(model)(layout) : null
  return (row, resolve) => {
    const object: Record<string, unknown> = { type: layout.type, id: String(row[0]) }
    if (getVersion) object[versionMember] = getVersion(row)
    for (const [name, read] of attributes) object[name] = read(row)
    for (const [name, index] of counts) object[name] = row[index]
    for (const { name, many, to, index, isPaged } of relationships) {
      if (isPaged && !addMembersPage(object, name, row[index])) continue
      const related = resolve(name, toIds(row[index]), to)
      if (isPaged && isPart(row[index])) markPart(related)
      object[name] = many ? related : (related[0] ?? null)
    }
    return object
  }
}

/** Says which part of the members a resource has. @returns false if no include path leads on from the resource */
function addMembersPage(object: Record<string, unknown>, name: string, members: unknown): boolean {
  if (members === null) return false
  // The row layout guarantees it.
  const { page } = members as IncludedMembers
  if (page === undefined) return true
  if (page.isSized) object[nameMoreMember(name)] = page.hasMore
  if (page.isFiltered) object[nameFilteredMember(name)] = true
  return true
}

function isPart(members: unknown): boolean {
  // The row layout guarantees it.
  const { page } = members as IncludedMembers
  return page !== undefined && (page.isFiltered || page.hasMore)
}

/** The row layout guarantees an array of ids for a to-many relationship, and an id or null for a to-one. */
function toIds(linkage: unknown): readonly string[] {
  if (linkage === null || linkage === undefined) return []
  return Array.isArray(linkage) ? linkage : [String(linkage)]
}

function compileValue(
  resource: ResourceType,
  name: string,
  layout: RowLayout,
): (row: Row) => unknown {
  const field = resource.fields.get(name)
  const read = field && compileRead(field, layout)
  if (field === undefined || field.is === 'relationship' || read === undefined)
    throw new Error(`${layout.type}.${name} is not an attribute.`)
  const { kind } = field
  // Only the JSON text of a decimal has all digits of its scale.
  const toValue = /^decimal(?:\[\])?$/.test(kind.comparesAs)
    ? (value: unknown): unknown => JSON.parse(kind.serialize(value))
    : (value: unknown) => value
  return (row) => {
    const value = requireImmediate(read(row), 'The function of an attribute')
    return value === null || value === undefined ? null : toValue(value)
  }
}

function compileRead(field: Field, layout: RowLayout): ((row: Row) => unknown) | undefined {
  switch (field.is) {
    case 'attribute': {
      const index = findValueIndex(layout, toStoredValue(field))
      return (row) => row[index]
    }
    case 'computed': {
      const inputs = field.columns.map(([column, { kind }]) => {
        return [column, findValueIndex(layout, { column, codec: kind.codec })] as const
      })
      return (row) =>
        field.compute(Object.fromEntries(inputs.map(([column, index]) => [column, row[index]])))
    }
    case 'relationship':
      return undefined
  }
}

/** What the objects of a response are built from. */
interface ObjectGraph {
  readonly shape: ReadShape
  readonly getBuilder: (layout: RowLayout) => ObjectBuilder
  readonly findRow: (type: string, id: string) => Row | undefined
  /** The objects at the end of each include edge, by id. */
  readonly objects: readonly Map<string, PlainObject>[]
}

/** Builds the objects of all primary rows, with the included resources as their members. */
function buildObjects(
  shape: ReadShape,
  rows: CompleteRows,
  getBuilder: (layout: RowLayout) => ObjectBuilder,
): PlainObject[] {
  const build = getBuilder(shape.primary)
  if (shape.includeEdges.length === 0) return rows.primary.map((row) => build(row, identifyRelated))
  const objects = shape.includeEdges.map(() => new Map<string, PlainObject>())
  const graph: ObjectGraph = { shape, getBuilder, findRow: indexRows(shape, rows), objects }
  return rows.primary.map((row) => build(row, resolveFrom(primaryRowSet, graph)))
}

/** Resolves the relationships of the objects at the end of an include edge, or of the primary data. */
function resolveFrom(parent: number, graph: ObjectGraph): ResolveRelated {
  return (relationship, ids, type) => {
    const edge = graph.shape.includeEdges.findIndex(
      (each) => each.parent === parent && each.relationship === relationship,
    )
    return edge === -1
      ? identifyRelated(relationship, ids, type)
      : ids.map((id) => getIncluded(edge, id, graph))
  }
}

/** Returns the object of a resource at the end of an include edge. */
function getIncluded(edge: number, id: string, graph: ObjectGraph): PlainObject {
  const { shape, getBuilder, findRow, objects } = graph
  const known = objects[edge]?.get(id)
  if (known !== undefined) return known
  const type = shape.includeEdges[edge]?.to ?? shape.type
  const row = findRow(type, id)
  const build = getBuilder(type === shape.type ? shape.primary : findIncludedLayout(shape, type))
  const object = row ? build(row, resolveFrom(edge, graph)) : { type, id }
  objects[edge]?.set(id, object)
  return object
}

/** Returns the function that finds a row by type and id. An included resource may be among the primary ones. */
function indexRows(shape: ReadShape, { primary, included }: CompleteRows): ObjectGraph['findRow'] {
  const types = new Map<string, Map<string, Row>>()
  for (const { type, rows } of [...included, { type: shape.type, rows: primary }]) {
    const byId = types.get(type) ?? new Map<string, Row>()
    for (const row of rows) byId.set(String(row[0]), row)
    types.set(type, byId)
  }
  return (type, id) => types.get(type)?.get(id)
}
