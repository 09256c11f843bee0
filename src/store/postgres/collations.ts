import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import {
  getResourceType,
  type KeyColumns,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

/** The collation of a text column, and its indexes. */
export interface Collation {
  readonly name: string
  /** Whether different texts are never equal. */
  readonly isDeterministic: boolean
  /** Whether the column is the first of an index. */
  readonly isIndexed: boolean
  /** Whether the column is the first of an index in the order of code points. */
  readonly isIndexedByCodePoint: boolean
}

/** Returns the collation of a column; `undefined` if it does not contain texts. */
export type CollationLookup = (table: Table, column: string) => Collation | undefined

const collationsQuery = compileStatement(
  sql`
    select n.nspname, t.relname, c.attname, l.collname, l.collisdeterministic,
      bool_or(i.indexrelid is not null), coalesce(bool_or(i.indcollation[0] = '"C"'::regcollation), false)
    from pg_attribute as c join pg_class as t on t.oid = c.attrelid join pg_namespace as n on n.oid = t.relnamespace
      join pg_collation as l on l.oid = c.attcollation
      left join (pg_index as i join pg_class as x on x.oid = i.indexrelid join pg_am as m on m.oid = x.relam)
        on i.indrelid = t.oid and i.indkey[0] = c.attnum and i.indpred is null and i.indisvalid and m.amname = 'btree'
    where c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p', 'v', 'm', 'f')
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    group by n.nspname, t.relname, c.attname, l.collname, l.collisdeterministic`,
  postgresDialect('und-x-icu'),
)

/** Queries the collations of all columns. */
export async function queryCollations(
  connection: PostgresConnection,
  catalog: Catalog,
): Promise<CollationLookup> {
  const rows = await connection.all(collationsQuery, { planValues: [] })
  const all = new Map(
    rows.map(([schema, table, column, name, isDeterministic, isIndexed, isIndexedByCodePoint]) => [
      JSON.stringify([schema, table, column]),
      {
        name: String(name),
        isDeterministic: isDeterministic === true,
        isIndexed: isIndexed === true,
        isIndexedByCodePoint: isIndexedByCodePoint === true,
      },
    ]),
  )
  return ({ schema = catalog.schema, name }, column) =>
    all.get(JSON.stringify([schema, name, column]))
}

/** A column of a table. */
type TableColumn = readonly [table: Table, column: string]

/** Lists relationships whose columns PostgreSQL cannot compare, so that every request for them would fail: a line for each. */
export function checkCollations(
  model: Model,
  catalog: Catalog,
  findCollation: CollationLookup,
): string[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).flatMap((field) => {
      const path = `${resource.type}.fields.${field.name}`
      return listComparisons(field, resource, model).flatMap(([one, other]) => {
        const [left, right] = [findCollation(...one)?.name, findCollation(...other)?.name]
        // A column with the default collation takes that of the other.
        const isComparable = [left, right].some((name) => name === undefined || name === 'default')
        if (isComparable || left === right) return []
        const [first, second] = [one, other].map(([table, column]) => {
          return `"${column}" of the table "${findTable(catalog, table)?.name}"`
        })
        return `${path}: the columns ${first} and ${second} have two collations, "${left}" and "${right}", and cannot be compared; give one of them the other's`
      })
    }),
  )
}

function listComparisons(
  { link, to }: RelationshipField,
  { table }: ResourceType,
  model: Model,
): (readonly [TableColumn, TableColumn])[] {
  const own = pairWith(table, link.ownKey)
  const other = pairWith(getResourceType(model, to).table, link.otherKey)
  if (link.foreignKey !== 'join table') return zip(own, other)
  const { joinTable, from, to: toColumns } = link
  return [...zip(own, pairWith(joinTable, from)), ...zip(pairWith(joinTable, toColumns), other)]
}

function pairWith(table: Table, columns: KeyColumns): TableColumn[] {
  return columns.map((column): TableColumn => [table, column])
}

function zip(
  left: readonly TableColumn[],
  right: readonly TableColumn[],
): (readonly [TableColumn, TableColumn])[] {
  return left.flatMap((one, index): (readonly [TableColumn, TableColumn])[] => {
    const other = right[index]
    return other ? [[one, other]] : []
  })
}
