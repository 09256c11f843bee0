import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type KeyColumns } from '../../model/model.ts'
import { type LocatedIncludeEdge, startsAtLinkage } from '../../plan/projection.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { isLinkageFromIncluded } from '../linkage.ts'
import { columnAt, getAttribute, type Target } from '../tables.ts'

/** Returns the key columns of the source rows of an include edge. */
export function listSourceColumns(edge: LocatedIncludeEdge, { model }: Target): KeyColumns {
  if (startsAtLinkage(edge)) return getResourceType(model, edge.to).id.columns
  return getRelationship(getResourceType(model, edge.type), edge.relationship).link.ownKey
}

/** Compiles the columns of a row set: those of its layout, and the keys of the include edges. */
export function compileRowSetColumns(
  shape: ReadShape,
  rowSet: number,
  layout: RowLayout,
  target: Target,
): Sql {
  const columns = new Set([
    ...listLayoutColumns(layout, target),
    ...listEdgeColumns(shape, rowSet, target),
  ])
  return sql.join(
    [...columns].map((column) => columnAt(0, column)),
    sql.raw(', '),
  )
}

/** Lists the columns that the id, the values and the linkages of a layout are computed from; a column may be listed twice. */
function listLayoutColumns(layout: RowLayout, target: Target): string[] {
  const resource = getResourceType(target.model, layout.type)
  const ownKeyOf = (name: string) => getRelationship(resource, name).link.ownKey
  const columns: string[] = [...resource.id.columns]
  const addColumn = (column: string): Sql => {
    columns.push(column)
    return columnAt(0, column)
  }
  for (const value of layout.values) {
    if ('column' in value) columns.push(value.column)
    else if ('count' in value) columns.push(...ownKeyOf(value.count))
    else getAttribute(resource, value.expression).expression(addColumn, target.dialect.name)
  }
  return [...columns, ...layout.linkages.flatMap(({ relationship }) => ownKeyOf(relationship))]
}

/** Lists the key columns by which the include edges lead from and to a row set; a column may be listed twice. */
function listEdgeColumns(shape: ReadShape, rowSet: number, target: Target): string[] {
  const fromRowSet = shape.includeEdges.filter(({ parent }) => parent === rowSet)
  const columns = fromRowSet.flatMap((edge) => [...listSourceColumns(edge, target)])
  const edge = shape.includeEdges[rowSet]
  if (edge === undefined || !isLinkageFromIncluded(shape, rowSet, target)) return columns
  const owner = getResourceType(target.model, edge.type)
  return [...columns, ...getRelationship(owner, edge.relationship).link.otherKey]
}
