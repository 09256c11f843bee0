import type { Catalog } from '../model/catalog.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import type { ResourceType } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import type { Planner } from '../plan/planner.ts'
import { listCascades, type ReferencingShape } from '../plan/referencing.ts'

/** The cascades of a planner: for each catalog that was read, of which an application keeps one. */
const getCascades = memoizeByIdentity((catalog: Catalog) =>
  memoizeByIdentity((planner: Planner) => listCascades(planner, catalog)),
)

/** How the rows are found that the deletion of a row deletes and changes. */
interface CascadeReader {
  readonly catalog: Catalog
  readonly planner: Planner
  readonly identity: Identity | undefined
  /** Reads the ids of the rows that reference others, as far as the identity may read them. */
  readonly read: (
    shape: ReferencingShape,
    ids: readonly string[],
    maxRows: number,
  ) => Promise<readonly string[]>
  /** The most rows that are found: their ids are in memory. */
  readonly maxRows: number
}

/** How many rows of a type a deletion deletes, or changes; none of them zero. */
interface CascadeCount {
  readonly type: string
  readonly operation: 'deleted' | 'updated'
  readonly count: number
}

/** Whether the database deletes or changes other rows together with one of a type. */
export function hasCascades(
  { type, softDelete }: ResourceType,
  { catalog, planner }: Pick<CascadeReader, 'catalog' | 'planner'>,
): boolean {
  return !softDelete && (getCascades(catalog)(planner).get(type) ?? []).length > 0
}

/**
 * Counts a deleted row and what the database deletes and changes with it, by foreign keys at any distance.
 * @returns `undefined` if these are too many
 */
export async function countCascade(
  resource: ResourceType,
  id: string,
  { catalog, planner, identity, read, maxRows }: CascadeReader,
): Promise<readonly CascadeCount[] | undefined> {
  if (resource.softDelete) return [{ type: resource.type, operation: 'updated', count: 1 }]
  const cascades = getCascades(catalog)(planner)
  const hidden = identity?.rules.hiddenFields
  const [deleted, updated] = [new FoundRows(), new FoundRows()]
  const pending: [type: string, ids: readonly string[]][] = [[resource.type, [id]]]
  deleted.add(resource.type, [id])
  for (const [type, ids] of pending)
    for (const { action, shapes } of cascades.get(type) ?? []) {
      const shape = shapes.find(({ over }) => !hidden?.get(over.type)?.has(over.relationship))
      if (shape === undefined) continue
      const found = await read(shape, ids, maxRows + 1)
      const isDeleted = action === 'cascade'
      const added = (isDeleted ? deleted : updated).add(shape.layout.type, found)
      if (deleted.size + updated.size > maxRows) return undefined
      if (isDeleted && added.length > 0) pending.push([shape.layout.type, added])
    }
  return [...listCounts('deleted', deleted), ...listCounts('updated', updated, deleted)]
}

function listCounts(
  operation: CascadeCount['operation'],
  { byType }: FoundRows,
  others?: FoundRows,
): CascadeCount[] {
  return [...byType].flatMap(([type, ids]) => {
    const count = ids.difference(others?.byType.get(type) ?? new Set()).size
    return count === 0 ? [] : [{ type, operation, count }]
  })
}

/** Rows by their type and id, each once. */
class FoundRows {
  readonly byType = new Map<string, Set<string>>()
  size = 0

  /** @returns those that are new */
  add(type: string, ids: readonly string[]): readonly string[] {
    const known = this.byType.get(type) ?? new Set()
    this.byType.set(type, known)
    const added = ids.filter((id) => !known.has(id))
    for (const id of added) known.add(id)
    this.size += added.length
    return added
  }
}
