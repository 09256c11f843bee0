import type { Database } from '../../model/database.ts'
import type { AttributeField, Model, Table } from '../../model/model.ts'

/** The number of rows from which a search that reads all of them is worth a warning. */
export const minRows = 100_000

/** The text attributes of a table that have the operator `match` without a text index. */
interface ScannedTexts {
  readonly table: Table
  /** The paths of their declarations, e.g. `book.fields.title`. */
  readonly paths: readonly string[]
}

/** Lists the text attributes on which `match` reads every row, by table. */
export function listScannedTexts(
  { types }: Model,
  database: Pick<Database, 'textIndexes'>,
): ScannedTexts[] {
  return [...types.values()].flatMap(({ type, table, fields }) => {
    const paths = [...fields.values()].flatMap((field) =>
      field.is === 'attribute' && isScanned(field, database)
        ? [`${type}.fields.${field.name}`]
        : [],
    )
    return paths.length === 0 ? [] : [{ table, paths }]
  })
}

function isScanned(
  { kind, column, isFilterable, match }: AttributeField,
  { textIndexes }: Pick<Database, 'textIndexes'>,
) {
  const hasIndex = match !== undefined && textIndexes.isDeclared(match)
  return kind.operators === 'textual' && isFilterable && column !== undefined && !hasIndex
}

/** Formats what `match` costs in a large table, as a line of `verify`; none for a small one. */
export function formatScannedTexts(
  { paths }: ScannedTexts,
  rows: number,
  { textIndexes }: Pick<Database, 'textIndexes'>,
): string[] {
  if (rows < minRows) return []
  return [
    `${paths.join(', ')}: the operator "match" reads the texts of about ${Number(rows.toPrecision(2))} rows; to use an index: declare match: ${textIndexes.example}, or filter: false`,
  ]
}
