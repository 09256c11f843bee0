import { sql } from 'kysely'
import { quote } from '../errors/quote.ts'
import type { Dialect, Sql } from '../model/dialect.ts'
import { type Codec, getCodec } from '../model/kinds/codecs.ts'
import {
  type DatetimeTextFormat,
  describeDatetimeText,
  findDatetimeTextFormat,
} from '../model/kinds/stored-formats.ts'
import type { Table } from '../model/model.ts'
import { compileStatement, type Statement } from './statement.ts'
import {
  type ColumnContent,
  describeContent,
  listMembers,
  listPossibleNames,
  type SampledMember,
} from './verify/column-content.ts'
import { maxViewRows } from './verify/stored-ids.ts'

/** The maximum number of rows that are read from each table. */
const maxRows = 1000
/** The numbers of further rows of a larger table: from the end of its key, and from each of some places in the middle. */
const [endRows, middleRows] = [300, 100]
/** The places in the middle, between the least and the greatest key. */
const places = [0.25, 0.5, 0.75]
/** The columns that one statement reads, each with its type: PostgreSQL returns at most 1,664, and SQLite 2,000 by default. */
const maxColumns = 800
/** How long a statement of a sample may run, in milliseconds. */
export const sampleTimeout = 3000
/** How long the sample of a database may take, in milliseconds; the tables that are left are not sampled. */
const totalTimeout = 15_000

/** A table whose first rows are read. */
export interface SampleRequest {
  readonly table: Table
  /** The columns, each with the codec that will read it; without a codec only the types of the values are found out. */
  readonly columns: ReadonlyMap<string, Codec | undefined>
  /** The texts that are defaults of columns, by the names of the columns. Default: none. */
  readonly defaults?: ReadonlyMap<string, string>
  /**
   * Columns with an index in this order, which finds rows beyond the first for `content`, `members` and `names`. Default: only the first
   * rows are read.
   */
  readonly order?: readonly string[]
  /** Whether the values of `order` are integers of one column, so that rows are found in the middle. Default false. */
  readonly hasIntegerOrder?: boolean
  /** The columns whose texts are listed as `names`. Default: none. */
  readonly namesOf?: readonly string[]
  /**
   * If true, all rows are searched for a value that its codec cannot load: `invalid` is 0 or 1, and of the rest of the sample only
   * `example` is found out. Default false.
   */
  readonly searchesAllRows?: boolean
  /** If true, it is only found out whether the columns together repeat, or are null, in the first 10,000 rows. Default false. */
  readonly searchesRepeats?: boolean
  /** If true, the search is for a value that cannot be a part of an id, such as null. Only on SQLite. Default false. */
  readonly isKey?: boolean
}

/** What the first rows of a table contain. */
export interface TableSample {
  /** Why the table cannot be read; absent if it can. */
  readonly error?: string
  /** By name. Empty if the table cannot be read, or not in time. */
  readonly columns: ReadonlyMap<string, ColumnSample>
}

/** What a column contains in the first rows of its table. */
export interface ColumnSample {
  /** Why the column cannot be read; absent if it can. */
  readonly error?: string
  /** The number of rows in which the column is null. */
  readonly nulls: number
  /** The number of other rows. */
  readonly values: number
  /** Whether a value repeats. */
  readonly repeats: boolean
  /** The number of values that the codec cannot load. */
  readonly invalid: number
  /** One of them, for a message. */
  readonly example?: string
  /** True if a value is returned as null, because JSON cannot express it: `infinity`, `NaN`, or the null of JSON. */
  readonly loadsNull?: boolean
  /** True if a value is an integer that a double does not keep: one beyond ±(2^53−1). */
  readonly hasLargeIntegers?: boolean
  /** The format of datetimes that all values have, and the default of the column; null if they have several. Absent: none has one. */
  readonly datetimeFormat?: DatetimeTextFormat | null
  /**
   * The offsets from UTC of texts with dates and times that have one notation but for them, `''` for none; absent if they have several
   * notations, and for other values.
   */
  readonly datetimeOffsets?: readonly string[]
  /** What the values are, as far as that decides who may read them; absent if neither. */
  readonly content?: ColumnContent
  /** The members of objects in the values; absent without any. */
  readonly members?: readonly SampledMember[]
  /** The texts that may be names; absent if they were not asked for. */
  readonly names?: readonly string[]
  /** The default of the column, for a message, if the codec cannot load it. */
  readonly invalidDefault?: string
  /** The types of the values, in the words of the database; empty if all values of a column have its type. */
  readonly types: readonly string[]
}

/** How a sample reads the database. */
export interface SampleSource {
  readonly dialect: Dialect
  /** The expression for the type of a value; absent if all values of a column have its type. */
  readonly typeOf?: (column: Sql) => Sql
  /** Whether the value of a column is a part of an id; absent if the type of a column says so. */
  readonly isIdPart?: (codec: Codec, column: Sql) => Sql
  /** Returns the rows of a statement, and stops it after `sampleTimeout`. */
  readonly all: (statement: Statement) => Promise<readonly (readonly unknown[])[]>
  /** True for the error of a statement that was stopped. */
  readonly isTimeout: (error: unknown) => boolean
}

/**
 * Reads the first 1,000 rows of each table. Each statement may run for 3 seconds, the whole for 15: what is not read in time is
 * missing in the samples.
 * @returns a sample for each request, in their order
 */
export async function sampleTables(
  requests: readonly SampleRequest[],
  source: SampleSource,
): Promise<readonly TableSample[]> {
  const end = performance.now() + totalTimeout
  const samples: TableSample[] = []
  for (const request of requests) {
    const isLate = performance.now() > end
    samples.push(isLate ? { columns: new Map() } : await sampleTable(request, source))
  }
  return samples
}

async function sampleTable(request: SampleRequest, source: SampleSource): Promise<TableSample> {
  try {
    return { columns: await readColumns(request, source) }
  } catch (error) {
    if (source.isTimeout(error)) return { columns: new Map() }
    const errors = await findColumnErrors(request, source)
    const readable = [...request.columns].filter(([name]) => !errors.has(name))
    // If no column can be read, or each by itself, the error is one of the table.
    if (readable.length === 0 || errors.size === 0)
      return { error: describeError(error), columns: new Map() }
    const rest = await sampleTable({ ...request, columns: new Map(readable) }, source)
    const failed = [...errors].map(([name, message]) => [name, unreadable(message)] as const)
    return { ...rest, columns: new Map([...rest.columns, ...failed]) }
  }
}

/** Finds the columns that cannot be read although others can: the role may have rights on some columns only. */
async function findColumnErrors(
  { table, columns }: SampleRequest,
  source: SampleSource,
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>()
  for (const [name, codec] of columns) {
    try {
      await source.all(compileSample(table, [[name, codec]], { limit: 0 }, source))
    } catch (error) {
      errors.set(name, describeError(error))
    }
  }
  return errors
}

function unreadable(error: string): ColumnSample {
  return { error, nulls: 0, values: 0, repeats: false, invalid: 0, types: [] }
}

async function readColumns(
  request: SampleRequest,
  source: SampleSource,
): Promise<ReadonlyMap<string, ColumnSample>> {
  if (request.searchesRepeats) return searchRepeats(request, source)
  if (request.searchesAllRows) return searchColumns(request, source)
  const { table, columns } = request
  const { dialect, all } = source
  const list = [...columns].slice(0, maxColumns)
  const rest = new Map([...columns].slice(maxColumns))
  const rows = await all(compileSample(table, list, { limit: maxRows }, source))
  const groups = [rows, ...(rows.length < maxRows ? [] : await readBeyond(request, list, source))]
  const further = rest.size > 0 ? await readColumns({ ...request, columns: rest }, source) : []
  return new Map([
    ...list.map(([name, codec], index) => {
      const load = codec && getCodec(codec, dialect).load
      const values = rows.map((row) => row[2 * index])
      const types = rows.map((row) => row[2 * index + 1])
      const defaultText = request.defaults?.get(name)
      const defaults = describeDefault(values, defaultText, load)
      const secrets = describeSecrets(
        groups.map((group) => group.map((row) => row[2 * index])),
        request.namesOf?.includes(name) ?? false,
      )
      return [name, { ...describeColumn(values, types, load), ...defaults, ...secrets }] as const
    }),
    ...further,
  ])
}

/** Reads rows from the end of the key and from the middle, in a group each. What cannot be read in time is missing. */
async function readBeyond(
  { table, order = [], hasIntegerOrder = false }: SampleRequest,
  columns: readonly (readonly [string, Codec | undefined])[],
  source: SampleSource,
): Promise<readonly (readonly unknown[])[][]> {
  const [key] = order
  if (key === undefined) return []
  const reference = sql.id('t', key)
  const extreme = (direction: string) =>
    sql`(select ${sql.id(key)} from ${fromTable(table)} order by 1 ${sql.raw(direction)} limit 1)`
  const [least, greatest] = [extreme('asc'), extreme('desc')]
  const end = sql`order by ${sql.join(order.map((name) => sql`${sql.id('t', name)} desc`))}`
  const middle = places.map(
    (place) =>
      sql`where ${reference} >= ${least} + cast((${greatest} * 1.0 - ${least}) * ${sql.lit(place)} as ${sql.raw('bigint')}) order by ${reference}`,
  )
  const groups: (readonly unknown[])[][] = []
  for (const rest of [end, ...(hasIntegerOrder ? middle : [])]) {
    const limit = rest === end ? endRows : middleRows
    try {
      groups.push([...(await source.all(compileSample(table, columns, { rest, limit }, source)))])
    } catch (error) {
      if (source.isTimeout(error)) return groups
      throw error
    }
  }
  return groups
}

/** Searches all rows for a value that the codec of its column cannot load. */
async function searchColumns(
  { table, columns, isKey = false }: SampleRequest,
  { dialect, all, isIdPart }: SampleSource,
): Promise<ReadonlyMap<string, ColumnSample>> {
  const samples = new Map<string, ColumnSample>()
  for (const [name, codec] of columns) {
    const { select, valid } = codec ? getCodec(codec, dialect) : {}
    const column = sql`${sql.id('t', name)}`
    const read = select?.(column) ?? column
    const isOtherKind = valid ? sql`${column} is not null and ${valid(column)} is null` : sql`false`
    const isInvalid =
      isKey && codec && isIdPart ? sql`not (${isIdPart(codec, column)})` : isOtherKind
    const from = fromTable(table)
    const statement = sql`select ${read} from ${from} where ${isInvalid} limit 1`
    const values = (await all(compileStatement(statement, dialect))).map(([value]) => value)
    const [example] = values
    samples.set(name, {
      ...{ nulls: 0, values: values.length, repeats: false, invalid: values.length, types: [] },
      ...(example !== undefined && { example: describeValue(example) }),
    })
  }
  return samples
}

/** Finds out whether columns are a key of the first rows of a view, as far as the start checks them. */
async function searchRepeats(
  { table, columns }: SampleRequest,
  { dialect, all }: SampleSource,
): Promise<ReadonlyMap<string, ColumnSample>> {
  const columnNames = [...columns.keys()]
  const names = sql.join(columnNames.map((name) => sql.id(name)))
  const areNull = columnNames.map((name) => sql`${sql.id(name)} is null`)
  const isNull = sql.join(areNull, sql` or `)
  const first = sql`select ${names} from ${fromTable(table)} limit ${sql.lit(maxViewRows)}`
  const statement = sql`select 1 from (${first}) as t group by ${names} having ${isNull} or count(*) > 1 limit 1`
  const repeats = (await all(compileStatement(statement, dialect))).length > 0
  const sample: ColumnSample = { nulls: 0, values: 0, repeats, invalid: 0, types: [] }
  return new Map(columnNames.map((name) => [name, sample]))
}

function fromTable({ schema, name }: Table): Sql {
  return sql`${schema === undefined ? sql.id(name) : sql.id(schema, name)} as t`
}

/** Compiles the statement that reads each column and its type. */
function compileSample(
  table: Table,
  columns: readonly (readonly [string, Codec | undefined])[],
  { rest = sql``, limit }: Readonly<{ rest?: Sql; limit: number }>,
  { dialect, typeOf }: Pick<SampleSource, 'dialect' | 'typeOf'>,
): Statement {
  const selected = columns.flatMap(([column, codec]): Sql[] => {
    const reference = sql`${sql.id('t', column)}`
    const read = codec && getCodec(codec, dialect).select
    const type = typeOf?.(reference) ?? sql`null`
    return [read ? read(reference) : reference, type]
  })
  const statement = sql`select ${sql.join(selected)} from ${fromTable(table)} ${rest} limit ${sql.lit(limit)}`
  return compileStatement(statement, dialect)
}

function describeColumn(
  values: readonly unknown[],
  types: readonly unknown[],
  load: ((stored: unknown) => unknown) | undefined,
): ColumnSample {
  const stored = values.filter((value) => value !== null)
  const invalid = load === undefined ? [] : stored.filter((value) => !canLoad(value, load))
  const isNull = (value: unknown) =>
    load !== undefined && canLoad(value, load) && load(value) === null
  const [example] = invalid
  const isLarge = (value: unknown) =>
    /^-?\d{16,}$/.test(String(value)) && !Number.isSafeInteger(Number(value))
  return {
    nulls: values.length - stored.length,
    values: stored.length,
    repeats: new Set(stored.map(String)).size < stored.length,
    invalid: invalid.length,
    ...(example !== undefined && { example: describeValue(example) }),
    ...(stored.some(isNull) && { loadsNull: true }),
    ...(stored.some(isLarge) && { hasLargeIntegers: true }),
    types: [...new Set(types)].flatMap((type) => (typeof type === 'string' ? type : [])).sort(),
  }
}

/** Describes what may be secret in a column, by groups of its values: one group of random texts is enough. */
function describeSecrets(
  groups: readonly (readonly unknown[])[],
  hasNames: boolean,
): Pick<ColumnSample, 'content' | 'members' | 'names'> {
  const stored = groups.map((values) => values.filter((value) => value !== null))
  const contents = stored.map(describeContent)
  const content = contents.includes('credential')
    ? 'credential'
    : contents.find((each) => each !== undefined)
  const members = listMembers(stored.flat())
  return {
    ...(content !== undefined && { content }),
    ...(members.length > 0 && { members }),
    ...(hasNames && { names: listPossibleNames(stored.flat()) }),
  }
}

/** Describes a text that is a default. SQLite converts one that looks like a number, as the column requires. */
function describeDefault(
  values: readonly unknown[],
  text: string | undefined,
  load: ((stored: unknown) => unknown) | undefined,
): Pick<ColumnSample, 'invalidDefault' | 'datetimeFormat' | 'datetimeOffsets'> {
  const format = describeFormat(values, text)
  if (text === undefined || load === undefined) return format
  const isNumber = text.trim() !== '' && !Number.isNaN(Number(text))
  return isNumber || canLoad(text, load)
    ? format
    : { ...format, invalidDefault: describeValue(text) }
}

/** Finds the format that all datetimes of a column have. The default is a value of every row without another one. */
function describeFormat(
  values: readonly unknown[],
  defaultText: string | undefined,
): Pick<ColumnSample, 'datetimeFormat' | 'datetimeOffsets'> {
  const stored = [...values, defaultText ?? null].filter((value) => value !== null)
  const [first, ...others] = new Set(stored.map(findDatetimeTextFormat))
  if (first !== undefined && others.length === 0) return { datetimeFormat: first }
  const texts = stored.map(describeDatetimeText)
  const [notation, ...more] = new Set(texts.map((text) => text?.notation))
  const isOne = notation !== undefined && more.length === 0
  return {
    ...(others.length > 0 && { datetimeFormat: null }),
    ...(isOne && { datetimeOffsets: [...new Set(texts.map((text) => text?.offset ?? ''))].sort() }),
  }
}

function canLoad(value: unknown, load: (stored: unknown) => unknown): boolean {
  try {
    load(value)
    return true
  } catch {
    return false
  }
}

function describeValue(value: unknown): string {
  return value instanceof Uint8Array ? `bytes (${value.length})` : quote(value)
}

/** The message of the database, which is that of the innermost error. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : describeError(error.cause)
}
