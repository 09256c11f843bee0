import { attempt, collectErrors, emptyCollector, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { getResourceType, type RelationshipField, type ResourceType } from '../model/model.ts'
import type { ParsedQuery } from '../parse/query.ts'
import { type FieldsetsByType, planFields, planLayout } from './fields.ts'
import type { PlanParameters } from './filter/condition.ts'
import {
  type IncludeEdge,
  idIndex,
  type LocatedIncludeEdge,
  planInclude,
  primaryRowSet,
} from './include.ts'
import { type IncludePage, planIncludePages } from './include-page.ts'
import type { KnownKeys } from './page.ts'
import type { Planner } from './planner.ts'
import { createIdentifierLayout, findLinkageIndex, type RowLayout } from './row-layout.ts'
import { addVersion } from './version.ts'
import { planWithCount, rejectWithCount } from './with-count.ts'

/** The fields, linkage and included resources that a document contains. */
export interface Projection {
  readonly primary: RowLayout
  /** The layouts of the included types, one each. */
  readonly included: readonly RowLayout[]
  readonly includeEdges: readonly LocatedIncludeEdge[]
}

/** A projection, and what the plan has of its include edges beside the query shape. */
export interface PlannedProjection {
  readonly projection: Projection
  /** By include edge; absent if no edge has a page. */
  readonly includePages?: IncludePages
}

/** What a plan has of the pages of include edges, beside the query shape. */
export type IncludePages = readonly (IncludePage | undefined)[]

/** What is read for a document in addition to what it shows. */
interface ProjectionOptions {
  /** Receives the client's values. */
  readonly parameters: PlanParameters
  /** Whether the entity tag has the version of the primary resource. Default false. */
  readonly hasVersion?: boolean
  /** Whether the primary data is at most one resource or identifier. Default false. */
  readonly isOne?: boolean
  /** The keys of cursors that contain an id, by parameter; absent before they are read. */
  readonly known?: KnownKeys | undefined
}

/**
 * Plans the projection of a document whose primary data are resources.
 * @throws ApiError | ManyErrors (400) with every error of `fields`, `include` and `withCount`
 */
export function planProjection(
  planner: Planner,
  query: ParsedQuery,
  resource: ResourceType,
  { hasVersion = false, ...options }: ProjectionOptions,
): PlannedProjection {
  const { planned, counted } = collectErrors({
    planned: () => planEdges(planner, query, resource, options),
    counted: () => planWithCount(query, resource),
  })
  const { fieldsets, edges, pages } = planned
  const { getLayout, included } = createLayouts(edges, fieldsets, planner, {
    pages,
    counts: { type: resource.type, counted },
    findVersion: (each) =>
      findShownVersion(query, each) ?? (hasVersion && each === resource ? 'silent' : undefined),
  })
  const includeEdges = edges.map((edge) => locateKey(edge, getLayout))
  return addPages({ primary: getLayout(resource.type), included, includeEdges }, pages)
}

/** Adds the pages of include edges to a projection. */
function addPages(projection: Projection, pages: PlannedPages): PlannedProjection {
  if (pages === undefined) return { projection }
  const includeEdges = projection.includeEdges.map((edge, index) => {
    const page = pages[index]?.shape
    return page ? { ...edge, page } : edge
  })
  const includePages = pages.map((each) => each?.page)
  return { projection: { ...projection, includeEdges }, includePages }
}

/**
 * Plans the projection of a document whose primary data is the linkage of a relationship. Include paths start with the
 * relationship itself.
 * @throws ApiError | ManyErrors (400) with every error of `fields` and `include`
 */
export function planLinkageProjection(
  planner: Planner,
  query: ParsedQuery,
  { resource, relationship }: Readonly<{ resource: ResourceType; relationship: RelationshipField }>,
  options: ProjectionOptions,
): PlannedProjection {
  const linkage = { linkage: relationship.name, isOne: !relationship.many }
  const { planned } = collectErrors({
    planned: () => planEdges(planner, query, resource, { ...options, ...linkage }),
    withCount: () => rejectWithCount(query),
  })
  const { fieldsets, edges, pages } = planned
  checkStarts(edges, relationship)
  const { getLayout, included } = createLayouts(edges, fieldsets, planner, {
    pages,
    findVersion: (each) => findShownVersion(query, each),
  })
  const includeEdges = edges.map((edge) =>
    edge.parent === primaryRowSet
      ? { ...edge, keyIndex: idIndex, many: false }
      : locateKey(edge, getLayout),
  )
  const primary = planner.shapes.intern(createIdentifierLayout(relationship.to))
  return addPages({ primary, included, includeEdges }, pages)
}

/** Checks that include paths start with a relationship. @throws ParameterError `invalid_include` (400) */
function checkStarts(edges: readonly IncludeEdge[], { name }: RelationshipField): void {
  const other = edges.find(
    ({ parent, relationship }) => parent === primaryRowSet && relationship !== name,
  )
  if (other === undefined) return
  const detail = `include: paths start with ${quote(name)} here, not with ${quote(other.relationship)}.`
  throw new ParameterError('invalid_include', 'include', detail)
}

/** The pages of include edges; `undefined` if no edge has one. */
type PlannedPages = ReturnType<typeof planIncludePages> | undefined

/** Invalid fieldsets count as absent, so that the include paths are checked as well and all errors reported together. */
function planEdges(
  { model }: Planner,
  query: ParsedQuery,
  resource: ResourceType,
  options: Readonly<{ linkage?: string }> & Omit<ProjectionOptions, 'hasVersion'>,
) {
  const errors = emptyCollector()
  const fieldsets = attempt(() => planFields(query.fields, model), errors) ?? new Map()
  const edges =
    attempt(() => planInclude(query.include ?? [], resource, fieldsets, model), errors) ?? []
  const planned = attempt(
    () => planIncludePages({ query, edges, resource, model, ...options }),
    errors,
  )
  throwErrors(errors)
  const pages: PlannedPages = planned?.some((page) => page !== undefined) ? planned : undefined
  return { fieldsets, edges, pages }
}

/** What the layouts of a document contain beside the fields. */
interface LayoutOptions {
  readonly pages: PlannedPages
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
  { pages, counts, findVersion }: LayoutOptions,
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
    const paged = edges.filter((edge, index) => edge.type === type && pages?.[index] !== undefined)
    const counted = counts?.type === type ? counts.counted : []
    if (included.length + counted.length === 0 && !fieldsets.has(type))
      return planner.defaultLayout(resource)
    const isPaged = new Set(paged.map(({ relationship }) => relationship))
    return planner.shapes.intern(
      planLayout(resource, fieldsets, new Set(included), { counted, paged: isPaged }),
    )
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
