import { sql } from 'kysely'
import type { Catalog } from '../../model/catalog.ts'
import type { Model, RelationshipField } from '../../model/model.ts'
import type { DanglingKey } from '../../sql/database-facts.ts'
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
import type { SqliteCollationLookup } from './collations.ts'
import { compareKeyCollations } from './key-collations.ts'
import { estimateRowCount } from './table-size.ts'

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
export function checkKeys(
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
