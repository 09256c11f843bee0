import type { DatabaseSync } from 'node:sqlite'
import { searchFunctions } from '../connection/functions.ts'
import { loadSqlite } from '../connection/load-sqlite.ts'

/** What SQLite finds in a statement when it prepares it, also in the views and in the SQL of declarations. */
export interface StatementFacts {
  /** Whether the result may change while the tables do not. */
  readonly isVolatile: boolean
  /** Whether there is a recursion: no size of a table bounds it. */
  readonly isRecursive: boolean
  /** The number of operations whose duration depends on the size of a value. All that parse JSON count as one. */
  readonly searches: number
}

/** SQLite's functions whose result may change while the tables do not. */
// biome-ignore format: a list
const volatileFunctions = new Set<string | null>([
  'current_date', 'current_time', 'current_timestamp', 'date', 'time', 'datetime', 'julianday', 'strftime', 'timediff', 'unixepoch',
  'random', 'randomblob', 'changes', 'total_changes', 'last_insert_rowid',
])
/** The functions that search in a text. `glob` is the operator, too. */
const textFunctions = new Set<string | null>([
  ...['instr', 'substr', 'length', 'glob'],
  ...searchFunctions,
])
/** The functions and operators that parse a JSON document. `json_each` is none: it reads the lists of ids that statements bind. */
// biome-ignore format: a list
const jsonFunctions = new Set<string | null>(['->', '->>', 'json_extract', 'json_type', 'json_valid', 'json_array_length'])

/**
 * Finds the facts of the statements that a connection prepares. SQLite reports every function and every recursion to its authorizer
 * (sqlite.org/c3ref/set_authorizer.html).
 */
export class StatementWatch {
  /** What was reported of the statement that is being prepared; `undefined` otherwise: SQLite also prepares statements by itself. */
  #reported: { functions: (string | null)[]; isRecursive: boolean } | undefined

  /** Watches a connection from now on. */
  start(database: DatabaseSync): void {
    const { SQLITE_FUNCTION, SQLITE_OK, SQLITE_RECURSIVE } = loadSqlite().constants
    database.setAuthorizer((action, _, name) => {
      if (action === SQLITE_FUNCTION) this.#reported?.functions.push(name)
      else if (action === SQLITE_RECURSIVE && this.#reported) this.#reported.isRecursive = true
      return SQLITE_OK
    })
  }

  /** Prepares a statement and returns it with its facts. Of a connection that is not watched there are none. */
  prepare<Handle>(prepare: () => Handle): Readonly<{ handle: Handle; facts: StatementFacts }> {
    const reported = { functions: [], isRecursive: false }
    this.#reported = reported
    try {
      return { handle: prepare(), facts: toFacts(reported) }
    } finally {
      this.#reported = undefined
    }
  }
}

function toFacts({
  functions,
  isRecursive,
}: Readonly<{ functions: readonly (string | null)[]; isRecursive: boolean }>): StatementFacts {
  const parsesJson = functions.some((name) => jsonFunctions.has(name))
  const searches = functions.filter((name) => textFunctions.has(name)).length
  return {
    isVolatile: functions.some((name) => volatileFunctions.has(name)),
    isRecursive,
    searches: searches + (parsesJson ? 1 : 0),
  }
}

/** Closes a database that may be watched, unless it is closed already. */
export function closeWatched(database: DatabaseSync): void {
  if (!database.isOpen) return
  // The authorizer refers to the connection, whose statements refer to the database: Node.js would never free them.
  database.setAuthorizer(null)
  database.close()
}
