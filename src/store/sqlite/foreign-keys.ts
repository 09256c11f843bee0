import { sql } from 'kysely'
import { quote } from '../../errors/quote.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Model, RelationshipField } from '../../model/model.ts'
import { hasForeignKey, listRelationshipKeys, type RelationshipKey } from '../enforced-keys.ts'
import { isKeyPresent, toKey } from '../keys.ts'
import { collate } from '../link-keys.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, tableName } from '../tables.ts'
import type { SqliteCollationLookup } from './collations.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { compareKeyCollations } from './key-collations.ts'
import type { SchemaFacts } from './schema-facts.ts'
import { estimateRowCount } from './table-size.ts'

/** The rows of a table whose keys are checked, and the rows of all tables. */
const [maxRows, maxTotalRows] = [100_000, 1_000_000]

/**
 * The relationships for whose keys SQLite has a foreign key. Any program may have written keys that reference nothing, because SQLite
 * enforces foreign keys only on connections that ask for it; so the keys of the first rows are checked.
 */
export class EnforcedKeys {
  readonly #model: Model
  readonly #connection: SqliteConnection
  readonly #readCatalog: () => Catalog
  readonly #collationOf: SqliteCollationLookup
  #enforced: ReadonlySet<RelationshipField> | undefined
  #violated: readonly string[] = []

  constructor(model: Model, { connection, readCatalog, collationOf }: SchemaFacts) {
    this.#model = model
    this.#connection = connection
    this.#readCatalog = readCatalog
    this.#collationOf = collationOf
  }

  /** Checks the keys, once. It is repeated while a table is missing: a migration may create it. */
  load(): void {
    if (this.#enforced === undefined) this.#check(this.#readCatalog())
  }

  /** Whether every key of a relationship references a row, as far as it was checked. */
  has(field: RelationshipField): boolean {
    this.load()
    return this.#enforced?.has(field) ?? false
  }

  /** A line for each relationship with a foreign key and a key that references nothing. */
  get warnings(): readonly string[] {
    this.load()
    return this.#violated
  }

  #check(catalog: Catalog): void {
    const keys = listRelationshipKeys(this.#model).filter((key) => hasForeignKey(key, catalog))
    const enforced = new Set<RelationshipField>()
    const violated: string[] = []
    let remaining = maxTotalRows
    for (const same of groupKeys(keys)) {
      const [key] = same
      remaining -= Math.min(estimateRowCount(this.#connection, key.table.name), maxRows)
      const check = compileCheck(key, this.#collationOf)
      const [[value] = []] = remaining < 0 ? [] : this.#connection.all(check, { planValues: [] })
      if (value === undefined) for (const { field } of same) enforced.add(field)
      else violated.push(describe(key, String(value)))
    }
    this.#violated = violated
    const areAllKnown = [...this.#model.types.values()].every(
      ({ table }) =>
        table.call !== undefined || catalog.tables.some(({ name }) => name === table.name),
    )
    if (areAllKnown) this.#enforced = enforced
  }
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

function describe(violated: RelationshipKey, value: string): string {
  const { field, resource, table, columns, to } = violated
  const [names, references] = [columns, violated.references].map((each) =>
    each.map((column) => `"${column}"`),
  )
  const list = names?.join(', ') ?? ''
  const name = `${list} of "${table.name}"`
  const cleared = names?.map((column) => `${column} = null`).join(', ')
  const key = columns.length === 1 ? list : `(${list})`
  const change =
    field.link.foreignKey === 'join table'
      ? `delete from "${table.name}"`
      : `update "${table.name}" set ${cleared}`
  const fix = `${change} where ${key} not in (select ${references?.join(', ')} from "${to.name}")`
  const consequence =
    field.link.foreignKey === 'own'
      ? 'linkage is looked up there for each row'
      : 'each request for related resources looks it up'
  return `${resource.type}.fields.${field.name}: the key ${quote(value)} in ${name} references no row of "${to.name}", so ${consequence}; to fix it: ${fix}`
}
