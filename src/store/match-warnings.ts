import type { DialectName } from '../model/dialect.ts'
import type { AttributeField, Model, Table } from '../model/model.ts'

/** The number of rows from which a search that reads all of them is worth a warning. */
export const minRows = 100_000

/** The text attributes of a table that have the operator `match` without a text index. */
interface ScannedTexts {
  readonly table: Table
  /** The paths of their declarations, e.g. `book.fields.title`. */
  readonly paths: readonly string[]
}

/** Lists the text attributes on which `match` reads every row, by table. */
export function listScannedTexts({ types }: Model, dialect: DialectName): ScannedTexts[] {
  return [...types.values()].flatMap(({ type, table, fields }) => {
    const paths = [...fields.values()].flatMap((field) =>
      field.is === 'attribute' && isScanned(field, dialect) ? [`${type}.fields.${field.name}`] : [],
    )
    return paths.length === 0 ? [] : [{ table, paths }]
  })
}

function isScanned({ kind, column, isFilterable, match }: AttributeField, dialect: DialectName) {
  const index = dialect === 'sqlite' ? match?.fts : match?.tsvector
  return kind.operators === 'textual' && isFilterable && column !== undefined && index === undefined
}

/** Formats what `match` costs in a large table, as a line of `verify`; none for a small one. */
export function formatScannedTexts(
  { paths }: ScannedTexts,
  rows: number,
  dialect: DialectName,
): string[] {
  if (rows < minRows) return []
  const fix = dialect === 'sqlite' ? "{ fts: '<FTS5 table>' }" : "{ tsvector: '<column>' }"
  return [
    `${paths.join(', ')}: the operator "match" reads the texts of about ${Number(rows.toPrecision(2))} rows; to use an index: declare match: ${fix}, or filter: false`,
  ]
}
