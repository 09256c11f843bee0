/** A fresh, empty database. */
export interface OpenDatabase {
  readonly url: string
  /** A second connection, next to those of the server under test; absent where only the server can connect. */
  readonly second?: SecondConnection
  /** Deletes the database. */
  remove(): Promise<void>
}

/** Changes a database that a server has open. */
export interface SecondConnection {
  /** Runs SQL statements; generated ids continue after the greatest one that is stored. */
  execute(sql: string): Promise<void>
  /** Drops every table, view and type. */
  dropAll(): Promise<void>
  /** Deletes the rows of every table; generated ids start at 1 again. The record of migrations stays. */
  deleteRows(): Promise<void>
  /**
   * Saves the rows of every table for `restoreRows`.
   * @returns false if the database has something whose rows cannot be restored, e.g. a trigger
   */
  saveRows(): Promise<boolean>
  /** Makes the rows of every table, and the next generated ids, those that were saved. The tables must be the same. */
  restoreRows(): Promise<void>
}
