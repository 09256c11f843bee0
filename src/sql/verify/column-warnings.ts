import type { Kind } from '../../model/kinds/kinds.ts'
import type { Field, Model, ResourceType, Table } from '../../model/model.ts'
import { isWrittenByCreates } from '../../model/written-fields.ts'

/** A column that a model uses. */
export interface ServedColumn {
  /** The path of its declaration, e.g. `person.fields.name`. */
  readonly path: string
  readonly table: Table
  readonly column: string
  readonly kind: Kind<unknown>
  readonly isWritten: boolean
  readonly isSorted: boolean
}

/** A warning that responses differ because of the type of a column. */
export interface ColumnWarning {
  readonly column: ServedColumn
  readonly message: string
  /** The part of an SQL statement that removes the difference. */
  readonly fix: string
}

/** Lists the columns of a model that store ids and attributes. */
export function listServedColumns(model: Model): ServedColumn[] {
  return [...model.types.values()].flatMap((resource) => {
    const { type, table, id, ids, isWritable, fields } = resource
    const isWritten = isWritable && ids.fromClient !== 'forbidden'
    const own = id.parts.map(({ column, kind }): ServedColumn => {
      return { path: `${type}.id`, table, column, kind, isWritten, isSorted: true }
    })
    return [...own, ...[...fields.values()].flatMap((field) => listFieldColumns(field, resource))]
  })
}

function listFieldColumns(field: Field, { type, table, isWritable }: ResourceType): ServedColumn[] {
  const path = `${type}.fields.${field.name}`
  switch (field.is) {
    case 'attribute': {
      const { column, kind, isSortable, makeDefault } = field
      if (column === undefined) return []
      const isWritten = isWritable && (isWrittenByCreates(field) || makeDefault !== undefined)
      return [{ path, table, column, kind, isWritten, isSorted: isSortable }]
    }
    case 'computed':
      return field.columns.map(([column, { kind }]) => {
        return { path, table, column, kind, isWritten: false, isSorted: false }
      })
    case 'relationship':
      return []
  }
}

/**
 * Formats warnings as lines, one for all equal warnings about columns of one table.
 * @param join - joins the fixes of several columns to SQL statements
 */
export function formatColumnWarnings(
  warnings: readonly ColumnWarning[],
  join: (table: Table, fixes: readonly string[]) => string,
): string[] {
  const groups = Map.groupBy(warnings, ({ column: { table }, message }) =>
    JSON.stringify([table.schema, table.name, message]),
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const paths = new Set(group.map(({ column }) => column.path))
    const fixes = new Set(group.map(({ fix }) => fix))
    return `${[...paths].join(', ')}: ${first.message}; to fix it: ${join(first.column.table, [...fixes])}`
  })
}
