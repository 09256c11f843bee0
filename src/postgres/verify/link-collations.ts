import { type Catalog, findTable } from '../../model/catalog.ts'
import {
  getResourceType,
  type KeyColumns,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import type { CollationLookup } from '../catalog/collations.ts'

/** A column of a table. */
type TableColumn = readonly [table: Table, column: string]

/** Lists relationships whose columns PostgreSQL cannot compare, so that every request for them would fail: a line for each. */
export function checkCollations(
  model: Model,
  catalog: Catalog,
  findCollation: CollationLookup,
): string[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap((field) => {
      const path = `${resource.type}.fields.${field.name}`
      return listComparisons(field, resource, model).flatMap(([one, other]) => {
        const [left, right] = [findCollation(...one)?.name, findCollation(...other)?.name]
        // A column with the default collation takes that of the other.
        const isComparable = [left, right].some((name) => name === undefined || name === 'default')
        if (isComparable || left === right) return []
        const [first, second] = [one, other].map(([table, column]) => {
          return `"${column}" of the table "${findTable(catalog, table)?.name}"`
        })
        return `${path}: the columns ${first} and ${second} have two collations, "${left}" and "${right}", and cannot be compared; give one of them the other's`
      })
    }),
  )
}

function listComparisons(
  { link, to }: RelationshipField,
  { table }: ResourceType,
  model: Model,
): (readonly [TableColumn, TableColumn])[] {
  const own = pairWith(table, link.ownKey)
  const other = pairWith(getResourceType(model, to).table, link.otherKey)
  if (link.foreignKey !== 'join table') return zip(own, other)
  const { joinTable, from, to: toColumns } = link
  return [...zip(own, pairWith(joinTable, from)), ...zip(pairWith(joinTable, toColumns), other)]
}

function pairWith(table: Table, columns: KeyColumns): TableColumn[] {
  return columns.map((column): TableColumn => [table, column])
}

function zip(
  left: readonly TableColumn[],
  right: readonly TableColumn[],
): (readonly [TableColumn, TableColumn])[] {
  return left.flatMap((one, index): (readonly [TableColumn, TableColumn])[] => {
    const other = right[index]
    return other ? [[one, other]] : []
  })
}
