import {
  type Catalog,
  type ColumnSample,
  canStore,
  type StoredColumn,
  type StoredTable,
  type TableSample,
} from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import {
  asKind,
  checkAllRows,
  checkKeys,
  chooseDatetimeFormats,
  datetimeText,
  fallbackKinds,
  isIndexed,
  isWhole,
  kindsByTypes,
  listDatetimes,
  storedFormats,
  type TableColumn,
} from './check-rows.ts'
import { evaluateCodec } from './evaluate-code.ts'
import { findViewKeys } from './find-view-keys.ts'
import {
  createFindings,
  type Findings,
  type MutableFindings,
  type SampleTables,
  toRequest,
} from './findings.ts'
import { inferKind, isUnknownType } from './infer-kind.ts'
import { constant, integer64, type KindCode } from './kind-code.ts'
import { findStoredSecrets } from './secrets.ts'

/** A column whose values are mostly not of the kind of its type. */
interface Mismatch {
  readonly table: StoredTable
  readonly column: StoredColumn
  readonly sample: ColumnSample
  readonly kind: KindCode
}

/** Finds out which tables and columns cannot be read, and which values are not of the kind of their column. */
export async function inspectCatalog(
  catalog: Catalog,
  sample: SampleTables,
  { checksAllRows = false }: Readonly<{ checksAllRows?: boolean | undefined }> = {},
): Promise<Findings> {
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
  if (mismatches.length > 0) await chooseFallbacks(mismatches, { catalog, findings, sample })
  const views = tables.flatMap((table, index) =>
    table.is === 'view' ? [{ table, sample: samples[index] }] : [],
  )
  await findViewKeys(views, { catalog, findings, sample })
  if (commandDatabases[catalog.dialect].storesAnyType) {
    await checkKeys(tables, { catalog, findings, sample })
    const datetimes = tables.flatMap((table, index) =>
      listDatetimes(table, samples[index], { catalog, findings }),
    )
    await chooseDatetimeFormats(datetimes, { findings, sample, checksAllRows })
  }
  if (checksAllRows) {
    const large = tables.filter((_, index) => !isWhole(samples[index]))
    await checkAllRows(large, { catalog, findings, sample })
  }
  return findings
}

function inspectTable(
  table: StoredTable,
  sample: TableSample | undefined,
  { catalog, findings }: Readonly<{ catalog: Catalog; findings: MutableFindings }>,
): Mismatch[] {
  if (sample?.error !== undefined) findings.tables.set(table, `it cannot be read: ${sample.error}`)
  for (const column of findStoredSecrets(table, sample)) findings.contents.set(column, 'credential')
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
    if (found.content !== undefined && !findings.contents.has(column))
      findings.contents.set(column, found.content)
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
        `its default ${found.invalidDefault} is not of the kind ${kind.name}; it is returned as null`,
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

/** Records why a column cannot be a key by its values. `classifyTables` checks the constraints of the database. */
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
  const isExact = commandDatabases[catalog.dialect].exactKeyKinds.includes(kind?.name ?? '')
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
  // Elsewhere its type says what a column contains.
  const { title, storesAnyType } = commandDatabases[catalog.dialect]
  if (type !== '' && !storesAnyType) return
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
    `${title} has no type ${type}; its values of type ${list} are read as ${chosen.name}${others}`,
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

/** The context of the choice of kinds. */
interface SampleContext {
  readonly catalog: Catalog
  readonly findings: MutableFindings
  readonly sample: SampleTables
}

/** A mismatch with the kinds that its column can store, and their names in messages. */
interface Candidate extends Mismatch {
  readonly fallbacks: readonly (readonly [kind: KindCode, name: string])[]
}

/**
 * Chooses the kind of each column whose values are mostly not of the kind of its type: the first that all sampled values fit. Two samples
 * serve all columns, because each starts a process on SQLite.
 */
async function chooseFallbacks(
  mismatches: readonly Mismatch[],
  { catalog, findings, sample }: SampleContext,
): Promise<void> {
  const candidates = mismatches.map((mismatch): Candidate => {
    const { table, column, kind } = mismatch
    const formats = isDateInDigits(mismatch.sample) ? [] : listFormats(kind, mismatch.sample)
    const all = [...formats, ...fallbackKinds.map(asKind)]
    const storable = all.filter(([each]) => isStorable(table, column, each, catalog))
    return { ...mismatch, fallbacks: storable.map((each) => readAnyText(each, mismatch.sample)) }
  })
  const chosen = await findFittingKinds(candidates, sample)
  // An index serves no values that may be null instead.
  const indexed = chosen.filter(({ table, column }) => isIndexed(table, column))
  const verified = await findVerified(indexed, sample)
  for (const { column, sample: found, kind } of candidates) {
    const description = describeInvalid(found, kind)
    const choice = chosen.find((each) => each.column === column)
    if (choice === undefined) {
      findings.columns.set(column, description)
      continue
    }
    findings.kinds.set(column, choice.kind)
    if (!verified.has(column)) findings.invalid.add(column)
    const verb = found.invalid === 1 ? 'it is' : 'they are'
    findings.notes.set(column, `${description}; ${verb} read as ${choice.name}`)
  }
}

/** A column of BLOBs keeps numbers beside texts: as texts they are of one type, in responses and in filters. */
function readAnyText(
  [kind, name]: Candidate['fallbacks'][number],
  { types }: ColumnSample,
): Candidate['fallbacks'][number] {
  const isMixed = kind.name === 'text' && types.some((type) => type !== 'text' && type !== 'null')
  return [isMixed ? constant('databaseText') : kind, name]
}

/** Lists the formats of `storedAs` that the values of a column may have instead. A column for dates may have datetimes. */
function listFormats({ name }: KindCode, { datetimeFormat }: ColumnSample) {
  if (name === 'date' && datetimeFormat)
    return [[datetimeText(datetimeFormat), datetimeFormat] as const]
  return storedFormats[name] ?? []
}

/**
 * Whether the value of a message is a number such as 20240131 or 20240131120000. As seconds and milliseconds since 1970 they would be
 * datetimes of August 1970 and of the 27th century, so no program means that.
 */
function isDateInDigits({ example = '' }: ColumnSample): boolean {
  return /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])(?:[0-5]\d){2})?$/.test(
    example,
  )
}

/** A column and the kind that is chosen for it. */
interface ChosenKind extends TableColumn {
  readonly kind: KindCode
  readonly name: string
}

/** Finds for each column the first kind that all sampled values fit; columns that no kind fits are missing. */
async function findFittingKinds(
  candidates: readonly Candidate[],
  sample: SampleTables,
): Promise<readonly ChosenKind[]> {
  // The first request of a table tests the first kind of each column, and so on.
  const rounds = [...Map.groupBy(candidates, ({ table }) => table)].flatMap(([table, columns]) =>
    Array.from(
      { length: Math.max(...columns.map(({ fallbacks }) => fallbacks.length)) },
      (_, at) => {
        return { table, at }
      },
    ),
  )
  // With all columns, because an index of one alone would return its values in their order: first the numbers, then the texts.
  const samples = await sample(
    rounds.map(({ table, at }) =>
      toRequest(
        table,
        [...table.columns.values()],
        (column) => candidates.find((each) => each.column === column)?.fallbacks[at]?.[0],
      ),
    ),
  )
  return candidates.flatMap(({ table, column, fallbacks }) => {
    const fitting = fallbacks.find((_, at) => {
      const index = rounds.findIndex((round) => round.table === table && round.at === at)
      return samples[index]?.columns.get(column.name)?.invalid === 0
    })
    return fitting ? [{ table, column, kind: fitting[0], name: fitting[1] }] : []
  })
}

/** Finds the columns all of whose values are of the chosen kind, as far as they could be read in time. */
async function findVerified(
  chosen: readonly ChosenKind[],
  sample: SampleTables,
): Promise<ReadonlySet<StoredColumn>> {
  if (chosen.length === 0) return new Set()
  const samples = await sample(
    chosen.map(({ table, column, kind }) => {
      return { ...toRequest(table, [column], () => kind), searchesAllRows: true }
    }),
  )
  const isValid = ({ column }: ChosenKind, index: number) =>
    samples[index]?.columns.get(column.name)?.invalid === 0
  return new Set(chosen.filter(isValid).map(({ column }) => column))
}

/** Says what is found, e.g. `3 of 10 values are not of the kind datetime, such as "0000-00-00"`. */
function describeInvalid({ invalid, values, example }: ColumnSample, { name }: KindCode): string {
  return `${invalid} of ${values} ${values === 1 ? 'value' : 'values'} ${invalid === 1 ? 'is' : 'are'} not of the kind ${name}, such as ${example}`
}
