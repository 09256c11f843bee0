import type { SqliteConnection } from '../connection/connection.ts'

/**
 * Creates a function that returns what a query about all tables has found. It queries again when the schema has changed: with hundreds of
 * tables a query takes 100 ms, in which nobody is served.
 */
export function queryOncePerSchema<Result>(
  connection: SqliteConnection,
  query: (connection: SqliteConnection) => Result,
): () => Result {
  let known: Readonly<{ version: unknown; result: Result }> | undefined
  return () => {
    const [[version] = []] = connection.introspectCached(
      'select schema_version from pragma_schema_version',
    )
    if (known === undefined || known.version !== version)
      known = { version, result: query(connection) }
    return known.result
  }
}

/** Converts A to Z to lower case, as SQLite compares names. */
export function lowerAscii(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
