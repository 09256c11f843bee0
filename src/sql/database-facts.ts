import { type Catalog, findTable, type TableTriggers } from '../model/catalog.ts'
import type { Expression } from '../model/declare/fields.ts'
import {
  type AttributeField,
  type KeyColumns,
  type LinkCollations,
  listRelationships,
  type Model,
  type RelationshipField,
  type Table,
} from '../model/model.ts'
import type { RelationshipKey } from './keys/relationship-keys.ts'

/**
 * Whether columns are the first of an index.
 * @param collations - by which the columns are compared; `undefined` for their own
 */
export type IndexLookup = (
  table: Table,
  columns: KeyColumns,
  collations?: readonly (string | undefined)[] | undefined,
) => boolean

/** Rows of a type that no response contains. */
export interface RowsWithoutId {
  /** Compiles whether a row has an id. */
  readonly hasId: Expression
  /** What one of the other rows has in its place. */
  readonly found: unknown
}

/** How the rows of a table are distributed over servers. */
interface Sharding {
  /** The column by whose value a row is on a server. */
  readonly column: string
  /** Rows of tables of one group whose columns have the same value are on the same server. */
  readonly group: number
}

/** A key of a relationship that has a foreign key, and a value of it that references no row. */
export interface DanglingKey {
  readonly key: RelationshipKey
  readonly value: string
}

/**
 * Everything that a store learns about its database and that changes SQL. `loadFacts` of each database loads it once all tables exist: a
 * store may be opened before a migration creates them. The facts never change; a migration has the next request load others, and compile
 * its statements for them. The fields, links and tables are those of the declared model.
 */
export interface DatabaseFacts {
  /** The tables as the database describes them. */
  readonly catalog: Catalog
  /** Whether all tables of the model exist. If not, the facts are loaded again for a later request. */
  readonly areComplete: boolean
  /** Whether an index finds rows by these columns, so that a lookup visits few rows. */
  readonly isIndexed: IndexLookup
  /** Whether comparisons of a text column ignore case or trailing spaces. */
  readonly ignoresCase: (table: Table, column: string) => boolean
  /** Whether a column has floating-point numbers of four bytes. */
  readonly isSinglePrecision: (table: Table, column: string) => boolean
  /** What triggers and rules may do with the changes of a table's rows; `undefined`: nothing. */
  readonly triggersOf: (table: Table) => TableTriggers | undefined
  /**
   * Whether a policy of the database may hide rows of a table, so that a key does not tell whether the row that it references exists for
   * the request.
   */
  readonly mayHide: (table: Table) => boolean
  /** Whether every role of a request may lock rows of a table, which needs the privilege to update it. */
  readonly mayLock: (table: Table) => boolean
  /**
   * Whether the database has a foreign key for a relationship, so that every key references a row: an own key one of the other table,
   * any other key one of the own table.
   */
  readonly isEnforced: (field: RelationshipField) => boolean
  /** Whether a constraint of the database makes the ids of a type unique, so that no rows are compared. */
  readonly hasUniqueIds: (type: string) => boolean
  /** Whether the rows of a table stay the same until a transaction is committed: those of a view may depend on the time. */
  readonly isOrdinary: (table: Table) => boolean
  /** How the rows of a table are distributed over several servers; `undefined`: they are not. */
  readonly shardingOf: (table: Table) => Sharding | undefined
  /** The types of tables that have rows without an id (docs/decisions/0027). */
  readonly rowsWithoutId: ReadonlyMap<string, RowsWithoutId>
  /** The attributes whose columns are compared by another expression than the declared one. */
  readonly expressions: ReadonlyMap<AttributeField, AttributeField['expression']>
  /** The relationships whose columns have other collations than those that they reference. */
  readonly collations: ReadonlyMap<RelationshipField, LinkCollations>
  /** The foreign keys that were found to be violated; they are not enforced. */
  readonly danglingKeys: readonly DanglingKey[]
}

/** Lists the tables of a model, including join tables and without table functions; a table may occur more than once. */
export function listTables(model: Model): Table[] {
  return [...model.types.values()].flatMap(({ table, fields }) => [
    ...(table.call === undefined ? [table] : []),
    ...listRelationships({ fields }).flatMap(({ link }) =>
      link.foreignKey === 'join table' ? [link.joinTable] : [],
    ),
  ])
}

/** Returns the facts that the catalog of a database has about the tables of a model. */
export function describeTables(
  model: Model,
  catalog: Catalog,
): Pick<DatabaseFacts, 'catalog' | 'areComplete' | 'triggersOf'> {
  return {
    catalog,
    areComplete: listTables(model).every((table) => findTable(catalog, table) !== undefined),
    triggersOf: (table) => findTable(catalog, table)?.triggers,
  }
}
