import type { Kind } from '../model/kinds.ts'
import type { Field, Model, ResourceType, Table } from '../model/model.ts'

/** A column that a model serves: where the declaration says so, and what is done with its values. */
export interface Use {
  readonly place: string
  readonly table: Table
  readonly column: string
  readonly kind: Kind<unknown>
  readonly writes: boolean
  readonly sorts: boolean
}

/** What answers would not be as elsewhere about a column, and how its table is to be changed so that they are. */
export interface Difference {
  readonly use: Use
  readonly says: string
  readonly mend: string
}

/** Every column of a model that keeps values of a kind. */
export function usesOf(model: Model): Use[] {
  return [...model.types.values()].flatMap((resource) => {
    const { type, table, id, ids, isWritable, fields } = resource
    const own: Use = {
      ...{ place: `${type}.id`, table, column: id.column, kind: id.kind },
      ...{ writes: isWritable && ids.client !== 'refused', sorts: true },
    }
    return [own, ...[...fields.values()].flatMap((field) => usesIn(field, resource))]
  })
}

function usesIn(field: Field, { type, table, isWritable }: ResourceType): Use[] {
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
export function remarksOf(
  differences: readonly Difference[],
  join: (table: Table, mends: readonly string[]) => string,
): string[] {
  const alike = Map.groupBy(differences, ({ use: { table }, says }) =>
    JSON.stringify([table.schema, table.name, says]),
  )
  return [...alike.values()].flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const places = new Set(all.map(({ use }) => use.place))
    const mends = new Set(all.map(({ mend }) => mend))
    return `${[...places].join(', ')}: ${first.says}; to mend it: ${join(first.use.table, [...mends])}`
  })
}
