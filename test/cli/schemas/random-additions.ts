import fc from 'fast-check'
import type { DialectName } from '../../../src/model/dialect.ts'
import { type Column, listReferences, postgresType, type Tables } from './random-schema.ts'

type Table = Tables[number]

/** Random parts of databases besides tables: indexes, invalid rows, views, triggers and limited rights. */
export const additions = fc.record({
  /** The values of the rows of each table, repeated over its columns. */
  values: fc.array(
    fc.constantFrom(
      ...['abc', '', '0000-00-00', '24:00', 'infinity', 'NaN', '2026-02-30', '{"a":', 'f', 'Y'],
      ...['1700000000000', '12345678901234567890', '1e400', '-1', 'größe', ' '],
    ),
    { minLength: 3, maxLength: 9 },
  ),
  /** Whether SQLite stores values that are not of the types of their columns, also in keys. */
  isMismatch: fc.boolean(),
  isIndexed: fc.boolean(),
  view: fc.constantFrom('simple', 'computed', 'repeated', 'aggregated', 'broken'),
  trigger: fc.constantFrom(
    'drops inserts',
    'drops updates',
    'keeps rows',
    'rejects',
    'changes nothing',
  ),
  /** The index of the table that the role may not read, and of the one whose last column it may not read. */
  hidden: fc.nat(5),
  partlyHidden: fc.nat(5),
})

/** The parts that are added to the tables of a schema. */
type Additions = typeof additions extends fc.Arbitrary<infer Each> ? Each : never

/** Lists the statements that add rows, indexes, views and triggers. A database may reject any of them. */
export function listAdditions(
  tables: Tables,
  additions: Additions,
  dialect: DialectName,
): string[] {
  const { isIndexed, view, trigger } = additions
  return tables.flatMap((table, index) => [
    ...[0, 1, 2].map((row) => insert(table, row, { tables, additions, dialect })),
    ...(isIndexed
      ? table.columns.map(
          ({ name }, at) => `create index added_${index}_${at} on ${id(table.name)} (${id(name)})`,
        )
      : []),
    `create view "view ${index}" as ${viewQuery(table, view)}`,
    ...triggers(table, index, trigger, dialect),
  ])
}

/** The database to which rows are added. */
interface RowContext {
  readonly tables: Tables
  readonly additions: Additions
  readonly dialect: DialectName
}

/** Inserts a row as a program without foreign keys and triggers does. Its composite foreign key references nothing in the last row. */
function insert(table: Table, row: number, context: RowContext): string {
  const { tables, additions, dialect } = context
  const values = [
    ...table.columns.map((column, at) => ({
      name: column.name,
      value: storedValue(column, at, row, context),
    })),
    ...listReferences(table, tables).map(({ name, referenced }, at) => ({
      name,
      value: storedValue(referenced, at, row === 2 ? 7 : 0, context),
    })),
  ]
  const list = values.map(({ name }) => id(name)).join(', ')
  const texts = values.map(({ value }) => `'${value.replaceAll("'", "''")}'`).join(', ')
  const into = `into ${id(table.name)} (${list}) values (${texts})`
  if (dialect === 'sqlite') return `insert${additions.isMismatch ? ' or ignore' : ''} ${into}`
  return `set session_replication_role = replica; insert ${into}`
}

/** A value of a row: one that may not fit, or an odd one of the type. The first column may be an integer key. */
function storedValue(column: Column, at: number, row: number, context: RowContext): string {
  const { tables, additions, dialect } = context
  const { values, isMismatch } = additions
  const word = values[(row * 3 + at) % values.length] ?? ''
  if (dialect === 'sqlite' && isMismatch) return at === 0 ? `${row + 1}` : word
  const type = dialect === 'sqlite' ? column.type : postgresType(column, tables)
  const odd = oddValues[type.replace(/\(.*/, '')]
  if (odd === undefined) return /^(?:text|varchar|string|)$/.test(type) ? word : `${row + 1}`
  return odd(row, dialect === 'sqlite')
}

const uuidOf = (row: number, isLower: boolean) => {
  const text = `F81D4FAE-7DEC-11D0-A765-00A0C91E6BF${row}`
  return isLower ? text.toLowerCase() : text
}

/** Values of types that are unusual and allowed; those of SQLite are read by its kinds. */
const oddValues: Readonly<Record<string, (row: number, isSqlite: boolean) => string>> = {
  numeric: (row, isSqlite) => (row === 1 && !isSqlite ? 'NaN' : `${row}.25`),
  decimal: (row) => `-${row}.5`,
  real: (row, isSqlite) => (row === 1 && !isSqlite ? '-Infinity' : `${row}.1`),
  point: (row) => `(${row},2)`,
  date: (row, isSqlite) => (row === 1 && !isSqlite ? '0044-03-15 BC' : `2026-02-1${row}`),
  datetime: (row) => `2026-02-1${row} 10:00:00`,
  timestamp: (row) => (row === 1 ? 'infinity' : `2026-02-1${row} 10:00:00.5`),
  time: (row, isSqlite) => (row === 1 && !isSqlite ? '24:00' : `1${row}:00:00`),
  uuid: uuidOf,
  json: (row) => ['null', '{"a":1}', '[1]'][row % 3] ?? '1',
  bytea: (row) => `\\x0${row}`,
  boolean: (row, isSqlite) => (isSqlite ? `${row % 2}` : row % 2 === 0 ? 't' : 'f'),
  char: (row) => `x${row}`,
  varchar: (row) => `größe ${row}`,
  'text[]': (row) => `{a,NULL,${row}}`,
}

function viewQuery({ name, columns }: Table, view: Additions['view']): string {
  const key = id(columns[0]?.name ?? '')
  const last = id(columns.at(-1)?.name ?? '')
  const simple = `select ${key} as id, ${last} as last from ${id(name)}`
  switch (view) {
    case 'simple':
      return simple
    case 'computed':
      return `select ${key} as id, count(*) over () + 1 as number, 'x' as word from ${id(name)}`
    case 'repeated':
      return `${simple} union all ${simple}`
    case 'aggregated':
      return `select min(${key}) as id, count(*) as number from ${id(name)} group by ${last}`
    case 'broken':
      return `select id, 1 / (id - id) as failing from (${simple}) as rows_of_table`
  }
}

function triggers(
  { name }: Table,
  index: number,
  trigger: Additions['trigger'],
  dialect: DialectName,
): string[] {
  const events = {
    'drops inserts': 'insert',
    'drops updates': 'update',
    'keeps rows': 'delete',
    rejects: 'insert',
    'changes nothing': 'insert',
  } as const
  const on = `before ${events[trigger]} on ${id(name)}`
  if (dialect === 'sqlite') {
    const body =
      trigger === 'rejects'
        ? `raise(abort, 'no')`
        : trigger === 'changes nothing'
          ? '1'
          : 'raise(ignore)'
    return [`create trigger added_trigger_${index} ${on} begin select ${body}; end`]
  }
  const body =
    trigger === 'rejects'
      ? `raise exception 'no'`
      : `return ${trigger === 'changes nothing' ? 'new' : 'null'}`
  return [
    `create or replace function added_${index}() returns trigger language plpgsql as $f$ begin ${body}; end $f$`,
    `create trigger added_${index} ${on} for each row execute function added_${index}()`,
  ]
}

/** SQL that creates a role of PostgreSQL which may read most of the tables, and write all. */
export function createRole(
  role: string,
  tables: Tables,
  { hidden, partlyHidden }: Additions,
): string {
  const [none, part] = [tables[hidden], tables[partlyHidden]]
  const columns = (part?.columns ?? []).slice(0, -1).map(({ name }) => id(name))
  return [
    `create role ${role} login password 'x'`,
    `grant usage on schema public to ${role}`,
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
    `grant usage on all sequences in schema public to ${role}`,
    ...(none ? [`revoke select on ${id(none.name)} from ${role}`] : []),
    ...(part ? [`revoke select on ${id(part.name)} from ${role}`] : []),
    ...(part && part !== none && columns.length > 0
      ? [`grant select (${columns.join(', ')}) on ${id(part.name)} to ${role}`]
      : []),
  ].join(';\n')
}

function id(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
