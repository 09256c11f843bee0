import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Kind } from '../../model/kinds/kinds.ts'
import type { Model, Table } from '../../model/model.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileStatement } from '../../sql/statement.ts'
import { listCascadeWarnings } from '../../sql/verify/cascade-warnings.ts'
import {
  type ColumnWarning,
  formatColumnWarnings,
  listServedColumns,
  type ServedColumn,
} from '../../sql/verify/column-warnings.ts'
import { formatScannedTexts, listScannedTexts, minRows } from '../../sql/verify/match-warnings.ts'
import { listNullWarnings } from '../../sql/verify/null-warnings.ts'
import type { Collation, CollationLookup } from '../catalog/collations.ts'
import type { PostgresFacts } from '../catalog/facts.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgres } from '../database.ts'
import { postgresDialect } from '../dialect.ts'

/** A column that the model uses, as it is in the database. */
interface TypedColumn {
  readonly served: ServedColumn
  /** The type as PostgreSQL formats it, e.g. `character varying(20)`. */
  readonly type: string
  readonly collation: Collation | undefined
}

/** A rule for a warning. */
interface Rule {
  /** Returns the message of the warning; `undefined` for a column without the problem. */
  readonly check: (column: TypedColumn) => string | undefined
  /** Returns the fix as a part of `alter table` or `create index`. */
  readonly fix: (name: string, column: TypedColumn) => string
}

/** The most digits of a second in a datetime or a time. */
const maxSecondDigits = 6

const rules: readonly Rule[] = [
  {
    check: ({ type }) =>
      type === 'citext'
        ? 'citext ignores case in unique constraints and keys; filters and sorting do not'
        : undefined,
    fix: (column) => `alter column ${column} type text collate "C"`,
  },
  {
    check: ({ collation }) =>
      collation?.isDeterministic === false
        ? `the collation "${collation.name}" treats different texts as equal in keys, unique constraints and filters by eq and in_`
        : undefined,
    fix: (column, { type }) => `alter column ${column} type ${type} collate "C"`,
  },
  {
    check: ({ type }) =>
      /^(?:character\(|bpchar)/.test(type)
        ? `${type} does not keep spaces at the end of a text, and no index of it serves filters`
        : undefined,
    fix: (column) => `alter column ${column} type text collate "C"`,
  },
  {
    check: ({ type }) => {
      if (!/^timestamp.* without time zone$/.test(type)) return undefined
      const digits = secondDigits(type)
      const rounds = digits < maxSecondDigits ? `, and keeps ${digits} digits of a second` : ''
      return `${type} is read as UTC${rounds}`
    },
    fix: (column) => `alter column ${column} type timestamptz using ${column} at time zone 'UTC'`,
  },
  {
    check: ({ type, served }) =>
      /^time(?:\(|stamp.* with time zone)/.test(type) &&
      served.isWritten &&
      secondDigits(type) < maxSecondDigits
        ? `${type} keeps ${secondDigits(type)} digits of a second`
        : undefined,
    fix: (column, { type }) => `alter column ${column} type ${type.replace(/\(\d\)/, '')}`,
  },
  {
    check: ({ type, served }) => {
      const [, precision, scale = ''] = /^numeric\((\d+),(-?\d+)\)$/.exec(type) ?? []
      if (precision === undefined || !served.isWritten || !acceptsFiner(served.kind, Number(scale)))
        return undefined
      return `${type} rounds what has more digits after the point`
    },
    fix: (column) => `alter column ${column} type numeric`,
  },
  {
    check: ({ type }) =>
      type === 'real' ? 'real stores 6 digits, and no index of it serves filters' : undefined,
    fix: (column) =>
      `alter column ${column} type double precision using ${column}::text::double precision`,
  },
]

/** Warns of a text column whose index cannot be used for sorting. */
const indexRule: Rule = {
  check: ({ type, served, collation }) => {
    const isPlainText = /^(?:text|character varying)/.test(type) && served.kind.codec === 'text'
    const isSortIndexed = !collation?.isIndexed || collation.isIndexedByCodePoint
    return isPlainText && served.isSorted && !isSortIndexed
      ? 'no index is in the order of code points, in which texts are sorted and compared by gt, lt and between'
      : undefined
  },
  fix: (column) => `${column} collate "C"`,
}

const encodingQuery = compileStatement(
  sql`select current_setting('server_encoding'), current_database()`,
  postgresDialect('und-x-icu'),
)

/**
 * Lists the warnings about a PostgreSQL database: a line for each column whose type changes responses, with the declaration, the
 * difference and the SQL that fixes it.
 */
export async function listPostgresWarnings(
  model: Model,
  { catalog, findCollation }: PostgresFacts,
  connection: PostgresConnection,
): Promise<string[]> {
  const columns = listTypedColumns(model, catalog, findCollation)
  const nameOf = (table: Table) => qualifiedName(table, catalog)
  const [[encoding, database] = []] = await connection.all(encodingQuery, { planValues: [] })
  return [
    ...(encoding === 'UTF8' ? [] : [encodingWarning(String(encoding), String(database))]),
    ...formatColumnWarnings(
      rules.flatMap((rule) => applyRule(rule, columns)),
      (table, parts) =>
        findTable(catalog, table)?.is === 'view'
          ? 'change the table that the view reads'
          : `alter table ${nameOf(table)} ${parts.join(', ')}`,
    ),
    ...formatColumnWarnings(applyRule(indexRule, columns), (table, parts) =>
      parts.map((part) => `create index on ${nameOf(table)} (${part})`).join('; '),
    ),
    ...listNullWarnings(model, catalog),
    ...listCascadeWarnings(model, catalog),
    ...listRuleWarnings(model, catalog),
    ...(await listMatchWarnings(model, catalog, connection)),
  ]
}

/** Lists the columns that the model serves, with the types and collations that they have in the database. */
function listTypedColumns(
  model: Model,
  catalog: Catalog,
  findCollation: CollationLookup,
): TypedColumn[] {
  return listServedColumns(model).flatMap((served) => {
    const { table, column } = served
    const type = findTable(catalog, table)?.columns.get(column)?.type
    return type === undefined ? [] : [{ served, type, collation: findCollation(table, column) }]
  })
}

const largeTablesQuery = compileStatement(
  sql`select n.nspname, t.relname, t.reltuples::text from pg_class as t join pg_namespace as n on n.oid = t.relnamespace
    where t.relkind in ('r', 'p', 'm') and t.reltuples >= ${sql.lit(minRows)}`,
  postgresDialect('und-x-icu'),
)

/** Warns of text attributes of large tables without a text index. */
async function listMatchWarnings(
  model: Model,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<string[]> {
  const texts = listScannedTexts(model, postgres)
  if (texts.length === 0) return []
  const large = await connection.all(largeTablesQuery, { planValues: [] })
  return texts.flatMap((each) => {
    const { schema = catalog.schema, name } = each.table
    const found = large.find((row) => row[0] === schema && row[1] === name)
    return formatScannedTexts(each, Number(found?.[2] ?? 0), postgres)
  })
}

/** Warns of rules on inserts that return no row, so that PostgreSQL does not report the id that it generated. */
function listRuleWarnings({ types }: Model, catalog: Catalog): string[] {
  return [...types.values()].flatMap(({ type, table, ids, isWritable }) => {
    const rule = findTable(catalog, table)?.triggers?.silentRule
    const isGenerated = ids.generatedBy === 'database' && ids.fromClient !== 'required'
    if (rule === undefined || !isWritable || !isGenerated) return []
    const message = `the rule ${quoteIdentifier(rule)} on ${quoteIdentifier(table.name)} replaces inserts and does not return the new row, so creates without a client's id are 409`
    return `${type}: ${message}; to fix it: add "returning" to the rule, use a trigger, or set client: "required"`
  })
}

function applyRule({ check, fix }: Rule, columns: readonly TypedColumn[]): ColumnWarning[] {
  return columns.flatMap((column) => {
    const message = check(column)
    const { served } = column
    return message === undefined
      ? []
      : [{ column: served, message, fix: fix(quoteIdentifier(served.column), column) }]
  })
}

function encodingWarning(encoding: string, database: string): string {
  const other = quoteIdentifier(`${database}_utf8`)
  return `the database: ${encoding} cannot encode most characters, and a text with one of those is an error; to fix it: create database ${other} encoding 'UTF8' template template0, and copy everything there by pg_dump and pg_restore`
}

function qualifiedName({ schema, name }: Table, catalog: Catalog): string {
  return schema === undefined || schema === catalog.schema
    ? quoteIdentifier(name)
    : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`
}

function secondDigits(type: string): number {
  return Number(/\((\d)\)/.exec(type)?.[1] ?? maxSecondDigits)
}

/** Whether an attribute kind accepts numbers with more digits after the point. */
function acceptsFiner({ codec, readBody }: Kind<unknown>, scale: number): boolean {
  const finer = `0.${'0'.repeat(Math.max(scale, 0))}1`
  return 'value' in readBody(codec === 'number' ? Number(finer) : finer)
}
