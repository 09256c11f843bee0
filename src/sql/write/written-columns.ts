import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import {
  getRelationship,
  getResourceType,
  type KeyColumns,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { asTypedKeys, idPartParams, isEqualKey, toKey } from '../keys/keys.ts'
import { hasSpellings } from '../read/linkage.ts'
import type { ParameterSource } from '../statement.ts'
import {
  and,
  asId,
  asText,
  columnAt,
  columnsAt,
  requestedId,
  type Target,
  tableAt,
  tableName,
} from '../tables.ts'

/** A column of a table and the value that is written to it. */
export type Assignment = readonly [name: string, value: Sql]

/** The names of columns in statements without an alias. */
export function columnNames(columns: KeyColumns): Sql[] {
  return columns.map((column) => sql.id(column))
}

/** Compiles the columns of a layout that shows nothing but columns of a row, for the statement that writes the row. */
export function compileWrittenRow(
  { values, linkages }: RowLayout,
  resource: ResourceType,
  target: Target,
): Sql {
  const ids = columnNames(resource.id.columns)
  const columns = values.map((value) => {
    if ('column' in value) return asText(sql.id(value.column), value.codec, target)
    if (!('versionOf' in value)) throw new Error(`A row of ${resource.type} has no such column.`)
    return asText(target.dialect.versionOf(columnNames(value.versionOf)), value.codec, target)
  })
  const keys = linkages.map(({ relationship }) => {
    const { link, to } = getRelationship(resource, relationship)
    return asId(columnNames(link.ownKey), getResourceType(target.model, to).id, target)
  })
  return sql.join([asId(ids, resource.id, target), ...columns, ...keys])
}

/** Compiles the increment of the column that is the version of a row, behind other assignments; nothing without such a column. */
export function compileIncrement({ version }: ResourceType, { dialect }: Target): Sql {
  if (version === undefined || version === dialect.rowVersion) return sql``
  const column = sql.id(version)
  return sql`, ${column} = coalesce(${column}, 0) + 1`
}

/** Pairs columns with values in the same order. */
export function zipColumns(columns: KeyColumns, values: readonly Sql[]): Assignment[] {
  return columns.flatMap((column, index): Assignment[] => {
    const value = values[index]
    return value === undefined ? [] : [[column, value]]
  })
}

/**
 * Compiles the key that references columns of the resource with an id. If comparisons of the id ignore case, the key is read from the
 * row: PostgreSQL compares a column of the type citext with a parameter, which is a text, case-sensitively.
 * @param source - the parameter of the id
 */
export function compileKey(
  resource: ResourceType,
  columns: KeyColumns,
  source: ParameterSource,
  target: Target,
): Sql[] {
  const { id, table } = resource
  const { dialect, insertedRow } = target
  // The id of the row that was inserted last is a text, which cannot be assigned to a column of an enum type.
  const isText = source === 'id' && insertedRow !== undefined
  const infersType = id.parts.some(({ kind }) => getCodec(kind.codec, dialect).infersType)
  const isExact = !hasSpellings(resource, target) && !(isText && infersType)
  const idParams = source === 'id' ? requestedId(id, target) : idPartParams(source, id, dialect)
  const idColumns = columnsAt(1, id.columns)
  const where = isEqualKey(isText ? asTypedKeys(idColumns, id, dialect) : idColumns, idParams)
  return columns.map((column) => {
    const param = idParams[id.columns.indexOf(column)]
    if (param !== undefined && isExact) return param
    return sql`(select ${columnAt(1, column)} from ${tableAt(1, table)} where ${where})`
  })
}

/**
 * Compiles the table of an update or a delete, and the condition on its rows. SQLite knows no alias for a view there, so the rows of
 * a view are found by their ids.
 * @param conditions - about `t0`
 */
export function compileChangedRows(
  { table, id }: ResourceType,
  conditions: readonly Sql[],
  target: Target,
): Readonly<{ table: Sql; where: Sql }> {
  const rows = tableAt(0, table)
  const where = and(conditions)
  if (!isChangedByTriggers(table, target)) return { table: rows, where }
  const changedIds = sql`select ${sql.join(columnsAt(0, id.columns))} from ${rows} where ${where}`
  return {
    table: tableName(table),
    where: sql`${toKey(columnNames(id.columns))} in (${changedIds})`,
  }
}

/** Whether triggers make all changes of a table, as for some views. */
export function isChangedByTriggers(table: Table, { facts }: Target): boolean {
  return facts.triggersOf(table)?.makeAllChanges ?? false
}
