import type { DialectName } from './dialect.ts'
import type { Table } from './model.ts'

/** A column as the database has it. */
export interface StoredColumn {
  readonly name: string
  /** Its type as the database writes it, e.g. `NUMERIC(10,2)`; empty for none. */
  readonly type: string
  readonly nullable: boolean
  /** Whether a new row may leave it out and still have a value. */
  readonly hasDefault: boolean
  /** False for what the database generates. */
  readonly writable: boolean
  /** The only values that it takes, where the database says so. */
  readonly values?: readonly string[]
  readonly comment?: string
}

/** Columns that hold the key of another table. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly to: Table
  readonly references: readonly string[]
}

/** A table or view as the database has it. */
export interface StoredTable {
  readonly is: 'table' | 'view'
  readonly name: string
  /** Where it is; the catalog's own `schema` is where the database looks first. */
  readonly schema: string
  /** By name, in the order of the table. */
  readonly columns: ReadonlyMap<string, StoredColumn>
  readonly primaryKey: readonly string[]
  /** Sets of columns of which no two rows hold the same, the primary key among them. */
  readonly uniques: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /**
   * The columns that an index begins with, that of a key among them, so that rows are found by them without a scan; not those
   * of partial indexes and of indexes over expressions. Absent for what has no indexes: views, virtual and foreign tables.
   */
  readonly indexed?: ReadonlySet<string>
  readonly comment?: string
}

/** What a database holds. */
export interface Catalog {
  readonly dialect: DialectName
  /** The schema that is meant where none is named. */
  readonly schema: string
  readonly tables: readonly StoredTable[]
}

/** The table of that name, or `undefined`. */
export function findTable(catalog: Catalog, { schema, name }: Table): StoredTable | undefined {
  const where = schema ?? catalog.schema
  return catalog.tables.find((table) => table.name === name && table.schema === where)
}

/** Whether no two rows of the table hold the same in the column. */
export function isUnique({ uniques }: StoredTable, column: string): boolean {
  return uniques.some((columns) => columns.length === 1 && columns[0] === column)
}
