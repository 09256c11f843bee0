import type { Kind } from '../model/kinds.ts'
import type { Field, Model, ResourceType, Table } from '../model/model.ts'

/** A column that a model serves: where the declaration says so, and what is done with its values. */
export interface ServedColumn {
  readonly place: string
  readonly table: Table
  readonly column: string
  readonly kind: Kind<unknown>
  readonly writes: boolean
  readonly sorts: boolean
}

/** What answers would not be as elsewhere about a column, and how its table is to be changed so that they are. */
export interface ColumnWarning {
  readonly column: ServedColumn
  readonly message: string
  readonly fix: string
}

/** Every column of a model that keeps values of a kind. */
export function listServedColumns(model: Model): ServedColumn[] {
  return [...model.types.values()].flatMap((resource) => {
    const { type, table, id, ids, isWritable, fields } = resource
    const own: ServedColumn = {
      ...{ place: `${type}.id`, table, column: id.column, kind: id.kind },
      ...{ writes: isWritable && ids.fromClient !== 'forbidden', sorts: true },
    }
    return [own, ...[...fields.values()].flatMap((field) => listFieldColumns(field, resource))]
  })
}

function listFieldColumns(field: Field, { type, table, isWritable }: ResourceType): ServedColumn[] {
  const place = `${type}.fields.${field.name}`
  switch (field.is) {
    case 'attribute': {
      const { column, kind, isSortable, makeDefault } = field
      if (column === undefined) return []
      const isWritten = isWritable && (field.isWritable || makeDefault !== undefined)
      return [{ place, table, column, kind, writes: isWritten, sorts: isSortable }]
    }
    case 'computed':
      return field.columns.map(([column, { kind }]) => {
        return { place, table, column, kind, writes: false, sorts: false }
      })
    case 'relationship':
      return []
  }
}

/**
 * Writes a line for all differences that are the same about columns of one table.
 * @param join - makes one statement, or several in a row, of the mends of different columns
 */
export function formatColumnWarnings(
  differences: readonly ColumnWarning[],
  join: (table: Table, mends: readonly string[]) => string,
): string[] {
  const alike = Map.groupBy(differences, ({ column: { table }, message }) =>
    JSON.stringify([table.schema, table.name, message]),
  )
  return [...alike.values()].flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const places = new Set(all.map(({ column }) => column.place))
    const mends = new Set(all.map(({ fix }) => fix))
    return `${[...places].join(', ')}: ${first.message}; to mend it: ${join(first.column.table, [...mends])}`
  })
}
