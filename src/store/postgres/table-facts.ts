import { type Catalog, findTable, type TableTriggers } from '../../model/catalog.ts'
import type { Model, RelationshipField, ResourceType, Table } from '../../model/model.ts'
import { hasForeignKey, listRelationshipKeys } from '../enforced-keys.ts'
import { type IndexLookup, listTables, type Target } from '../tables.ts'
import { excludeNullIds } from '../view-ids.ts'
import { queryPostgresCatalog } from './catalog.ts'
import { queryCollations } from './collations.ts'
import { type ColumnLimits, listColumnLimits } from './column-limits.ts'
import type { PostgresConnection } from './connection.ts'
import { listCacheableTables } from './counts.ts'
import { queryIndexes } from './indexes.ts'
import { excludeNaN, findTypesWithNaN } from './nan-ids.ts'

/** Facts about the tables of a model that the store depends on. */
interface TableFacts {
  /** Whether all tables exist. */
  readonly areKnown: boolean
  /** The model without the rows that have no id; absent if no type may have such rows. */
  readonly model?: Model
  readonly isIndexed: IndexLookup
  /** Whether a column is of the type `citext`, or has a nondeterministic collation. */
  readonly ignoresCase: (table: Table, column: string) => boolean
  /** Whether a column is of the type `real`. */
  readonly isSinglePrecision: (table: Table, column: string) => boolean
  readonly isEnforced: (field: RelationshipField) => boolean
  readonly triggersOf: (table: Table) => TableTriggers | undefined
  readonly columnLimits: ColumnLimits
  /** The tables whose counts may be cached. */
  readonly cacheableTables: ReadonlySet<string>
}

/** Facts that are safe for any table: no count is cached, and the database checks values itself. */
const unknownTableFacts: TableFacts = {
  areKnown: false,
  isIndexed: () => true,
  ignoresCase: () => false,
  isSinglePrecision: () => false,
  isEnforced: () => false,
  triggersOf: () => undefined,
  columnLimits: new Map(),
  cacheableTables: new Set(),
}

/**
 * The facts about the tables of a store. They are loaded with the first read or write: other programs may create the tables after
 * the store is opened. While a table is missing they stay unknown, and every read and write loads them again.
 */
export class LoadedTableFacts {
  readonly #read: () => Promise<TableFacts>
  #current = unknownTableFacts
  #loading: Promise<void> | undefined

  constructor(read: () => Promise<TableFacts>) {
    this.#read = read
  }

  get current(): TableFacts {
    return this.#current
  }

  get areKnown(): boolean {
    return this.#current.areKnown
  }

  /** Loads the facts; once for all that wait for them. */
  load(): Promise<void> {
    this.#loading ??= this.#read()
      .then((facts) => {
        this.#current = facts
      })
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }

  /**
   * Forgets the facts after a migration. Statements that were compiled before are kept: an index that was added or dropped since then
   * makes them slower or faster, and never wrong.
   */
  forget(): void {
    this.#current = unknownTableFacts
  }
}

/** Reads the facts of a model's tables. Where a table does not exist yet, only the rows without an id are known. */
export async function readTableFacts(
  model: Model,
  connection: PostgresConnection,
  target: Target,
): Promise<TableFacts> {
  const catalog = await queryPostgresCatalog(connection)
  const served = await excludeRowsWithoutId(model, catalog, connection)
  if (listTables(model).some((table) => !findTable(catalog, table)))
    return { ...unknownTableFacts, ...served }
  const findCollation = await queryCollations(connection, catalog)
  const typeOf = (table: Table, column: string) =>
    findTable(catalog, table)?.columns.get(column)?.type
  const enforced = new Set(
    listRelationshipKeys(model).flatMap((key) => (hasForeignKey(key, catalog) ? [key.field] : [])),
  )
  return {
    areKnown: true,
    ...served,
    isEnforced: (field) => enforced.has(field),
    isIndexed: await queryIndexes(connection, catalog),
    ignoresCase: (table, column) =>
      typeOf(table, column) === 'citext' || findCollation(table, column)?.isDeterministic === false,
    isSinglePrecision: (table, column) => typeOf(table, column) === 'real',
    triggersOf: createTriggerLookup(model, catalog),
    columnLimits: listColumnLimits(model, catalog),
    cacheableTables: await listCacheableTables(model, connection, target),
  }
}

function createTriggerLookup(model: Model, catalog: Catalog): TableFacts['triggersOf'] {
  const triggers = new Map(
    listTables(model).map((table) => [table, findTable(catalog, table)?.triggers]),
  )
  return (table) => triggers.get(table)
}

async function excludeRowsWithoutId(
  model: Model,
  catalog: Catalog,
  connection: PostgresConnection,
): Promise<Pick<TableFacts, 'model'>> {
  const withNaN = await findTypesWithNaN(model, catalog, connection)
  const types = [...model.types].map(([type, resource]): [string, ResourceType] => [
    type,
    withNaN.includes(resource) ? excludeNaN(resource) : excludeNullIds(resource, catalog),
  ])
  const isChanged = types.some(([type, resource]) => resource !== model.types.get(type))
  return isChanged ? { model: { ...model, types: new Map(types) } } : {}
}
