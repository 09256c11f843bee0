import { quoteNames } from '../../errors/quote.ts'
import {
  type Catalog,
  type ForeignKey,
  findTable,
  isIndexed,
  type StoredTable,
} from '../../model/catalog.ts'
import type { Model, Table } from '../../model/model.ts'
import { listCascadeWarnings } from '../../sql/verify/cascade-warnings.ts'
import {
  type ColumnWarning,
  formatColumnWarnings,
  listServedColumns,
} from '../../sql/verify/column-warnings.ts'
import { formatIndexWarning, listCollationWarnings } from '../../sql/verify/index-warnings.ts'
import { formatScannedTexts, listScannedTexts } from '../../sql/verify/match-warnings.ts'
import { listNullWarnings } from '../../sql/verify/null-warnings.ts'
import type { SqliteCollation, SqliteCollationLookup } from '../catalog/collations.ts'
import type { SqliteFacts } from '../catalog/facts.ts'
import { estimateRowCount } from '../catalog/table-size.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqlite } from '../database.ts'
import { listRejectedChangeWarnings } from './rejected-changes.ts'

/** Lists text columns with a collation other than `binary`, a line for each table. */
export function listSqliteWarnings(
  model: Model,
  { catalog, collationOf, isIndexed }: SqliteFacts,
  connection: SqliteConnection,
): string[] {
  return [
    ...listEncodingWarnings(connection),
    ...formatColumnWarnings(
      listCollations(model, collationOf),
      ({ name }, columns) => `create "${name}" again with ${columns.join(', ')} collate binary`,
    ),
    ...listUnusedIndexes(model, catalog),
    ...listBrokenKeyWarnings(model, catalog),
    ...listRejectedChangeWarnings(model, catalog),
    ...listNullWarnings(model, catalog),
    ...listCascadeWarnings(model, catalog),
    ...listCollationWarnings(model, { catalog, database: sqlite }, isIndexed).map(
      formatIndexWarning,
    ),
    ...listScannedTexts(model, sqlite).flatMap((texts) =>
      formatScannedTexts(texts, countRows(texts.table, catalog, connection), sqlite),
    ),
  ]
}

/** Warns of a database in UTF-16, whose texts SQLite compares byte by byte. */
function listEncodingWarnings(connection: SqliteConnection): string[] {
  const [[encoding] = []] = connection.introspect('pragma encoding')
  return encoding === 'UTF-8'
    ? []
    : [
        `the database: the bytes of ${encoding} are not in the order of code points, in which texts are sorted and compared by gt, lt, between and startswith on other databases; to fix it: copy it to a new file, e.g. sqlite3 old.db .dump | sqlite3 new.db`,
      ]
}

/** Estimates the rows of a table; a view counts as empty, because its tables are not known. */
function countRows(table: Table, catalog: Catalog, connection: SqliteConnection): number {
  return findTable(catalog, table)?.is === 'view' ? 0 : estimateRowCount(connection, table.name)
}

/**
 * Warns of datetimes whose index is not used: their texts may have any notation, so filters and sorts convert the text of every
 * row.
 */
function listUnusedIndexes(model: Model, catalog: Catalog): string[] {
  const columns = listServedColumns(model).filter(({ table, column, kind, isSorted }) => {
    const stored = findTable(catalog, table)
    return stored && isIndexed(stored, [column]) && isSorted && kind.codec === 'datetime'
  })
  return formatColumnWarnings(
    columns.map((column) => ({
      column,
      message: 'filters and sorts convert the text of every row, and do not use the index',
      fix: "storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')",
    })),
    (_, formats) => `declare the format of the texts, e.g. ${formats.join(', ')}`,
  )
}

/** Warns of the text columns with a collation other than `binary`. */
function listCollations(model: Model, collationOf: SqliteCollationLookup): ColumnWarning[] {
  const texts = listServedColumns(model).filter(({ kind }) => kind.codec === 'text')
  return [...Map.groupBy(texts, ({ table }) => table)].flatMap(([table, columns]) =>
    columns.flatMap((column) => {
      const message = describeCollation(collationOf(table, column.column))
      return message === undefined ? [] : [{ column, message, fix: `"${column.column}"` }]
    }),
  )
}

/** Describes what a collation ignores. */
function describeCollation(collation: SqliteCollation): string | undefined {
  const operations = 'in filters, sorting, keys and unique constraints'
  if (collation === 'nocase')
    return `the collation nocase ignores the case of letters ${operations}`
  if (collation === 'foreign')
    return 'only another program has its collation, so filters and sorts compare code points'
  return collation === 'rtrim'
    ? `the collation rtrim ignores spaces at the end of a text ${operations}`
    : undefined
}

/**
 * Warns of foreign keys that no row can satisfy: the table or a column that they reference does not exist, or the columns are not unique.
 * SQLite accepts such a table, but no statement that changes its rows, or deletes rows of the other table (sqlite.org/foreignkeys.html).
 * @returns a line for each foreign key of a table whose rows the model changes, or that references one
 */
function listBrokenKeyWarnings(model: Model, catalog: Catalog): string[] {
  const writable = [...model.types.values()].flatMap(({ isWritable, table }) =>
    isWritable ? (findTable(catalog, table) ?? []) : [],
  )
  return catalog.tables.flatMap((table) =>
    table.foreignKeys.flatMap((key) => {
      const target = findTable(catalog, key.to)
      const problem = describeProblem(key, target)
      if (problem === undefined) return []
      const changed = [table, ...(target && target !== table ? [target] : [])]
      if (!changed.some((each) => writable.includes(each))) return []
      return describe(table, key, problem, target)
    }),
  )
}

function describeProblem(
  { to, references }: ForeignKey,
  target: StoredTable | undefined,
): string | undefined {
  if (target === undefined) return `there is no table "${to.name}"`
  const missing = references.find((name) => !target.columns.has(name))
  if (missing !== undefined) return `"${to.name}" has no column "${missing}"`
  if (references.length === 0) return `"${to.name}" has no primary key`
  const isUnique = target.uniques.some(
    (unique) =>
      unique.length === references.length && unique.every((name) => references.includes(name)),
  )
  return isUnique ? undefined : `${quoteNames(references)} of "${to.name}" is not unique`
}

function describe(
  { name }: StoredTable,
  { columns, to }: ForeignKey,
  problem: string,
  target: StoredTable | undefined,
): string {
  const others =
    target === undefined || target.name === name ? '' : `, and creates and deletes in "${to.name}"`
  return `${name}: the foreign key ${quoteNames(columns)} of "${name}" to "${to.name}" cannot hold: ${problem}; SQLite rejects writes to "${name}"${others}, so they are 409; to fix it: create "${name}" again without the foreign key`
}
