import type {
  Catalog,
  ColumnSample,
  SampleRequest,
  StoredColumn,
  StoredTable,
  TableSample,
} from 'lapidary'
import { canStore } from 'lapidary'
import { call, identifier } from './code.ts'
import { evaluateCodec } from './evaluate-codec.ts'
import { inferKind, isUnknownType, type KindCode } from './infer-kind.ts'

/** What the stored values say about the tables and columns of a catalog, beyond their types. */
export interface Findings {
  /** Why tables cannot be read. */
  readonly tables: ReadonlyMap<StoredTable, string>
  /** Why columns are omitted. */
  readonly columns: ReadonlyMap<StoredColumn, string>
  /** Why columns cannot be a part of the key of their table. */
  readonly keys: ReadonlyMap<StoredColumn, string>
  /** The columns with values that repeat, which cannot be a key alone. */
  readonly repeated: ReadonlySet<StoredColumn>
  /** The kinds of columns that do not follow from their types. */
  readonly kinds: ReadonlyMap<StoredColumn, KindCode>
  /** What is found in columns that is no value of their kind, or why their kind is another than that of the type. */
  readonly notes: ReadonlyMap<StoredColumn, string>
  /** The columns with some values that are not of their kind, which are returned as null. */
  readonly invalid: ReadonlySet<StoredColumn>
}

/** The findings of a catalog whose data was not sampled. */
export const noFindings: Findings = createFindings()

/** Reads the first rows of tables. @returns a sample for each request, in their order */
type SampleTables = (requests: readonly SampleRequest[]) => Promise<readonly TableSample[]>

/** Findings while they are collected. */
type MutableFindings = ReturnType<typeof createFindings>

function createFindings() {
  return {
    tables: new Map<StoredTable, string>(),
    columns: new Map<StoredColumn, string>(),
    keys: new Map<StoredColumn, string>(),
    repeated: new Set<StoredColumn>(),
    kinds: new Map<StoredColumn, KindCode>(),
    notes: new Map<StoredColumn, string>(),
    invalid: new Set<StoredColumn>(),
  }
}

/** A column whose values are mostly not of the kind of its type. */
interface Mismatch {
  readonly table: StoredTable
  readonly column: StoredColumn
  readonly sample: ColumnSample
  readonly kind: KindCode
}

const constant = (name: string): KindCode => ({ name, code: identifier(name) })

/** The kind of columns with integers that `integer` cannot write. */
const integer64: KindCode = { name: 'integer64', code: call('integer64') }

/** The kinds of columns without a known type by the types of all their values. */
const kindsByTypes: readonly (readonly [types: readonly string[], kind: KindCode])[] = [
  [['integer'], constant('integer')],
  [['integer', 'real'], constant('number')],
  [['text'], constant('text')],
  [['blob'], constant('bytes')],
]

/** The kinds of columns whose values have no format of the kind of their type. The first that all values fit is chosen. */
const fallbackKinds: readonly KindCode[] = [
  constant('integer'),
  integer64,
  constant('number'),
  constant('text'),
]

const storedAs = (kind: string, format: string) =>
  [{ name: kind, code: call('storedAs', identifier(kind), format) }, format] as const
const asKind = (kind: KindCode) => [kind, kind.name] as const

/** The formats in which programs store the values of a kind. The first that all values fit is chosen. */
const storedFormats: Readonly<Record<string, readonly (readonly [KindCode, format: string])[]>> = {
  boolean: 't/f T/F y/n Y/N yes/no YES/NO true/false TRUE/FALSE'
    .split(' ')
    .map((format) => storedAs('boolean', format)),
  // Milliseconds of the last decades are seconds of years beyond 9999.
  datetime: ['epoch-seconds', 'epoch-milliseconds'].map((format) => storedAs('datetime', format)),
}

/** The formats of datetimes as text. A value has at most one of them. */
const datetimeTexts = [
  ...['YYYY-MM-DD HH:MM:SS', 'YYYY-MM-DD HH:MM:SS.SSS', 'YYYY-MM-DD HH:MM:SS.SSSSSS'],
  ...['YYYY-MM-DDTHH:MM:SSZ', 'YYYY-MM-DDTHH:MM:SS.SSSZ', 'YYYY-MM-DDTHH:MM:SS.SSSSSSZ'],
].map((format) => storedAs('datetime', format)[0])

/** Finds out which tables and columns cannot be read, and which values are not of the kind of their column. */
export async function inspectCatalog(catalog: Catalog, sample: SampleTables): Promise<Findings> {
  const findings = createFindings()
  // Tables first: a view may be slow, and the time for all is limited.
  const tables = catalog.tables
    .filter(({ columns, error }) => columns.size > 0 && error === undefined)
    .toSorted((one, other) => Number(one.is === 'view') - Number(other.is === 'view'))
  const kindOf = (column: StoredColumn) => inferKind(column, catalog)
  const samples = await sample(
    tables.map((table) => toRequest(table, [...table.columns.values()], kindOf)),
  )
  const mismatches = tables.flatMap((table, index) =>
    inspectTable(table, samples[index], { catalog, findings }),
  )
  for (const mismatch of mismatches) await chooseFallback(mismatch, { catalog, findings, sample })
  const datetimes = tables.flatMap((table, index) =>
    listIndexedDatetimes(table, samples[index], catalog),
  )
  await chooseDatetimeFormats(datetimes, { findings, sample })
  return findings
}

function toRequest(
  { schema, name }: StoredTable,
  columns: readonly StoredColumn[],
  kindOf: (column: StoredColumn) => KindCode | undefined,
): SampleRequest {
  return {
    table: { schema, name },
    columns: new Map(columns.map((column) => [column.name, evaluateCodec(kindOf(column))])),
    defaults: new Map(
      columns.flatMap(({ name, defaultText }) =>
        defaultText === undefined ? [] : [[name, defaultText] as const],
      ),
    ),
  }
}

function inspectTable(
  table: StoredTable,
  sample: TableSample | undefined,
  { catalog, findings }: Readonly<{ catalog: Catalog; findings: MutableFindings }>,
): Mismatch[] {
  if (sample?.error !== undefined) findings.tables.set(table, `it cannot be read: ${sample.error}`)
  return [...table.columns.values()].flatMap((column): Mismatch[] => {
    if (column.name === '') findings.columns.set(column, 'its name is empty')
    const found = sample?.columns.get(column.name)
    if (found === undefined) {
      if (inferKind(column, catalog) === undefined && column.type === '')
        findings.columns.set(column, 'it has no type, and its first rows could not be read in time')
      return []
    }
    if (found.error !== undefined) {
      findings.columns.set(column, `it cannot be read: ${found.error}`)
      return []
    }
    const kind = inferKind(column, catalog)
    if (kind?.name === 'integer' && found.hasLargeIntegers) findings.kinds.set(column, integer64)
    inspectKey(column, found, { kind, catalog, findings })
    if (kind === undefined || isUnknownType(column, catalog)) {
      inspectTypes(table, column, found, { catalog, findings })
      return []
    }
    if (found.invalidDefault !== undefined) {
      findings.invalid.add(column)
      findings.notes.set(
        column,
        `its default ${found.invalidDefault} is no ${kind.name}; it is returned as null`,
      )
    }
    if (found.loadsNull && !column.nullable) {
      findings.invalid.add(column)
      findings.notes.set(
        column,
        'it must not be null, but JSON cannot express some values, such as infinity; they are returned as null',
      )
    }
    if (found.invalid === 0) return []
    if (2 * found.invalid > found.values) return [{ table, column, sample: found, kind }]
    findings.invalid.add(column)
    findings.notes.set(
      column,
      `${describeInvalid(found, kind)}; ${found.invalid === 1 ? 'it is' : 'they are'} returned as null`,
    )
    return []
  })
}

/** Notes what keeps a column from being a key. Whether the database enforces it is for `classifyTables` to know. */
function inspectKey(
  column: StoredColumn,
  { nulls, repeats, invalid, example }: ColumnSample,
  {
    kind,
    catalog,
    findings: { keys, repeated },
  }: Readonly<{ kind: KindCode | undefined; catalog: Catalog; findings: MutableFindings }>,
): void {
  if (repeats) repeated.add(column)
  // In ids PostgreSQL has a text for each value of these kinds, also for those that no attribute can have.
  const isExact =
    catalog.dialect === 'postgres' &&
    ['date', 'datetime', 'time', 'decimal'].includes(kind?.name ?? '')
  if (nulls > 0) keys.set(column, `its key ${column.name} is null in some rows`)
  else if (invalid > 0 && !isExact) keys.set(column, `its key ${column.name} contains ${example}`)
}

/** Chooses the kind of a column without a type, or of an unknown one, by the types of its values. */
function inspectTypes(
  table: StoredTable,
  column: StoredColumn,
  { types, invalid, hasLargeIntegers }: ColumnSample,
  { catalog, findings }: Readonly<{ catalog: Catalog; findings: MutableFindings }>,
): void {
  const { type } = column
  // The types of PostgreSQL say what its columns contain.
  if (type !== '' && catalog.dialect !== 'sqlite') return
  const found = types.filter((each) => each !== 'null')
  if (found.length === 0) return
  const list = found.join(' and ')
  const byTypes = kindsByTypes.find(([all]) => found.every((each) => all.includes(each)))?.[1]
  const kind = byTypes?.name === 'integer' && hasLargeIntegers ? integer64 : byTypes
  const isChosen = kind !== undefined && isStorable(table, column, kind, catalog)
  if (!isChosen && type === '') {
    findings.columns.set(
      column,
      `it has no type, and no attribute kind fits its values of type ${list}`,
    )
    return
  }
  const chosen = isChosen ? kind : constant('databaseText')
  findings.kinds.set(column, chosen)
  // Rows beyond the sample may have other types.
  findings.invalid.add(column)
  if (type === '') return
  const others = !isChosen && invalid > 0 ? '; BLOBs are returned as null' : ''
  findings.notes.set(
    column,
    `SQLite has no type ${type}; its values of type ${list} are read as ${chosen.name}${others}`,
  )
}

/** True if a column can store every value of a kind. A column of a view stores nothing. */
function isStorable(
  table: StoredTable,
  { type }: StoredColumn,
  kind: KindCode,
  { dialect }: Catalog,
): boolean {
  const codec = evaluateCodec(kind)
  const isComputed = table.is === 'view' && type === ''
  return isComputed || (codec !== undefined && canStore(type, { codec }, dialect))
}

async function chooseFallback(
  { table, column, sample, kind }: Mismatch,
  context: Readonly<{ catalog: Catalog; findings: MutableFindings; sample: SampleTables }>,
): Promise<void> {
  const { catalog, findings } = context
  const found = describeInvalid(sample, kind)
  const formats = storedFormats[kind.name] ?? []
  for (const [fallback, format] of [...formats, ...fallbackKinds.map(asKind)]) {
    if (!isStorable(table, column, fallback, catalog)) continue
    // With all columns, because an index of this one alone would return its values in their order: first the numbers, then the texts.
    const request = toRequest(table, [...table.columns.values()], (each) =>
      each === column ? fallback : undefined,
    )
    const [second] = await context.sample([request])
    if (second?.columns.get(column.name)?.invalid !== 0) continue
    findings.kinds.set(column, fallback)
    // An index serves no values that may be null instead.
    const isVerified =
      isIndexed(table, column) && (await hasOnly(fallback, table, column, context.sample))
    if (!isVerified) findings.invalid.add(column)
    findings.notes.set(
      column,
      `${found}; ${sample.invalid === 1 ? 'it is' : 'they are'} read as ${format}`,
    )
    return
  }
  findings.columns.set(column, found)
}

/** A column of a table. */
interface TableColumn {
  readonly table: StoredTable
  readonly column: StoredColumn
}

/** Lists the datetimes of a table of SQLite with an index, all of whose sampled values are datetimes of any notation. */
function listIndexedDatetimes(
  table: StoredTable,
  sample: TableSample | undefined,
  catalog: Catalog,
): TableColumn[] {
  if (catalog.dialect !== 'sqlite') return []
  return [...table.columns.values()].flatMap((column) => {
    const { values = 0, invalid = 0 } = sample?.columns.get(column.name) ?? {}
    const isDatetime = inferKind(column, catalog)?.name === 'datetime'
    const isCandidate = isDatetime && values > 0 && invalid === 0 && isIndexed(table, column)
    return isCandidate ? [{ table, column }] : []
  })
}

/** Chooses the format of each indexed datetime whose values all have one: filters and sorts use the index only then. */
async function chooseDatetimeFormats(
  datetimes: readonly TableColumn[],
  { findings, sample }: Readonly<{ findings: MutableFindings; sample: SampleTables }>,
): Promise<void> {
  const candidates = datetimes.flatMap((each) => datetimeTexts.map((kind) => ({ ...each, kind })))
  // The first rows exclude most formats without a search of all.
  let remaining = candidates
  for (const searchesAllRows of [false, true]) {
    if (remaining.length === 0) return
    const samples = await sample(
      remaining.map(({ table, column, kind }) => {
        return { ...toRequest(table, [column], () => kind), searchesAllRows }
      }),
    )
    remaining = remaining.filter(
      ({ column }, index) => samples[index]?.columns.get(column.name)?.invalid === 0,
    )
  }
  for (const { column, kind } of remaining) findings.kinds.set(column, kind)
}

/** Whether all values of a column are of a kind; false if they could not be read in time. */
async function hasOnly(
  kind: KindCode,
  table: StoredTable,
  column: StoredColumn,
  sample: SampleTables,
): Promise<boolean> {
  const request = toRequest(table, [column], () => kind)
  const [all] = await sample([{ ...request, searchesAllRows: true }])
  return all?.columns.get(column.name)?.invalid === 0
}

function isIndexed({ indexes = [] }: StoredTable, { name }: StoredColumn): boolean {
  return indexes.some(([first]) => first === name)
}

/** Says what is found, e.g. `3 of 10 values are no datetime, such as "0000-00-00"`. */
function describeInvalid({ invalid, values, example }: ColumnSample, { name }: KindCode): string {
  return `${invalid} of ${values} ${values === 1 ? 'value' : 'values'} ${invalid === 1 ? 'is' : 'are'} no ${name}, such as ${example}`
}
