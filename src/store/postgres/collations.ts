import { sql } from 'kysely'
import { type Catalog, findTable } from '../../model/catalog.ts'
import {
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { compileStatement } from '../statement.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'

/** How a column of texts is put in order where nothing else is said. */
export interface Collation {
  readonly name: string
  /** Whether texts that differ are never equal. */
  readonly isDeterministic: boolean
  /** Whether an index begins with the column, and whether one does in the order of code points. */
  readonly isIndexed: boolean
  readonly isIndexedByCodePoint: boolean
}

/** The collation of a column; `undefined` for one that holds no texts. */
export type CollationLookup = (table: Table, column: string) => Collation | undefined

const collations = compileStatement(
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

/** Reads the collations of all columns. */
export async function queryCollations(
  connection: PostgresConnection,
  catalog: Catalog,
): Promise<CollationLookup> {
  const rows = await connection.all(collations, { parameters: [] })
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

/** A column by its name, and where it is. */
type Place = readonly [table: Table, column: string]

/** The relationships whose columns PostgreSQL would not compare: a line for each, as every request for it would fail. */
export function checkCollations(
  model: Model,
  catalog: Catalog,
  collationOf: CollationLookup,
): string[] {
  return [...model.types.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) => {
      if (field.is !== 'relationship') return []
      const place = `${resource.type}.fields.${field.name}`
      return comparisons(field, resource, model).flatMap(([one, other]) => {
        const [left, right] = [collationOf(...one)?.name, collationOf(...other)?.name]
        // A column without one of its own takes that of the other.
        const isClear = [left, right].some((name) => name === undefined || name === 'default')
        if (isClear || left === right) return []
        const [first, second] = [one, other].map(([table, column]) => {
          return `"${column}" of the table "${findTable(catalog, table)?.name}"`
        })
        return `${place}: the columns ${first} and ${second} have two collations, "${left}" and "${right}", and cannot be compared; give one of them the other's`
      })
    }),
  )
}

function comparisons(
  { link, to }: RelationshipField,
  { table }: ResourceType,
  model: Model,
): (readonly [Place, Place])[] {
  const theirs = getResourceType(model, to).table
  const [here, there]: Place[] = [
    [table, link.ownKey],
    [theirs, link.otherKey],
  ]
  if (here === undefined || there === undefined) return []
  if (link.foreignKey !== 'join table') return [[here, there]]
  return [
    [here, [link.joinTable, link.from]],
    [[link.joinTable, link.to], there],
  ]
}
