import { compareValues, kinds } from '../reference/reference-kinds.ts'
import {
  type Data,
  getAttribute,
  getRelationship,
  getType,
  known,
  type Row,
  type Schema,
  type Value,
} from '../schema.ts'

/** All rows of a table, in the order in which they were stored. */
export function tableRows({ tables }: Data, table: string): readonly Row[] {
  return known(tables[table], `table ${table}`)
}

/** The value of a row in a column. */
export function cell(row: Row, column: string): Value {
  return known(row[column], `column ${column} in ${Object.keys(row)}`)
}

/** The results of `rowsOf`: data never changes. */
const found = new WeakMap<Data, Map<string, readonly Row[]>>()

/** All rows that are resources of a type, by id. */
export function rowsOf(data: Data, type: string): readonly Row[] {
  const types = found.get(data) ?? new Map<string, readonly Row[]>()
  found.set(data, types)
  const rows = types.get(type) ?? findRows(data, type)
  types.set(type, rows)
  return rows
}

function findRows(data: Data, type: string): readonly Row[] {
  const { table, scope, id } = getType(data.schema, type)
  const rows = tableRows(data, table)
  return (scope ? rows.filter(scope) : rows).toSorted((left, right) =>
    compareValues(cell(left, id.column), cell(right, id.column)),
  )
}

/** The value of an attribute of a row, or of `id`. */
export function valueIn(data: Data, type: string, row: Row, name: string): Value {
  const { of, column = name } = getAttribute(data.schema, type, name)
  return of ? of(row, data) : cell(row, column)
}

/** The id of a row as documents contain it. */
export function idOf(schema: Schema, type: string, row: Row): string {
  const { id } = getType(schema, type)
  return String(kinds[id.kind].serialize(cell(row, id.column), id))
}

/** The row of a type with that id, as documents contain it. */
export function rowWithId(data: Data, type: string, id: string): Row | undefined {
  const { table, scope } = getType(data.schema, type)
  const row = tableRows(data, table).find((each) => idOf(data.schema, type, each) === id)
  return row === undefined || scope?.(row) === false ? undefined : row
}

/** The rows that a relationship of a row leads to, by id. */
export function relatedRows(data: Data, type: string, row: Row, name: string): readonly Row[] {
  const { to, link } = getRelationship(data.schema, type, name)
  const ownKey = cell(row, link.ownKey)
  if (ownKey === null) return []
  const otherKeys =
    link.foreignKey === 'join table'
      ? tableRows(data, link.joinTable)
          .filter((join) => cell(join, link.from) === ownKey)
          .map((join) => cell(join, link.to))
      : [ownKey]
  return rowsOf(data, to).filter((other) => otherKeys.includes(cell(other, link.otherKey)))
}
