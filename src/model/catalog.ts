import type { DialectName } from './database-names.ts'
import { memoizeByIdentity } from './memoize-by-identity.ts'
import type { Table } from './model.ts'

/** A column as the database describes it. */
export interface StoredColumn {
  readonly name: string
  /** The type as the database writes it, e.g. `NUMERIC(10,2)`; empty if there is none. */
  readonly type: string
  /** Whether null can be stored. SQLite accepts it in a primary key, unless the column is `not null`. */
  readonly nullable: boolean
  /** True if an insert may omit the column and it still gets a value. */
  readonly hasDefault: boolean
  /** True if the default is a literal, which is the same for every row. Default false. */
  readonly hasLiteralDefault?: boolean
  /**
   * The default if it is a text, on SQLite, which does not compare it with the type. Of a default that is the current time, a text of its
   * format.
   */
  readonly defaultText?: string
  /** False for generated columns, and for the columns that a view of PostgreSQL computes. */
  readonly writable: boolean
  /** The allowed values, if the database restricts them. */
  readonly values?: readonly string[]
  readonly comment?: string
}

/** A foreign key: columns that reference columns of another table. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly to: Table
  readonly references: readonly string[]
  /** False if rows may have keys that reference nothing: PostgreSQL has not validated the constraint. Default true. */
  readonly isEnforced?: boolean
  /** What the database does with the row when the referenced one is deleted; absent: it rejects the deletion. */
  readonly onDelete?: DeleteAction
}

/** What a foreign key does with rows whose referenced row is deleted. */
export type DeleteAction = 'cascade' | 'set null' | 'set default'

/** A change of the rows of a table. */
export type RowChange = 'insert' | 'update' | 'delete'

/** A column of a table that a view shows. */
export interface ColumnOrigin {
  /** Absent on SQLite. */
  readonly schema?: string
  readonly table: string
  readonly column: string
}

/** Where the columns of a view come from. */
export interface ViewSources {
  /** The columns of tables and views that the view shows unchanged, by the names of its columns; it computes its other columns. */
  readonly origins: ReadonlyMap<string, ColumnOrigin>
  /** The columns that its definition reads, also for other purposes than its columns. */
  readonly reads: readonly ColumnOrigin[]
}

/** What triggers and rules may do with the changes of the rows of a table or a view. */
export interface TableTriggers {
  /** The changes that a trigger or a rule may alter, replace or drop. All changes of a view count. */
  readonly changes: ReadonlySet<RowChange>
  /** The rule of PostgreSQL that replaces inserts and returns no row, by its name. */
  readonly silentRule?: string | undefined
  /**
   * How SQLite finds the id of a new row, which `returning` does not know after a trigger: by the rowid of the last insert, or
   * because the insert itself takes the next integer.
   */
  readonly newId?: 'by rowid' | 'next integer' | undefined
  /** True for a view of SQLite whose rows only triggers change: its updates and deletes take no alias. Default false. */
  readonly makeAllChanges?: boolean
  /** The columns of tables that a view of SQLite shows unchanged, by the names of its columns. */
  readonly origins?: ReadonlyMap<string, ColumnOrigin>
  /** True for a view whose rows PostgreSQL cannot lock, because triggers or rules change them. Default false. */
  readonly cannotLock?: boolean
}

/** A table or view as the database describes it. */
export interface StoredTable {
  readonly is: 'table' | 'view'
  readonly name: string
  readonly schema: string
  /** By name, in the order of the table. */
  readonly columns: ReadonlyMap<string, StoredColumn>
  readonly primaryKey: readonly string[]
  /** The column that SQLite adds to identify the rows; absent if the primary key is that column, and where there is none. */
  readonly rowid?: StoredColumn
  /** True for a table of PostgreSQL from which others inherit: its rows are also theirs, and no constraint makes them unique. */
  readonly hasChildren?: boolean
  /**
   * True for a table of PostgreSQL whose rows are changed exactly as a statement says: no trigger, rule, policy or inheriting table changes
   * that, and no default or check calls a function of the application. Default false.
   */
  readonly isPlain?: boolean
  /** The sets of columns that are unique together, including the primary key. */
  readonly uniques: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /**
   * The columns of every index, including those of keys: a search by its first columns needs no scan. Partial indexes are left out;
   * an expression ends the list. Absent for views, virtual tables and foreign tables, which have no indexes.
   */
  readonly indexes?: readonly (readonly string[])[]
  /** Absent if no trigger and no rule changes what is written. */
  readonly triggers?: TableTriggers
  /** The changes that a view accepts: it is updatable, or has triggers or rules for them. Absent for tables, which accept all. */
  readonly accepts?: ReadonlySet<RowChange>
  readonly comment?: string
  /** Where the columns of a view come from; absent for tables, and where it was not read. */
  readonly sources?: ViewSources
  /** The parameters of a function whose rows these are; absent for tables and views. */
  readonly parameters?: readonly StoredParameter[]
  /**
   * Why the database cannot read a view, e.g. because its table was removed; such a view has no columns. Also why SQLite cannot read a
   * table. Otherwise absent.
   */
  readonly error?: string
  /** Why SQLite cannot compile changes of the rows; absent if it can, and where that was not checked. */
  readonly rejects?: ReadonlyMap<RowChange, string>
}

/** A parameter of a function. `hasDefault`: a call may omit it. */
export interface StoredParameter extends StoredColumn {
  /** The SQL of the default. */
  readonly default?: string
  /** The type to which an argument is cast, so that the call finds the function. */
  readonly castTo: string
}

/** A function or procedure as the database describes it. */
export interface StoredFunction {
  readonly is: 'function' | 'procedure'
  readonly schema: string
  readonly name: string
  /** What its result depends on; a `volatile` one may write. */
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  /** Whether it runs with the rights of its owner (`security definer`). */
  readonly runsAsOwner: boolean
  readonly language: string
  readonly returnsSet: boolean
  /** The table or view whose rows it returns; absent for other results. */
  readonly rowsOf?: Readonly<{ schema: string; name: string }>
  /** The declared columns of its result; empty without any. */
  readonly columns: readonly StoredColumn[]
  readonly parameters: readonly StoredParameter[]
  /** Whether it takes any number of arguments. */
  readonly isVariadic: boolean
  readonly comment?: string
}

/** The tables and views of a database. */
export interface Catalog {
  readonly dialect: DialectName
  /** The schema of tables that are named without one. */
  readonly schema: string
  readonly tables: readonly StoredTable[]
  /** The functions and procedures that the role may execute; absent where they were not read, and on SQLite, which stores none. */
  readonly functions?: readonly StoredFunction[]
}

/** The tables of a catalog by schema and name: each type and relationship of a model looks for some. */
const indexTables = memoizeByIdentity((tables: readonly StoredTable[]) => {
  const schemas = Map.groupBy(tables, ({ schema }) => schema)
  return new Map(
    [...schemas].map(([schema, group]) => [
      schema,
      new Map(group.map((table) => [table.name, table])),
    ]),
  )
})

/** Returns a table by its name, or `undefined`. */
export function findTable(catalog: Catalog, { schema, name }: Table): StoredTable | undefined {
  return indexTables(catalog.tables)
    .get(schema ?? catalog.schema)
    ?.get(name)
}

/** Returns a column by its name, also the one that SQLite adds; `undefined` without one. */
export function findStoredColumn(
  { columns, rowid }: StoredTable,
  name: string,
): StoredColumn | undefined {
  return columns.get(name) ?? (rowid?.name === name ? rowid : undefined)
}

/** True if at most one row has the same values in these columns: some of them are unique together. */
export function isUnique({ uniques, rowid }: StoredTable, columns: readonly string[]): boolean {
  if (rowid && columns.includes(rowid.name)) return true
  return uniques.some((unique) => unique.every((column) => columns.includes(column)))
}

/** True if an index begins with these columns, in any order, so that it finds rows by them. */
export function isIndexed(
  { indexes = [] }: Pick<StoredTable, 'indexes'>,
  columns: readonly string[],
): boolean {
  return indexes.some((index) => {
    const first = index.slice(0, columns.length)
    return columns.every((column) => first.includes(column))
  })
}
