import { sql } from 'kysely'
import { quote, quoteNames } from '../../errors/quote.ts'
import { type Catalog, findTable, type StoredTable } from '../../model/catalog.ts'
import { getCodec } from '../../model/codecs.ts'
import type { Sql } from '../../model/dialect.ts'
import type { Field, IdPart, Model, ResourceType } from '../../model/model.ts'
import { narrowScope } from '../narrow-scope.ts'
import { compileStatement } from '../statement.ts'
import { and, asIdText, columnsAt, tableAt, tableName } from '../tables.ts'
import { excludeNullIds } from '../view-ids.ts'
import { mentionsForeignCollation, type SqliteCollationLookup } from './collations.ts'
import type { SqliteConnection } from './connection.ts'
import { sqlite } from './database.ts'
import { sqliteDialect } from './dialect.ts'
import { isIdPart } from './id-parts.ts'
import { collateLinks, replaceCollations } from './key-collations.ts'
import type { SchemaFacts } from './schema-facts.ts'
import { estimateRowCount } from './table-size.ts'

/** The rows of a table whose ids are checked, and the rows of all tables. */
const [maxRows, maxTotalRows] = [100_000, 1_000_000]

/** What the checks of all types share. */
interface CheckContext {
  readonly catalog: Catalog
  readonly collationOf: SqliteCollationLookup
  readonly hasForeignCollation: boolean
  /** Counts the rows of a table that are read. @returns false when too many were */
  readonly takeRows: (table: StoredTable) => boolean
}

/**
 * The model that SQL is compiled for: the declared one, with what the tables show once they exist. The scopes of types exclude rows
 * without an id (docs/decisions/0027): SQLite stores nulls in most primary keys, and any value in most columns. The first rows of each
 * table are checked. Links and ids are compared by the collations of their columns, and booleans by the numbers that the rows have.
 */
export class ServedModel {
  readonly #model: Model
  readonly #connection: SqliteConnection
  readonly #readCatalog: () => Catalog
  readonly #collationOf: SqliteCollationLookup
  #served: Model | undefined
  /** The model with what is known while a table is missing. */
  #known: Model
  #warnings: readonly string[] = []
  /** The types of tables, which have unique ids. */
  #ofTables: ReadonlySet<string> = new Set()

  constructor(model: Model, { connection, readCatalog, collationOf }: SchemaFacts) {
    this.#model = model
    this.#known = model
    this.#connection = connection
    this.#readCatalog = readCatalog
    this.#collationOf = collationOf
  }

  /** The model whose scopes exclude the rows without an id, and whose links have their collations. */
  get model(): Model {
    this.load()
    return this.#served ?? this.#known
  }

  /** Whether all tables exist, so that the model is final. */
  get areKnown(): boolean {
    this.load()
    return this.#served !== undefined
  }

  /** A line for each type with rows that have no id. */
  get warnings(): readonly string[] {
    this.load()
    return this.#warnings
  }

  /** Whether the ids of a type are those of a table; what is no table has no unique index. */
  hasUniqueIds(type: string): boolean {
    return this.#ofTables.has(type)
  }

  /** Checks the rows, once. It is repeated while a table is missing: a migration may create it. */
  load(): void {
    if (this.#served === undefined) this.#check(this.#readCatalog())
  }

  #check(catalog: Catalog): void {
    const types = new Map<string, ResourceType>()
    const ofTables = new Set<string>()
    const warnings: string[] = []
    let remaining = maxTotalRows
    const context: CheckContext = {
      catalog,
      collationOf: (table, column) =>
        findTable(catalog, table)?.columns.has(column)
          ? this.#collationOf(table, column)
          : 'binary',
      hasForeignCollation: mentionsForeignCollation(this.#connection),
      takeRows: ({ name }) => {
        remaining -= Math.min(estimateRowCount(this.#connection, name), maxRows)
        return remaining >= 0
      },
    }
    for (const [type, resource] of this.#model.types) {
      const { served, warning } = this.#checkType(resource, context)
      types.set(type, served)
      if (findTable(catalog, resource.table)?.is === 'table') ofTables.add(type)
      if (warning !== undefined) warnings.push(warning)
    }
    this.#warnings = warnings
    this.#ofTables = ofTables
    this.#known = collateLinks({ ...this.#model, types }, context.collationOf)
    const isMissing = ({ table }: ResourceType) =>
      findTable(catalog, table) === undefined && table.call === undefined
    if (![...types.values()].some(isMissing)) this.#served = this.#known
  }

  #checkType(
    resource: ResourceType,
    { catalog, collationOf, hasForeignCollation, takeRows }: CheckContext,
  ): Readonly<{ served: ResourceType; warning?: string }> {
    const stored = findTable(catalog, resource.table)
    const table = stored?.is === 'table' && stored.error === undefined ? stored : undefined
    const found =
      table && canCheck(resource, table) && takeRows(table) ? this.#findRow(resource) : undefined
    const narrowed =
      found && narrowScope(resource, (column) => hasId(resource, resource.id.columns.map(column)))
    const scoped = narrowed ?? excludeNullIds(resource, catalog)
    const collated = hasForeignCollation ? replaceCollations(scoped, collationOf) : scoped
    const columns = listBooleans(resource, table)
    const isCompared = table !== undefined && columns.length > 0 && takeRows(table)
    return {
      served: isCompared
        ? compareBooleanNumbers(collated, columns, this.#connection, maxRows)
        : collated,
      ...(found && { warning: describe(resource, found.id) }),
    }
  }

  /** Finds a row without an id. */
  #findRow(resource: ResourceType): Readonly<{ id: unknown }> | undefined {
    const target = { model: this.#model, dialect: sqliteDialect }
    const id = asIdText(columnsAt(0, resource.id.columns), resource.id, target)
    const first = sql`select * from ${tableAt(0, resource.table)} limit ${sql.lit(maxRows)}`
    const statement = compileStatement(
      sql`select ${id} from (${first}) as t0 where not (${hasId(resource, columnsAt(0, resource.id.columns))}) limit 1`,
      sqliteDialect,
    )
    const [row] = this.#connection.all(statement, { planValues: [] })
    return row && { id: row[0] }
  }
}

/** Whether the ids of a table have to be checked, and can be: the startup check rejects declarations that do not fit the table. */
function canCheck(resource: ResourceType, table: StoredTable): boolean {
  const { columns, parts } = resource.id
  return (
    columns.every((name) => table.columns.has(name)) &&
    parts.every(({ kind }) => getCodec(kind.codec, sqlite).idText) &&
    !isRowid(resource, table)
  )
}

/** Whether the id is the rowid, which is never null and always an integer. */
function isRowid({ id }: ResourceType, { primaryKey, columns }: StoredTable): boolean {
  const [name = ''] = primaryKey
  const isKey = primaryKey.length === 1 && id.columns.length === 1 && id.columns[0] === name
  const column = columns.get(name)
  // Only a rowid is an integer that is never null and has a default, which is the next number.
  return (
    isKey &&
    /^integer$/i.test(column?.type ?? '') &&
    column?.nullable === false &&
    column.hasDefault
  )
}

/** Compiles whether each column has a value that is a part of an id. */
function hasId({ id }: ResourceType, columns: readonly Sql[]): Sql {
  return and(
    id.parts.map(({ kind: { codec } }: IdPart, index) =>
      isIdPart(codec, columns[index] ?? sql`null`),
    ),
  )
}

function describe({ type, id, table }: ResourceType, value: unknown): string {
  const names = quoteNames(id.columns)
  const isSingle = id.columns.length === 1
  const verb = isSingle ? 'contains' : 'contain'
  const found = value === null ? 'null' : `${quote(value)}, which is not an id of ${type}`
  const key = `${isSingle ? 'the column' : 'the columns'} ${names} of "${table.name}"`
  return `${type}.id: ${key} ${verb} ${found}; such rows are left out of every response; correct or delete them`
}

/** A boolean: 1 for each number but 0. A value of another type is left as it is, because it is not a boolean. */
const toBoolean = (column: Sql): Sql =>
  sql`iif(typeof(${column}) in ('integer', 'real'), ${column} <> 0, ${column})`

/**
 * Compares the booleans of a type as they are read: another program may have stored -1 for true. The SQL, which no
 * index serves, is only that of columns with such a number in their first rows.
 * @param columns - those of the booleans
 */
function compareBooleanNumbers(
  resource: ResourceType,
  columns: readonly string[],
  connection: SqliteConnection,
  maxRows: number,
): ResourceType {
  const found = findOtherNumbers(columns, resource, connection, maxRows)
  if (found.size === 0) return resource
  const fields = [...resource.fields].map(([name, field]): [string, Field] => {
    const column = findColumn(field)
    if (field.is !== 'attribute' || column === undefined || !found.has(column)) return [name, field]
    return [name, { ...field, expression: (columnOf) => toBoolean(columnOf(column)) }]
  })
  return { ...resource, fields: new Map(fields) }
}

/** Lists the columns of a table that store booleans of a type. */
function listBooleans(
  { fields }: ResourceType,
  table: Pick<StoredTable, 'columns'> | undefined,
): string[] {
  const columns = [...fields.values()].flatMap((field) => findColumn(field) ?? [])
  return [...new Set(columns)].filter((name) => table?.columns.has(name))
}

/** The column of a boolean; `undefined` for any other field. */
function findColumn(field: Field): string | undefined {
  return field.is === 'attribute' && field.kind.codec === 'boolean' ? field.column : undefined
}

/** Finds the columns with a number other than 0 and 1. */
function findOtherNumbers(
  columns: readonly string[],
  { table }: ResourceType,
  connection: SqliteConnection,
  maxRows: number,
): ReadonlySet<string> {
  const tests = columns.map(
    (name) =>
      sql`max(typeof(${sql.id(name)}) in ('integer', 'real') and ${sql.id(name)} not in (0, 1))`,
  )
  const first = sql`select ${sql.join(columns.map((name) => sql.id(name)))} from ${tableName(table)} limit ${sql.lit(maxRows)}`
  const statement = compileStatement(sql`select ${sql.join(tests)} from (${first})`, sqliteDialect)
  const [row = []] = connection.all(statement, { planValues: [] })
  return new Set(columns.filter((_, index) => row[index] === 1))
}
