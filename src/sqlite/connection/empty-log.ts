import type { SqliteConnection } from './connection.ts'

// A database file that was deleted or replaced while it was open. Its log has the name that the log of the successor would have, and
// SQLite cannot tell whose it is: the next program that opens the successor would write pages of the old file into it
// (sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use"). So nothing is committed from then on, and the log
// is emptied into the old file, under whatever name it has now. SQLite itself leaves the log as it is.

/** How long the reader processes may take to end after they were killed, in milliseconds. */
const readerEnd = 1000

/**
 * Writes the log back into the file that it was written for, and empties it. A transaction that is open is rolled back.
 * @param isLast - whether it waits for reader processes that were killed, in which time nothing else runs
 * @returns whether the log is empty: a transaction that reads may need it
 */
export function emptyLog(writer: SqliteConnection, isLast: boolean): boolean {
  try {
    writer.rollback()
    if (isLast) writer.execute(`pragma busy_timeout = ${readerEnd}`)
    const [[isBusy] = []] = writer.introspect('pragma wal_checkpoint(truncate)')
    return isBusy === 0
  } catch {
    return false
  }
}

/** Describes a log that could not be emptied. @param path - that of the database */
export function describeLog(path: string): string {
  return `the log ${path}-wal belongs to the file that was replaced; delete it before another program opens ${path}`
}
