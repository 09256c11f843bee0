import type { RawBuilder } from 'kysely'

/** Writes SQL: `` sql`lower(${column('name')})` ``. What stands in `${}` is bound, never text of the statement. */
export { sql } from 'kysely'

/** A text to search for that is prepared once for all rows, where the database has no way of its own. */
export interface TextPattern {
  readonly is: PatternName
  readonly text: string
}

/** The operators that search in texts. */
export type PatternName = 'like' | 'ilike' | 'match'

/** A value as a driver binds it. */
export type BoundValue = null | string | number | bigint | Uint8Array

/** A value of a run: what a driver binds, or a pattern that the connection prepares. */
export type ParameterValue = BoundValue | TextPattern

/** A piece of SQL with its values beside it. */
export type Sql = RawBuilder<unknown>

/** The databases the engine speaks to, by name. */
export type DialectName = 'sqlite' | 'postgres'

/** Where a transaction keeps the id of the row that it made last. */
export interface LastInsertId {
  /** Keeps an id, which is a text, and is that id. */
  retain(id: Sql): Sql
  /** The id that was kept last, as text; null for none. */
  readonly retained: Sql
}

/**
 * What the databases write differently, and nothing else: everything outside a dialect is the same for all.
 * Each function takes and returns SQL expressions; texts and patterns may be columns or placeholders alike.
 */
export interface Dialect {
  readonly name: DialectName
  /** Null-safe equality: true or false, never unknown. */
  nullSafeEquals(left: Sql, right: Sql): Sql
  /** A list of bound values as the one value that `inList` takes. */
  bindList(values: readonly BoundValue[]): BoundValue
  /** Membership in one placeholder that holds a whole list. */
  inList(left: Sql, list: Sql): Sql
  /** Whether a value that is not null is the one that a subquery gives; false or unknown when it gives none. */
  equalsSubquery(left: Sql, subquery: Sql): Sql
  /** The text in the form in which case no longer counts: `upper(lower(x))` by Unicode's full mappings. */
  foldCase(text: Sql): Sql
  /** Whether a text has a part that is another text, letter for letter. */
  contains(text: Sql, part: Sql): Sql
  /** Case-sensitive search: `%` stands for anything, all else for itself; without a `%` anywhere in the text. */
  like(text: Sql, pattern: Sql): Sql
  startsWith(text: Sql, start: Sql): Sql
  endsWith(text: Sql, end: Sql): Sql
  /** How a pattern that is a value is searched for, where that differs from one that stands in another field. */
  readonly patterns?: {
    bind(pattern: TextPattern): ParameterValue
    /** @param pattern - what `bind` returned, in a placeholder; may be repeated */
    write(name: PatternName, text: Sql, pattern: Sql): Sql
  }
  /** Every word of `words` occurs in the text as a word, case folded. */
  match(text: Sql, words: Sql): Sql
  /** The same condition, in which a subquery is not made a join; absent where the database makes none. Unknown becomes false. */
  readonly preventPullUp?: (condition: Sql) => Sql
  /** How a statement finds the row that one before it in the transaction has made, where it need not be told the id. */
  readonly lastInsertId?: LastInsertId
  /** The end of a statement that finds a row and keeps others from writing it until the transaction ends; may be empty. */
  readonly lock: Sql
  /** A subquery's ids gathered into one text: a JSON array of strings, ascending by `order`; `[]` for none. */
  aggregateIds(id: Sql, order: Sql, from: Sql, where: Sql): Sql
  /**
   * The same of the rows whose key is `here`, gathered for all keys by one scan: for a key that no index finds. Absent where
   * the database would scan anew for each row.
   */
  aggregateIdsByScan?(
    ids: Readonly<{ id: Sql; order: Sql; key: Sql; from: Sql; where: Sql }>,
    here: Sql,
  ): Sql
  /** The ids of a group of rows as the same text. Absent where rows are not to be joined to groups. */
  aggregateIdsInGroups?(id: Sql, order: Sql): Sql
}
