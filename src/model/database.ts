import type { Kysely } from 'kysely'
import type { Catalog, StoredTable } from './catalog.ts'
import type { DialectName } from './database-names.ts'
import type { TextIndex } from './declare/fields.ts'
import type { DatabaseCodecs } from './kinds/column-codec.ts'
import type { PathDatabase } from './kinds/json-paths.ts'
import type { Sql } from './sql.ts'

/** A declared text index, and the column with the text. */
interface DeclaredTextIndex {
  /** The path of its declaration, e.g. `book.fields.title.match`. */
  readonly location: string
  readonly index: TextIndex
  readonly column: string
  readonly table: StoredTable
  readonly catalog: Catalog
}

/** The text indexes of a database, which serve the operator `match`. The index decides what a word is. */
export interface TextIndexes {
  /** Whether a declaration has an index for this database. */
  isDeclared(index: TextIndex): boolean
  /** The option that declares one, for messages. */
  readonly example: string
  /** Compares a declared index with the database. Returns one line per error. */
  findErrors(declared: DeclaredTextIndex): string[]
  /** Converts the words of a client to the query that `match` takes. Absent: it takes the words. @param column - with the text */
  toQuery?(words: string, column: string): string
  /** Compiles whether the text of a row has all words; unknown for null. @param columnOf - compiles a column of the row */
  match(index: TextIndex, columnOf: (name: string) => Sql, query: Sql): Sql
}

/** What the plans of a database say about a read, as its `explain` prints them. */
interface PlanReader {
  /** Whether a statement sorts rows. */
  isSorted(plan: string): boolean
  /** Whether an index returns rows in the order of the sort keys that come first. */
  isPresorted(plan: string): boolean
  /** Whether a statement sorts all rows: no index returns them in the order of the sort keys that come first. */
  sortsAll(plan: string): boolean
  /** Lists the names of the indexes by which a statement reads. */
  listIndexes(plan: string): readonly string[]
  /** Whether the rows of a table are found by an index on an expression, which catalogs do not list. */
  usesExpressionIndex(plan: string, table: string): boolean
  /** Whether a plan shows that it uses an index on an expression. */
  showsExpressionIndex(plan: string): boolean
}

/** What a database states before one is opened: its codecs, and what differs between databases besides the SQL of `Dialect`. */
export interface Database extends PathDatabase {
  readonly name: DialectName
  /** The name in messages, e.g. `SQLite`. */
  readonly title: string
  readonly codecs: DatabaseCodecs
  /** Compiles SQL: quotes names and numbers parameters. It never connects. */
  readonly compiler: Kysely<unknown>
  readonly textIndexes: TextIndexes
  readonly plans: PlanReader
  /** Whether `create index` needs a name, which the schema of the table applies to. */
  readonly namesIndexes: boolean
  /** Whether an index ends with the id of the row, so that its columns need not repeat it. */
  readonly indexesEndWithId: boolean
  /** Whether an index of a column serves the keys by which the column is compared and sorted, such as casts of it. */
  readonly indexesServeKeys: boolean
  /** Whether the planner removes negations before it looks for an index: `not (a or b < 1)` is `not a and b >= 1`. */
  readonly removesNegations: boolean
  /** The system column of tables that every update of a row changes; absent without one. */
  readonly rowVersion?: string
  /** Whether the driver can bind a value of the application. Absent: it converts every value. */
  canBind?(value: unknown): boolean
}
