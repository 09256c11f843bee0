import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Model } from '../../model/model.ts'
import { type DatabaseFacts, describeTables } from '../../sql/database-facts.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { observeCollations, type SqliteCollationLookup } from './collations.ts'
import { checkKeys } from './dangling-keys.ts'
import { querySqliteIndexes } from './indexes.ts'
import { listForeignCollations, listLinkCollations } from './key-collations.ts'
import { checkRows } from './stored-rows.ts'

/** The facts about a SQLite database. */
export interface SqliteFacts extends DatabaseFacts {
  readonly collationOf: SqliteCollationLookup
}

/** Loads the facts about a SQLite database. @param connection - one that reads the schema */
export function loadSqliteFacts(
  model: Model,
  catalog: Catalog,
  connection: SqliteConnection,
): SqliteFacts {
  const collationOf = observeCollations(model, catalog, connection)
  const collations = listLinkCollations(model, collationOf)
  const { enforced, danglingKeys } = checkKeys(model, catalog, { connection, collationOf })
  const { rowsWithoutId, booleans } = checkRows(model, catalog, connection)
  return {
    ...describeTables(model, catalog),
    collationOf,
    isIndexed: querySqliteIndexes(connection),
    ignoresCase: (table, column) => ['nocase', 'rtrim'].includes(collationOf(table, column)),
    isSinglePrecision: () => false,
    mayHide: () => false,
    mayLock: () => true,
    // A key that is compared by another collation may be spelled differently.
    isEnforced: (field) => enforced.has(field) && !collations.has(field),
    isSharded: () => false,
    hasUniqueIds: createUniqueIdsLookup(model, catalog),
    rowsWithoutId,
    expressions: new Map([...listForeignCollations(model, collationOf), ...booleans]),
    collations,
    danglingKeys,
  }
}

/** The ids of a table have a unique index; those of a view have none. */
function createUniqueIdsLookup(model: Model, catalog: Catalog): DatabaseFacts['hasUniqueIds'] {
  const ofTables = new Set(
    [...model.types.values()].flatMap(({ type, table }) =>
      findTable(catalog, table)?.is === 'table' ? [type] : [],
    ),
  )
  return (type) => ofTables.has(type)
}
