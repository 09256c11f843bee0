import { sql } from 'kysely'
import { type Catalog, findTable, isIndexed } from '../../model/catalog.ts'
import type { Model, RelationshipField } from '../../model/model.ts'
import {
  type DanglingKey,
  type DatabaseFacts,
  describeTables,
  type IndexLookup,
} from '../../sql/database-facts.ts'
import { isKeyPresent, toKey } from '../../sql/keys/keys.ts'
import { collate } from '../../sql/keys/link-keys.ts'
import {
  hasForeignKey,
  listRelationshipKeys,
  type RelationshipKey,
} from '../../sql/keys/relationship-keys.ts'
import { compileStatement, type Statement } from '../../sql/statement.ts'
import { and, tableName } from '../../sql/tables.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../dialect.ts'
import { observeCollations, type SqliteCollationLookup } from './collations.ts'
import {
  compareKeyCollations,
  listForeignCollations,
  listLinkCollations,
} from './key-collations.ts'
import { lowerAscii } from './schema-facts.ts'
import { checkRows } from './stored-rows.ts'
import { estimateRowCount } from './table-size.ts'

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
    // A virtual table has no indexes.
    isOrdinary: (table) => findTable(catalog, table)?.indexes !== undefined,
    shardingOf: () => undefined,
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

/** A column of an index. The collation is null for the columns of a primary key, which are compared by their own. */
type IndexColumn = readonly [name: string, collation: string | null]

const query = `
  with tables as (select name from sqlite_schema where type = 'table' and rootpage <> 0)
  select lower(t.name), i.name, c.seqno, lower(c.name), lower(c.coll)
    from tables as t, pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as c where not i.partial and c.key
  union all select lower(t.name), '', c.pk, lower(c.name), null
    from tables as t, pragma_table_info(t.name) as c where c.pk > 0
  order by 1, 2, 3`

/** Queries the columns of the indexes and of the primary keys of all tables, in lower case; an expression ends a list. */
function querySqliteIndexes(connection: SqliteConnection): IndexLookup {
  const byTable = new Map(
    [...Map.groupBy(connection.introspect(query), ([table]) => table)].map(([table, rows]) => [
      table,
      [...Map.groupBy(rows, ([, index]) => index).values()].map(toColumns),
    ]),
  )
  return ({ name }, columns, collations = []) => {
    const lowerCase = columns.map((column) => column.toLowerCase())
    const isComparedBy = ([column, collation]: IndexColumn) => {
      const required = collations[lowerCase.indexOf(column)]
      return required === undefined || required === collation
    }
    const indexes = (byTable.get(lowerAscii(name)) ?? []).map((index) =>
      index.map((column) => (isComparedBy(column) ? column[0] : '')),
    )
    return isIndexed({ indexes }, lowerCase)
  }
}

function toColumns(rows: readonly (readonly unknown[])[]): readonly IndexColumn[] {
  const end = rows.findIndex(([, , , name]) => name === null)
  return rows
    .slice(0, end === -1 ? undefined : end)
    .map(
      ([, , , name, collation]): IndexColumn => [
        String(name),
        collation === null ? null : String(collation),
      ],
    )
}

/** The rows of a table whose keys are checked, and the rows of all tables. */
const [maxRows, maxTotalRows] = [100_000, 1_000_000]

/** What the checks of all keys share. */
interface CheckContext {
  readonly connection: SqliteConnection
  readonly collationOf: SqliteCollationLookup
}

/** The foreign keys of SQLite that relationships follow, as far as they were checked. */
interface CheckedKeys {
  readonly enforced: ReadonlySet<RelationshipField>
  readonly danglingKeys: readonly DanglingKey[]
}

/**
 * Checks the keys of the first rows of relationships that have a foreign key. Any program may have written keys that reference nothing,
 * because SQLite enforces foreign keys only on connections that ask for it.
 */
function checkKeys(
  model: Model,
  catalog: Catalog,
  { connection, collationOf }: CheckContext,
): CheckedKeys {
  const keys = listRelationshipKeys(model).filter((key) => hasForeignKey(key, catalog))
  const enforced = new Set<RelationshipField>()
  const danglingKeys: DanglingKey[] = []
  let remaining = maxTotalRows
  for (const same of groupKeys(keys)) {
    const [key] = same
    remaining -= Math.min(estimateRowCount(connection, key.table.name), maxRows)
    const check = compileCheck(key, collationOf)
    const [[value] = []] = remaining < 0 ? [] : connection.all(check, { planValues: [] })
    if (value === undefined) for (const { field } of same) enforced.add(field)
    else danglingKeys.push({ key, value: String(value) })
  }
  return { enforced, danglingKeys }
}

/** Groups keys by their columns: the relationships of both sides have the same. A key of the own table comes first. */
function groupKeys(keys: readonly RelationshipKey[]): [RelationshipKey, ...RelationshipKey[]][] {
  const groups = new Map<string, [RelationshipKey, ...RelationshipKey[]]>()
  const isOwn = ({ field }: RelationshipKey) => field.link.foreignKey === 'own'
  for (const key of [...keys.filter(isOwn), ...keys.filter((each) => !isOwn(each))]) {
    const name = JSON.stringify([key.table.name, key.columns, key.to.name, key.references])
    const group = groups.get(name)
    if (group) group.push(key)
    else groups.set(name, [key])
  }
  return [...groups.values()]
}

/** Compiles the query for a key that references nothing. */
function compileCheck(key: RelationshipKey, collationOf: SqliteCollationLookup): Statement {
  const { table, columns: names, to, references: ids } = key
  const referencedKey = { table: to, columns: ids }
  const collations = compareKeyCollations({ table, columns: names }, referencedKey, collationOf)
  const keys = names.map((_, index) => sql.raw(index === 0 ? 'key' : `key${index}`))
  const columns = sql.join(names.map((name, index) => sql`${sql.id(name)} as ${keys[index]}`))
  const first = sql`select ${columns} from ${tableName(table)} limit ${sql.lit(maxRows)}`
  const references = ids.map((name) => sql.id(name))
  const referenced = sql`select ${sql.join(references)} from ${tableName(to)} where ${and(isKeyPresent(references))}`
  const compared = keys.map((column, index) => collate(column, collations[index]))
  const isDangling = sql`${toKey(compared)} not in (${referenced})`
  const value = sql.join(
    keys.map((key) => sql`cast(${key} as text)`),
    sql.raw(` || ',' || `),
  )
  return compileStatement(
    sql`select ${value} from (${first}) where ${and([...isKeyPresent(keys), isDangling])} limit 1`,
    sqliteDialect,
  )
}
