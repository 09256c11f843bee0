import { sql } from 'kysely'
import { quote } from '../../errors/quote.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Model, RelationshipField } from '../../model/model.ts'
import { hasForeignKey, listOwnKeys, type OwnKey } from '../enforced-keys.ts'
import { isKeyPresent, toKey } from '../keys.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, tableName } from '../tables.ts'
import { querySqliteCatalog } from './catalog.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
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
  #enforced: ReadonlySet<RelationshipField> | undefined
  #violated: readonly string[] = []

  constructor(model: Model, connection: SqliteConnection) {
    this.#model = model
    this.#connection = connection
  }

  /** Checks the keys, once. It is repeated while a table is missing: a migration may create it. */
  load(): void {
    if (this.#enforced === undefined) this.#check(querySqliteCatalog(this.#connection))
  }

  /** Whether every own key of a relationship references a row, as far as it was checked. */
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
    const keys = listOwnKeys(this.#model).filter((key) => hasForeignKey(key, catalog))
    const violated = new Map<RelationshipField, string>()
    let remaining = maxTotalRows
    for (const key of keys) {
      remaining -= Math.min(estimateRowCount(this.#connection, key.resource.table.name), maxRows)
      if (remaining < 0) break
      const [[value] = []] = this.#connection.all(compileCheck(key), { planValues: [] })
      if (value !== undefined) violated.set(key.field, describe(key, String(value)))
    }
    this.#violated = [...violated.values()]
    const areAllKnown = [...this.#model.types.values()].every(({ table }) =>
      catalog.tables.some(({ name }) => name === table.name),
    )
    if (areAllKnown)
      this.#enforced = new Set(keys.flatMap(({ field }) => (violated.has(field) ? [] : [field])))
  }
}

/** Compiles the query for a key that references nothing. */
function compileCheck({ field, resource, other }: OwnKey): Statement {
  const { ownKey, otherKey } = field.link
  const keys = ownKey.map((_, index) => sql.raw(index === 0 ? 'key' : `key${index}`))
  const columns = sql.join(ownKey.map((name, index) => sql`${sql.id(name)} as ${keys[index]}`))
  const first = sql`select ${columns} from ${tableName(resource.table)} limit ${sql.lit(maxRows)}`
  const references = otherKey.map((name) => sql.id(name))
  const referenced = sql`select ${sql.join(references)} from ${tableName(other.table)} where ${and(isKeyPresent(references))}`
  const isDangling = sql`${toKey(keys)} not in (${referenced})`
  const value = sql.join(
    keys.map((key) => sql`cast(${key} as text)`),
    sql.raw(` || ',' || `),
  )
  return compileStatement(
    sql`select ${value} from (${first}) where ${and([...isKeyPresent(keys), isDangling])} limit 1`,
    sqliteDialect,
  )
}

function describe({ field, resource, other }: OwnKey, value: string): string {
  const { ownKey, otherKey } = field.link
  const { table } = resource
  const [names, references] = [ownKey, otherKey].map((columns) =>
    columns.map((name) => `"${name}"`),
  )
  const list = names?.join(', ') ?? ''
  const name = `${list} of "${table.name}"`
  const cleared = names?.map((column) => `${column} = null`).join(', ')
  const key = ownKey.length === 1 ? list : `(${list})`
  const fix = `update "${table.name}" set ${cleared} where ${key} not in (select ${references?.join(', ')} from "${other.table.name}")`
  return `${resource.type}.fields.${field.name}: the key ${quote(value)} in ${name} references no row of "${other.table.name}", so linkage is looked up there for each row; to fix it: ${fix}`
}
