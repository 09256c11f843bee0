import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Kind } from '../../model/kinds.ts'
import type { Model, Table } from '../../model/model.ts'
import {
  type ColumnWarning,
  formatColumnWarnings,
  listServedColumns,
  type ServedColumn,
} from '../column-warnings.ts'
import { listIndexWarnings } from '../index-warnings.ts'
import { compileStatement } from '../statement.ts'
import type { Collation, CollationLookup } from './collations.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

/** A column that is served, as the database has it. */
interface Known {
  readonly use: ServedColumn
  /** As PostgreSQL writes it, e.g. `character varying(20)`. */
  readonly type: string
  readonly collation: Collation | undefined
}

/** What may differ about a column: how it is told of, what is said, and what mends it. */
interface Rule {
  /** What is said, or `undefined` where nothing differs. */
  readonly says: (known: Known) => string | undefined
  /** A part of `alter table`, or of `create index`. */
  readonly mends: (column: string, known: Known) => string
}

/** How many digits of a second a datetime and a time of ours have. */
const finest = 6

const rules: readonly Rule[] = [
  {
    says: ({ type }) =>
      type === 'citext'
        ? 'citext does not tell upper from lower case in unique constraints and keys, as filters and sorting do here'
        : undefined,
    mends: (column) => `alter column ${column} type text collate "C"`,
  },
  {
    says: ({ collation }) =>
      collation?.isDeterministic === false
        ? `the collation "${collation.name}" takes different texts for equal in keys, unique constraints and filters by eq and in_`
        : undefined,
    mends: (column, { type }) => `alter column ${column} type ${type} collate "C"`,
  },
  {
    says: ({ type }) =>
      /^(?:character\(|bpchar)/.test(type)
        ? `${type} does not keep spaces at the end of a text, and no index of it serves filters`
        : undefined,
    mends: (column) => `alter column ${column} type text collate "C"`,
  },
  {
    says: ({ type }) => {
      if (!/^timestamp.* without time zone$/.test(type)) return undefined
      const digits = digitsOf(type)
      const rounds = digits < finest ? `, and keeps ${digits} digits of a second` : ''
      return `${type} is taken for UTC${rounds}`
    },
    mends: (column) => `alter column ${column} type timestamptz using ${column} at time zone 'UTC'`,
  },
  {
    says: ({ type, use }) =>
      /^time(?:\(|stamp.* with time zone)/.test(type) && use.isWritten && digitsOf(type) < finest
        ? `${type} keeps ${digitsOf(type)} digits of a second`
        : undefined,
    mends: (column, { type }) => `alter column ${column} type ${type.replace(/\(\d\)/, '')}`,
  },
  {
    says: ({ type, use }) => {
      const [, precision, scale = ''] = /^numeric\((\d+),(-?\d+)\)$/.exec(type) ?? []
      if (precision === undefined || !use.isWritten || !takesMore(use.kind, Number(scale)))
        return undefined
      return `${type} rounds what has more digits after the point`
    },
    mends: (column) => `alter column ${column} type numeric`,
  },
  {
    says: ({ type }) =>
      type === 'real' ? 'real keeps 6 digits: 0.1 is told as 0.10000000149011612' : undefined,
    mends: (column) =>
      `alter column ${column} type double precision using ${column}::text::double precision`,
  },
]

/** How a column of texts is to be indexed so that sorting by it need not look at every row. */
const indexRule: Rule = {
  says: ({ type, use, collation }) => {
    const isPlainText = /^(?:text|character varying)/.test(type) && use.kind.codec === 'text'
    const isServed = !collation?.isIndexed || collation.isIndexedByCodePoint
    return isPlainText && use.isSorted && !isServed
      ? 'no index is in the order of code points, in which texts are sorted and compared by gt, lt and between'
      : undefined
  },
  mends: (column) => `${column} collate "C"`,
}

const encoding = compileStatement(
  sql`select current_setting('server_encoding'), current_database()`,
  postgresDialect('und-x-icu'),
)

/**
 * What differs about the tables of a PostgreSQL database from those that would be made for the model: a line each, with
 * the place, what differs, and the SQL that mends it.
 */
export async function listPostgresWarnings(
  model: Model,
  catalog: Catalog,
  {
    connection,
    collationOf,
  }: Readonly<{ connection: PostgresConnection; collationOf: CollationLookup }>,
): Promise<string[]> {
  const known = listServedColumns(model).flatMap((use): Known[] => {
    const type = findTable(catalog, use.table)?.columns.get(use.column)?.type
    return type === undefined ? [] : [{ use, type, collation: collationOf(use.table, use.column) }]
  })
  const nameIn = (table: Table) => sqlName(table, catalog)
  const [[name, database] = []] = await connection.all(encoding, { parameters: [] })
  return [
    ...(name === 'UTF8' ? [] : [encodingRemark(String(name), String(database))]),
    ...formatColumnWarnings(
      rules.flatMap((rule) => differences(rule, known)),
      (table, parts) =>
        findTable(catalog, table)?.is === 'view'
          ? 'change the table that the view reads'
          : `alter table ${nameIn(table)} ${parts.join(', ')}`,
    ),
    ...formatColumnWarnings(differences(indexRule, known), (table, parts) =>
      parts.map((part) => `create index on ${nameIn(table)} (${part})`).join('; '),
    ),
    ...listIndexWarnings(model, catalog),
  ]
}

function differences({ says, mends }: Rule, all: readonly Known[]): ColumnWarning[] {
  return all.flatMap((known) => {
    const said = says(known)
    return said === undefined
      ? []
      : [{ column: known.use, message: said, fix: mends(quoted(known.use.column), known) }]
  })
}

function encodingRemark(name: string, database: string): string {
  const other = quoted(`${database}_utf8`)
  return `the database: ${name} has no place for most letters, and a text with one of those is an error; to fix it: create database ${other} encoding 'UTF8' template template0, and copy everything there by pg_dump and pg_restore`
}

function sqlName({ schema, name }: Table, catalog: Catalog): string {
  return schema === undefined || schema === catalog.schema
    ? quoted(name)
    : `${quoted(schema)}.${quoted(name)}`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function digitsOf(type: string): number {
  return Number(/\((\d)\)/.exec(type)?.[1] ?? finest)
}

/** Whether a kind takes numbers with more digits after the point. */
function takesMore({ codec, readBody }: Kind<unknown>, scale: number): boolean {
  const finer = `0.${'0'.repeat(Math.max(scale, 0))}1`
  return 'value' in readBody(codec === 'number' ? Number(finer) : finer)
}
