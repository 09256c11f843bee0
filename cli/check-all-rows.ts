import type { Catalog, ColumnSample, StoredColumn, StoredTable, TableSample } from 'lapidary'
import { type MutableFindings, type SampleTables, toRequest } from './findings.ts'
import { inferKind, type KindCode } from './infer-kind.ts'

/** The number of rows of a sample, which has all rows of a table with fewer. */
const sampledRows = 1000

/** Whether a sample has all rows of its table. */
export function isWhole(sample: TableSample | undefined): boolean {
  const [column] = sample?.columns.values() ?? []
  return column !== undefined && column.nulls + column.values < sampledRows
}

/**
 * Searches all rows of tables for values that are not of the kind of their column. Columns with such a value, and those that could not be
 * searched in time, are returned as null where a value is invalid: the first rows do not show what the others contain.
 */
export async function checkAllRows(
  tables: readonly StoredTable[],
  {
    catalog,
    findings,
    sample,
  }: Readonly<{ catalog: Catalog; findings: MutableFindings; sample: SampleTables }>,
): Promise<void> {
  const kindOf = (column: StoredColumn) => findings.kinds.get(column) ?? inferKind(column, catalog)
  const columns = tables.flatMap((table) =>
    [...table.columns.values()].flatMap((column) => {
      const kind = kindOf(column)
      const isKnown = findings.columns.has(column) || findings.invalid.has(column)
      return kind === undefined || isKnown ? [] : [{ table, column, kind }]
    }),
  )
  const samples = await sample(
    columns.map(({ table, column }) => ({
      ...toRequest(table, [column], kindOf),
      searchesAllRows: true,
    })),
  )
  for (const [index, { column, kind }] of columns.entries()) {
    const found = samples[index]?.columns.get(column.name)
    if (found?.invalid === 0) continue
    findings.invalid.add(column)
    findings.notes.set(column, describeRest(found, kind))
  }
}

function describeRest(found: ColumnSample | undefined, { name }: KindCode): string {
  return found === undefined
    ? `its rows could not all be read in time; values that are not of the kind ${name} are returned as null`
    : `a value is not of the kind ${name}, such as ${found.example}; it is returned as null`
}
