import type { Catalog, ColumnSample, StoredColumn, StoredTable, TableSample } from 'lapidary'
import { isWhole } from './check-all-rows.ts'
import { datetimeText } from './fallback-kinds.ts'
import { type MutableFindings, type SampleTables, toRequest } from './findings.ts'
import { inferKind, type KindCode } from './infer-kind.ts'

// The formats of datetimes of SQLite, which are texts there. The other programs of a file compare them as texts, so one format for each
// column is what makes them times: what is written has the format that the column has already.

/** A column of a table. */
export interface TableColumn {
  readonly table: StoredTable
  readonly column: StoredColumn
}

/** A column with datetimes of one format, or of several. */
interface DatetimeColumn extends TableColumn {
  /** `undefined`: several, or one that cannot be declared. */
  readonly format: KindCode | undefined
  /** The offsets from UTC, if the values have one notation but for them; `''` for none. */
  readonly offsets: readonly string[] | undefined
  /** The kind of the type of the column. */
  readonly kind: KindCode
  /** Whether the sample has all rows of the table. */
  readonly isWhole: boolean
}

/** The findings so far, and the catalog. */
interface DatetimeContext {
  readonly catalog: Catalog
  readonly findings: Pick<MutableFindings, 'kinds'>
}

/** Lists the columns of a table of SQLite all of whose sampled values, and the default, are datetimes. */
export function listDatetimes(
  table: StoredTable,
  sample: TableSample | undefined,
  { catalog, findings }: DatetimeContext,
): DatetimeColumn[] {
  return [...table.columns.values()].flatMap((column) => {
    const found = sample?.columns.get(column.name)
    const isKnown = found === undefined || findings.kinds.has(column)
    const kind = inferKind(column, catalog)
    if (isKnown || kind === undefined || !isDatetime(kind, found)) return []
    const { datetimeFormat, datetimeOffsets: offsets } = found
    const format = datetimeFormat ? datetimeText(datetimeFormat) : undefined
    const isDefined = datetimeFormat !== undefined || found.values > 0
    return isDefined ? [{ table, column, format, offsets, kind, isWhole: isWhole(sample) }] : []
  })
}

/** Whether a column contains datetimes. A column for dates does if all of its values have a time. */
function isDatetime(
  kind: KindCode,
  { invalid, invalidDefault, datetimeFormat }: ColumnSample,
): boolean {
  if (invalid > 0 || invalidDefault !== undefined) return false
  return kind.name === 'datetime' || (kind.name === 'date' && Boolean(datetimeFormat))
}

/**
 * Declares the format of each column whose sampled values all have one. An index serves filters and sorts only if all rows have it, so
 * the columns of indexes are searched, and all columns where a program with the declarations will reject other values.
 */
export async function chooseDatetimeFormats(
  datetimes: readonly DatetimeColumn[],
  {
    findings,
    sample,
    checksAllRows,
  }: Readonly<{ findings: MutableFindings; sample: SampleTables; checksAllRows: boolean }>,
): Promise<void> {
  const searched = datetimes.filter(
    (each) =>
      each.format !== undefined &&
      !each.isWhole &&
      (checksAllRows || isIndexed(each.table, each.column)),
  )
  const samples =
    searched.length === 0
      ? []
      : await sample(
          searched.map(({ table, column, format }) => {
            return { ...toRequest(table, [column], () => format), searchesAllRows: true }
          }),
        )
  const isExcluded = (each: DatetimeColumn) => {
    const index = searched.indexOf(each)
    return index >= 0 && samples[index]?.columns.get(each.column.name)?.invalid !== 0
  }
  for (const each of datetimes) {
    if (each.format !== undefined && !isExcluded(each)) findings.kinds.set(each.column, each.format)
    else addNote(each, findings)
  }
}

/** Says how a datetime is written to a column without a format of its own, or why none is: it would not sort among the others. */
function addNote(
  { column, format, kind, offsets = [] }: DatetimeColumn,
  findings: MutableFindings,
): void {
  const [offset, ...others] = format === undefined ? offsets : []
  const written = 'new ones are stored as 2024-01-31T12:00:00.000000Z'
  const isFixed = others.length === 0 && Boolean(offset)
  if (isFixed) findings.kinds.set(column, { ...kind, isReadOnly: true })
  findings.datetimeNotes.set(
    column,
    isFixed
      ? `it is read-only, because all of its datetimes have the offset ${offset}, and new ones would be stored in UTC, out of their order`
      : others.length > 0
        ? `its datetimes have several offsets from UTC, such as ${offsets.slice(0, 2).join(' and ')}; ${written}`
        : offset === ''
          ? `its datetimes have a format that cannot be declared; ${written}`
          : `its datetimes have several formats; ${written}`,
  )
}

/** Whether an index begins with a column. */
export function isIndexed({ indexes = [] }: StoredTable, { name }: StoredColumn): boolean {
  return indexes.some(([first]) => first === name)
}
