import type { Database } from './database.ts'
import type { Comparisons } from './kinds/operators.ts'
import type { BoundValue, ParameterValue, PatternName, Sql, TextPattern } from './sql.ts'

/** For the files that write SQL of a dialect. */
export type { DialectName } from './database-names.ts'
/** For the files that write SQL of a dialect. */
export * from './sql.ts'

/** How later statements of a transaction refer to the row that it inserted last. */
export interface LastInsertId {
  /** Retains an id, given as text, for the rest of the transaction. The expression returns the id. */
  retain(id: Sql): Sql
  /** The id that was retained last, as text; null if there is none. */
  readonly retained: Sql
  /** A part of it, as text, if it is a composite id. @param index - counted from 0 */
  retainedPart(index: number): Sql
}

/**
 * How a row is locked: against other writes; against these and new references to the row, as a deletion needs it; against writes
 * while it is only read.
 */
export type RowLock = 'no key update' | 'update' | 'share'

/** Ids that are aggregated to linkage: the id as text and its sort keys, and the rows that have it. */
export interface AggregatedIds {
  readonly id: Sql
  readonly order: readonly Sql[]
  readonly from: Sql
  readonly where: Sql
}

/**
 * The SQL that differs between databases and that filters, sorts, linkage or writes contain. What else differs:
 *
 * - what a database states before one is opened, such as the codecs of columns: `Database`
 * - how the statements of a read are put together: `src/sql/read/read-sequence.ts` reads in several statements,
 *   `src/postgres/read/document-statement.ts` in one
 * - linkage from groups (`array_agg`), which only a dialect with `joinedGroups` uses: `src/sql/read/select.ts`
 * - syntax that another database may not have, such as `returning`: `docs/adding-a-database.md` lists it with its files
 *
 * Each function takes and returns SQL expressions; texts and patterns may be columns or bind parameters.
 */
export interface Dialect extends Database, Comparisons {
  /** Encodes a list as the one value that `inList` takes. */
  bindList(values: readonly BoundValue[]): BoundValue
  /** Encodes rows as the one value that `selectRows` takes. Absent: it takes a list for each column. */
  bindRows?(rows: readonly (readonly BoundValue[])[]): BoundValue
  /** Selects the rows that are bind parameters. @param width - the number of columns */
  selectRows(lists: readonly Sql[], width: number): Sql
  /** Equality of a value that is not null with the result of a subquery; false or unknown if the result is empty. */
  equalsSubquery(left: Sql, subquery: Sql): Sql
  /** Searches for a pattern from the client, where that differs from a pattern in another field. */
  readonly patterns?: {
    bind(pattern: TextPattern): ParameterValue
    /** @param pattern - the bind parameter with the result of `bind`; may be used several times */
    write(name: PatternName, text: Sql, pattern: Sql): Sql
  }
  /**
   * Hides from the planner that an operand is a column, so that it does not infer equal columns; absent where it may know. SQLite 3.53
   * infers from `(t0.a, t0.b) = (t1.a, t1.b) and (t1.a, t1.b) in (select …)` that `t0.a` and `t0.b` are in the list, too, looks them
   * up in the wrong columns of it, and loses rows. The operand has no affinity then; keys need none, because the check at the start accepts
   * only columns that store the same values.
   */
  hideColumn?(column: Sql): Sql
  /**
   * Keeps the planner from turning a subquery in the condition into a join. An unknown condition becomes false.
   * Absent where the planner never does so.
   */
  readonly preventPullUp?: (condition: Sql) => Sql
  /**
   * Selects a sort key as a value from which `bindKeyValue` gets it back exactly: a text behind a letter (`KeyValue`), a double, or null.
   * @param isFull - whether a long text is selected completely; otherwise its beginning, of at least 513 bytes
   */
  selectKeyValue(key: Sql, isFull: boolean): Sql
  /** Converts the value of a sort key to what the driver binds; a parameter has the type of what it is compared with. */
  bindKeyValue(value: string | number): BoundValue
  /** A text that differs whenever the value of one of the columns does; short where it is sent to the server. */
  versionOf(columns: readonly Sql[]): Sql
  /** Absent where a statement needs the id of the inserted row as a parameter. */
  readonly lastInsertId?: LastInsertId
  /** Compiles whether no other table inherits from a table, and no rule or policy changes its statements. Absent where nothing can. */
  isPlainTable?(table: string): Sql
  /** Whether the values of an insert may be no subqueries, so that a query returns the row instead. */
  readonly insertsQueries?: boolean
  /** Compiles a condition on a column that no row meets, where the planner may refuse the constant `false`. */
  matchesNothing?(column: Sql): Sql
  /** Whether the planner executes `not exists` as an anti-join instead of once for each row. */
  readonly hasAntiJoins?: boolean
  /** Whether a subquery in `from` may refer to the rows in front of it, as `cross join lateral`. */
  readonly hasLateralJoins?: boolean
  /** Whether the planner knows how many values of a column are null. */
  readonly knowsNulls?: boolean
  /** Ends a subquery so that the planner does not flatten it into the query around it; absent where it need not be kept from that. */
  readonly subqueryBarrier?: Sql
  /** The clauses that lock selected rows until the transaction ends; absent where one transaction writes at a time. */
  readonly locks?: Readonly<Record<RowLock, Sql>>
  /**
   * A condition that is true if the transaction gets the lock of two texts, until it ends; it does not wait for another one. Absent where
   * one transaction writes at a time.
   */
  readonly tryLock?: (first: Sql, second: Sql) => Sql
  /** The current time, as the codec of `datetime` stores it. */
  readonly now: Sql
  /**
   * The ids of a subquery as a JSON array of strings, ascending by `order`; `[]` if there are none.
   * @param limit - the most ids, whichever they are; only statements with a `LinkageLimit` have one
   */
  aggregateIds(ids: AggregatedIds, limit?: number): Sql
  /**
   * Like `aggregateIds`, for the rows whose `key` equals `ownKey`, column by column; aggregates all keys in one scan. For keys
   * without an index. Absent where the database would scan again for each row.
   */
  aggregateIdsByScan?(
    ids: AggregatedIds & Readonly<{ key: readonly Sql[] }>,
    ownKey: readonly Sql[],
  ): Sql
  /** Absent where the related rows that no index finds are looked up in a subquery, and not joined as groups. */
  readonly joinedGroups?: JoinedGroups
}

/** The SQL of a set with one row for each key, to which rows are joined. */
export interface JoinedGroups {
  /** The aggregate of the ids of a group, as the JSON text of `aggregateIds`. */
  readonly aggregateIds: (id: Sql, order: readonly Sql[]) => Sql
}
