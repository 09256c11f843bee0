import { type Catalog, type DeleteAction, findTable } from '../model/catalog.ts'
import {
  getResourceType,
  isSameKey,
  type KeyColumns,
  listRelationships,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import type { Planner } from './planner.ts'
import { createIdentifierLayout, type RowLayout } from './row-layout.ts'

/** The query shape of a read of the rows that reference rows of another type. Equal shapes are one object. */
export interface ReferencingShape {
  /** The identifiers of the referencing rows. */
  readonly layout: RowLayout
  /** The relationship with the foreign key, of the one type or the other. */
  readonly over: Readonly<{ type: string; relationship: string }>
}

/** What the database does with the rows that reference a deleted row. */
interface Cascade {
  readonly action: DeleteAction
  /** How the rows are found: over the relationship of the one type or the other, one of which an identity may not know. */
  readonly shapes: readonly ReferencingShape[]
}

/**
 * Lists what the deletion of a row does by foreign keys, as far as they are declared as relationships.
 * @returns by the type of the deleted row
 */
export function listCascades(
  { model, shapes }: Planner,
  catalog: Catalog,
): ReadonlyMap<string, readonly Cascade[]> {
  const types = [...model.types.values()]
  const cascades = types.map((deleted) => {
    const table = findTable(catalog, deleted.table)
    const found = types.flatMap((changed) =>
      (findTable(catalog, changed.table)?.foreignKeys ?? []).flatMap((key): Cascade[] => {
        const { onDelete: action, to, columns } = key
        const [first = '', ...others] = columns
        if (action === undefined || table === undefined || findTable(catalog, to) !== table)
          return []
        const overs = findRelationships(model, { deleted, changed }, [first, ...others])
        const layout = createIdentifierLayout(changed.type)
        const found = overs.map((over) => shapes.intern({ layout, over }))
        return found.length === 0 ? [] : [{ action, shapes: found }]
      }),
    )
    return [deleted.type, found] as const
  })
  return new Map(cascades)
}

/** Finds the relationships of two types whose foreign key has these columns of the changed type. */
function findRelationships(
  model: Model,
  { deleted, changed }: Readonly<Record<'deleted' | 'changed', ResourceType>>,
  columns: KeyColumns,
): readonly ReferencingShape['over'][] {
  const own = listRelationships(changed).filter(
    ({ link, to }) =>
      link.foreignKey === 'own' &&
      isSameKey(link.ownKey, columns) &&
      getResourceType(model, to).table.name === deleted.table.name,
  )
  const others = listRelationships(deleted).filter(
    ({ link, to }) =>
      link.foreignKey === 'other' && to === changed.type && isSameKey(link.otherKey, columns),
  )
  return [
    ...own.map(({ name }) => ({ type: changed.type, relationship: name })),
    ...others.map(({ name }) => ({ type: deleted.type, relationship: name })),
  ]
}
