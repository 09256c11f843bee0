import {
  type Catalog,
  type ColumnSample,
  canStore,
  type StoredColumn,
  type StoredTable,
  type TableSample,
} from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import { call, identifier } from './code.ts'
import { type MutableFindings, type SampleTables, toRequest } from './findings.ts'
import { inferKeyKind, inferKind } from './infer-kind.ts'
import { constant, integer64, type KindCode } from './kind-code.ts'

// SQLite stores any value in almost any column. A row whose key is not of the kind of its column would have no id, so all rows of a key are
// searched for such a value, not only the first ones.

/** A column of a key, and its kind by its type and the first rows. */
interface KeyColumn {
  readonly table: StoredTable
  readonly column: StoredColumn
  readonly kind: KindCode | undefined
}

/** The catalog, and the findings about the first rows. */
interface KeyContext {
  readonly catalog: Catalog
  readonly findings: MutableFindings
  readonly sample: SampleTables
}

/** The kind of keys that are numbers and texts: the id is the text of what is stored. */
const mixed = constant('databaseText')

/**
 * Finds out whether each row of a table of SQLite has a key of the kind of its columns. If not, the key is the text of what is stored,
 * where the column has one text for each value; elsewhere the column cannot be a key.
 */
export async function checkKeys(
  tables: readonly StoredTable[],
  { catalog, findings, sample }: KeyContext,
): Promise<void> {
  const columns = tables.flatMap((table) =>
    listKeyColumns(table).map((column) => {
      const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
      return { table, column, kind }
    }),
  )
  const strict = await findOthers(columns, ({ kind }) => kind, sample)
  const others = columns.filter((_, index) => strict[index] !== undefined)
  const kept = others.filter(({ column }) => canBeMixed(column, catalog))
  const remaining = await findOthers(kept, () => mixed, sample)
  for (const [index, { column }] of kept.entries()) {
    if (remaining[index] !== undefined && remaining[index] !== 'unknown') continue
    findings.kinds.set(column, mixed)
    for (const known of [findings.keys, findings.invalid, findings.notes, findings.columns])
      known.delete(column)
  }
  for (const { column } of others) {
    if (findings.kinds.get(column) === mixed || findings.keys.has(column)) continue
    const example = strict[columns.findIndex((each) => each.column === column)]
    const found = example === 'unknown' ? 'values that could not all be read in time' : example
    findings.keys.set(column, `its key ${column.name} contains ${found}`)
  }
}

/** The columns of the keys of a table, except the rowid. */
function listKeyColumns({ is, columns, primaryKey, uniques, rowid }: StoredTable): StoredColumn[] {
  if (is === 'view') return []
  const keys = uniques.filter((key) => rowid !== undefined || key !== primaryKey || key.length > 1)
  const isCandidate = (key: readonly string[]) =>
    key.every((name) => columns.get(name)?.nullable === false || primaryKey.includes(name))
  const names = new Set(keys.filter(isCandidate).flat())
  return [...names].flatMap((name) => columns.get(name) ?? [])
}

function canBeMixed({ type }: StoredColumn, { dialect }: Catalog): boolean {
  const { mixedKeys: codec } = commandDatabases[dialect]
  return codec !== undefined && canStore(type, { codec }, dialect)
}

/**
 * Searches all rows for a value that is not of a kind as a part of an id.
 * @returns for each column a description of such a value, `unknown` if there was no time, or `undefined` if there is none
 */
async function findOthers(
  columns: readonly KeyColumn[],
  kindOf: (column: KeyColumn) => KindCode | undefined,
  sample: SampleTables,
): Promise<(string | undefined)[]> {
  if (columns.length === 0) return []
  const samples = await sample(
    columns.map((each) => ({
      ...toRequest(each.table, [each.column], () => kindOf(each)),
      searchesAllRows: true,
      isKey: true,
    })),
  )
  return columns.map(({ column }, index) => {
    const found = samples[index]?.columns.get(column.name)
    if (found === undefined) return 'unknown'
    return found.invalid === 0 ? undefined : (found.example ?? 'null')
  })
}

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

/** The kinds of columns without a known type by the types of all their values. */
export const kindsByTypes: readonly (readonly [types: readonly string[], kind: KindCode])[] = [
  [['integer'], constant('integer')],
  [['integer', 'real'], constant('number')],
  [['text'], constant('text')],
  [['blob'], constant('bytes')],
]

/** The kinds of columns whose values have no format of the kind of their type. The first that all values fit is chosen. */
export const fallbackKinds: readonly KindCode[] = [
  constant('integer'),
  integer64,
  constant('number'),
  constant('text'),
]

const storedAs = (kind: string, format: string) =>
  [{ name: kind, code: call('storedAs', identifier(kind), format) }, format] as const
/** A kind with its name in messages. */
export const asKind = (kind: KindCode) => [kind, kind.name] as const

/** The formats in which programs store the values of a kind. The first that all values fit is chosen. */
export const storedFormats: Readonly<
  Record<string, readonly (readonly [KindCode, format: string])[]>
> = {
  boolean: 't/f T/F y/n Y/N yes/no YES/NO true/false TRUE/FALSE'
    .split(' ')
    .map((format) => storedAs('boolean', format)),
  // Milliseconds of the last decades are seconds of years beyond 9999.
  datetime: ['epoch-seconds', 'epoch-milliseconds'].map((format) => storedAs('datetime', format)),
}

/** The kind of datetimes that are texts of a format. */
export const datetimeText = (format: string): KindCode => storedAs('datetime', format)[0]
