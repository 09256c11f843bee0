import { attempt, collectErrors, emptyCollector, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import type { ParsedQuery } from '../parse/query.ts'
import { type FieldsetsByType, planFields, planLayout } from './fields.ts'
import { type IncludeEdge, planInclude, primaryRowSet } from './include.ts'
import type { Planner } from './planner.ts'
import { createIdentifierLayout, findLinkageIndex, type RowLayout } from './row-layout.ts'
import { addVersion } from './version.ts'
import { planWithCount, rejectWithCount } from './with-count.ts'

/** The index of the id in rows of any layout. */
const idIndex = 0

/** An include edge with the index of the value that holds the related ids. */
export interface LocatedIncludeEdge extends IncludeEdge {
  /** In rows of `type`: the index of the linkage, or that of the id itself if the primary data is resource linkage. */
  readonly keyIndex: number
  readonly many: boolean
}

/** The fields, linkage and included resources that a document contains. */
export interface Projection {
  readonly primary: RowLayout
  /** The layouts of the included types, one each. */
  readonly included: readonly RowLayout[]
  readonly includeEdges: readonly LocatedIncludeEdge[]
}

/** What is read for a document in addition to what it shows. */
interface ProjectionOptions {
  /** Whether the entity tag has the version of the primary resource. Default false. */
  readonly hasVersion?: boolean
}

/**
 * Plans the projection of a document whose primary data are resources.
 * @throws ApiError | ManyErrors (400) with every error of `fields`, `include` and `withCount`
 */
export function planProjection(
  planner: Planner,
  query: ParsedQuery,
  resource: ResourceType,
  { hasVersion = false }: ProjectionOptions = {},
): Projection {
  const [{ fieldsets, edges }, counted] = collectErrors(
    () => planEdges(planner, query, resource),
    () => planWithCount(query, resource),
  )
  const { getLayout, included } = createLayouts(edges, fieldsets, planner, {
    counts: { type: resource.type, counted },
    findVersion: (each) =>
      findShownVersion(query, each) ?? (hasVersion && each === resource ? 'silent' : undefined),
  })
  return {
    primary: getLayout(resource.type),
    included,
    includeEdges: edges.map((edge) => locateKey(edge, getLayout)),
  }
}

/**
 * Plans the projection of a document whose primary data is the linkage of a relationship. Include paths start with the
 * relationship itself.
 * @throws ApiError | ManyErrors (400) with every error of `fields` and `include`
 */
export function planLinkageProjection(
  planner: Planner,
  query: ParsedQuery,
  resource: ResourceType,
  relationship: RelationshipField,
): Projection {
  const [{ fieldsets, edges }] = collectErrors(
    () => planEdges(planner, query, resource),
    () => rejectWithCount(query),
  )
  const other = edges.find(
    ({ parent, relationship: name }) => parent === primaryRowSet && name !== relationship.name,
  )
  if (other !== undefined) {
    const detail = `include: paths start with ${quote(relationship.name)} here, not with ${quote(other.relationship)}.`
    throw new ParameterError('invalid_include', 'include', detail)
  }
  const { getLayout, included } = createLayouts(edges, fieldsets, planner, {
    findVersion: (each) => findShownVersion(query, each),
  })
  const includeEdges = edges.map((edge) =>
    edge.parent === primaryRowSet
      ? { ...edge, keyIndex: idIndex, many: false }
      : locateKey(edge, getLayout),
  )
  const primary = planner.shapes.intern(createIdentifierLayout(relationship.to))
  return { primary, included, includeEdges }
}

/** Whether an edge starts at primary data that is linkage: it then leads to the resources that the linkage identifies. */
export function startsAtLinkage(edge: LocatedIncludeEdge): boolean {
  return edge.parent === primaryRowSet && edge.keyIndex === idIndex
}

/** Returns an include edge by its index. */
export function getIncludeEdge({ includeEdges }: Projection, index: number): LocatedIncludeEdge {
  const edge = includeEdges[index]
  if (edge === undefined) throw new Error(`The plan has no include edge ${index}.`)
  return edge
}

/** Invalid fieldsets count as absent, so that the include paths are checked as well and all errors reported together. */
function planEdges({ model }: Planner, query: ParsedQuery, resource: ResourceType) {
  const errors = emptyCollector()
  const fieldsets = attempt(() => planFields(query.fields, model), errors) ?? new Map()
  const edges =
    attempt(() => planInclude(query.include ?? [], resource, fieldsets, model), errors) ?? []
  throwErrors(errors)
  return { fieldsets, edges }
}

/** What the layouts of a document contain beside the fields. */
interface LayoutOptions {
  /** The relationships of a type whose related resources are counted. */
  readonly counts?: Readonly<{ type: string; counted: readonly string[] }>
  readonly findVersion: (resource: ResourceType) => RowLayout['version']
}

/** Whether the resource objects of a type show their version: the request or the declaration says so. */
function findShownVersion(
  { withVersions }: ParsedQuery,
  { showsVersions }: ResourceType,
): 'shown' | undefined {
  return (withVersions ?? showsVersions) ? 'shown' : undefined
}

/** One layout per type: a resource has the same members wherever it appears in the document. */
function createLayouts(
  edges: readonly IncludeEdge[],
  fieldsets: FieldsetsByType,
  planner: Planner,
  { counts, findVersion }: LayoutOptions,
) {
  const getLayout = (type: string): RowLayout => {
    const resource = getResourceType(planner.model, type)
    const version = findVersion(resource)
    const layout = getUnversioned(resource)
    return version ? planner.shapes.intern(addVersion(layout, planner.model, version)) : layout
  }
  const getUnversioned = (resource: ResourceType): RowLayout => {
    const { type } = resource
    const included = edges.filter((edge) => edge.type === type).map((edge) => edge.relationship)
    const counted = counts?.type === type ? counts.counted : []
    if (included.length + counted.length === 0 && !fieldsets.has(type))
      return planner.defaultLayout(resource)
    return planner.shapes.intern(planLayout(resource, fieldsets, new Set(included), counted))
  }
  return { getLayout, included: [...new Set(edges.map(({ to }) => to))].map(getLayout) }
}

function locateKey(edge: IncludeEdge, getLayout: (type: string) => RowLayout): LocatedIncludeEdge {
  const layout = getLayout(edge.type)
  const keyIndex = findLinkageIndex(layout, edge.relationship)
  const many = layout.linkages.some(
    (linkage) => linkage.relationship === edge.relationship && linkage.many,
  )
  return { ...edge, keyIndex, many }
}
