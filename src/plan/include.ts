import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { ParameterError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import {
  findRelationship,
  getResourceType,
  listRelationships,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import { type FieldsetsByType, isInFieldset } from './fields.ts'
import type { Condition } from './filter/condition.ts'
import type { PositionShape } from './page.ts'
import type { OrderTerm } from './sort.ts'

/** The number of the primary rows, where the rows of a document are numbered by their include edges. */
export const primaryRowSet = -1

/**
 * An edge of the include tree: from the resources at another edge's end, over a relationship, to the related resources.
 * Paths with a common beginning share its edges.
 */
export interface IncludeEdge {
  /** The index of the edge that ends where this one starts; `primaryRowSet` if it starts at the primary data. */
  readonly parent: number
  /** The type that has the relationship. */
  readonly type: string
  readonly relationship: string
  readonly to: string
}

/** What the query shape has of the members of an include edge. */
export interface IncludePageShape {
  /** The parameter with the most members of each resource and one more; absent: all members. */
  readonly limit?: number
  /** Ends with the id. */
  readonly order: readonly OrderTerm[]
  readonly where?: Condition
  /** The position behind which the members start; only of an edge that leads from one resource. */
  readonly after?: PositionShape
  /** Whether rows contain the values of the sort keys, which cursors need. */
  readonly hasKeys?: boolean
}

/** The index of the id in rows of any layout. */
export const idIndex = 0

/** An include edge with the index of the value that holds the related ids. */
export interface LocatedIncludeEdge extends IncludeEdge {
  /** In rows of `type`: the index of the linkage, or that of the id itself if the primary data is resource linkage. */
  readonly keyIndex: number
  readonly many: boolean
  /** The page of the members of each resource; absent: all members, in the order of their ids. */
  readonly page?: IncludePageShape
}

/** Whether an edge starts at primary data that is linkage: it then leads to the resources that the linkage identifies. */
export function startsAtLinkage(edge: LocatedIncludeEdge): boolean {
  return edge.parent === primaryRowSet && edge.keyIndex === idIndex
}

/** Returns an include edge by its index. */
export function getIncludeEdge(
  { includeEdges }: Readonly<{ includeEdges: readonly LocatedIncludeEdge[] }>,
  index: number,
): LocatedIncludeEdge {
  const edge = includeEdges[index]
  if (edge === undefined) throw new Error(`The plan has no include edge ${index}.`)
  return edge
}

/** Returns the path of an include edge, such as `project.members`; empty for the primary rows. */
export function formatEdgePath(edges: readonly IncludeEdge[], index: number): string {
  const edge = edges[index]
  if (edge === undefined) return ''
  const parent = formatEdgePath(edges, edge.parent)
  return parent === '' ? edge.relationship : `${parent}.${edge.relationship}`
}

/** The maximum number of relationships in one path. */
const maxPathLength = 20
/** The maximum number of edges; each costs a statement on SQLite, and a common table expression on PostgreSQL. */
const maxEdges = 100

/**
 * Resolves include paths to edges: each edge once, every edge after its parent.
 *
 * @param paths - lists of relationship names
 * @param resource - the type at which the paths start
 * @param fieldsets - a path ends before a relationship that the fieldset of its type omits (`docs/service.md`, Include)
 * @throws ApiError | ManyErrors `invalid_include` (400) for every path that does not exist
 * @see https://jsonapi.org/format/1.0/#fetching-includes
 */
export function planInclude(
  paths: readonly (readonly string[])[],
  resource: ResourceType,
  fieldsets: FieldsetsByType,
  model: Model,
): IncludeEdge[] {
  const tree: IncludeTree = { fieldsets, model, edges: [], indexes: new Map() }
  const errors = emptyCollector()
  for (const path of paths) addPath(path, resource, tree, errors)
  throwErrors(errors)
  if (tree.edges.length <= maxEdges) return tree.edges
  throw includeError(
    `include contains ${tree.edges.length} different relationship paths; at most ${maxEdges} are allowed.`,
  )
}

/** The edges of the paths so far. */
interface IncludeTree {
  readonly fieldsets: FieldsetsByType
  readonly model: Model
  readonly edges: IncludeEdge[]
  /** The indexes of the edges, by parent and relationship. */
  readonly indexes: Map<string, number>
}

function addPath(
  path: readonly string[],
  resource: ResourceType,
  tree: IncludeTree,
  errors: ErrorCollector,
): void {
  if (path.length > maxPathLength) {
    report(errors, () =>
      includeError(
        `include: ${quote(path.join('.'))} has more than ${maxPathLength} relationships.`,
      ),
    )
    return
  }
  let type = resource
  let parent: number = primaryRowSet
  let isIncluded = true
  for (const name of path) {
    const field = findRelationship(type, name)
    if (field === undefined) {
      const owner = type
      report(errors, () => unknownRelationship(name, owner, quote(path.join('.'))))
      return
    }
    isIncluded &&= isInFieldset(tree.fieldsets, type.type, name)
    if (isIncluded)
      parent = addEdge({ parent, type: type.type, relationship: name, to: field.to }, tree)
    type = getResourceType(tree.model, field.to)
  }
}

/** @returns the index of the edge, which may be in the tree already */
function addEdge(edge: IncludeEdge, { edges, indexes }: IncludeTree): number {
  const key = `${edge.parent} ${edge.relationship}`
  const existing = indexes.get(key)
  if (existing !== undefined) return existing
  const index = edges.push(edge) - 1
  indexes.set(key, index)
  return index
}

function unknownRelationship(name: string, resource: ResourceType, path: string): ParameterError {
  const names = listRelationships(resource).map((field) => field.name)
  const known = suggest(name, names, `relationships of ${resource.type}`)
  return includeError(
    `include: ${resource.type} has no relationship ${quote(name)}, in ${path}; ${known}`,
  )
}

function includeError(detail: string): ParameterError {
  return new ParameterError('invalid_include', 'include', detail)
}
