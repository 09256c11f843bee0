import { sql } from 'kysely'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { DatabaseFacts } from '../../sql/database-facts.ts'
import { listLinkTables } from '../../sql/keys/shards.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

// Tables that Citus distributes over several nodes by a column. Reference tables, and tables in the schema of a tenant, are on a node as
// a whole, so that they need nothing special. The planner of Citus refuses correlated subqueries, and joins on other columns.

const compile = (query: ReturnType<typeof sql>) =>
  compileStatement(query, postgresDialect('und-x-icu'))

const hasCitusQuery = compile(sql`select to_regclass('pg_dist_partition') is not null`)
// The key is a node of PostgreSQL, whose `varattno` is the number of the column. Tables of the group 0 are on servers of their own.
const shardedTablesQuery = compile(
  sql`select n.nspname, c.relname, n.nspname = current_schema(), a.attname, p.colocationid::int from pg_dist_partition as p
    join pg_class as c on c.oid = p.logicalrelid join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attnum = substring(p.partkey from ':varattno (\\d+)')::int where p.partmethod <> 'n'`,
)

/** Reads which tables are distributed; on PostgreSQL itself none is. */
export async function queryShardedTables(
  connection: PostgresConnection,
): Promise<DatabaseFacts['shardingOf']> {
  const [found] = await connection.allUnprepared(hasCitusQuery)
  if (found?.[0] !== true) return () => undefined
  const shardings = new Map(
    (await connection.allUnprepared(shardedTablesQuery)).flatMap(
      ([schema, name, isOwn, column, group]) =>
        [schema, ...(isOwn === true ? [undefined] : [])].map(
          (each) =>
            [tableKey(each, name), { column: String(column), group: Number(group) }] as const,
        ),
    ),
  )
  return ({ schema, name }) => shardings.get(tableKey(schema, name))
}

function tableKey(schema: unknown, name: unknown): string {
  return JSON.stringify([schema ?? null, name])
}

/** Whether a document has related rows, or their ids, and reads a table that is distributed: then one statement cannot read it. */
export function readsRelatedShards(shape: ReadShape, { model, facts }: Target): boolean {
  const { primary, included, includeEdges } = shape
  const related = [primary, ...included].flatMap(({ type, linkages }) =>
    linkages.map(({ relationship }) => ({ type, relationship })),
  )
  const counted = [primary, ...included].flatMap(({ type, values }) =>
    values.flatMap((value) => ('count' in value ? [{ type, relationship: value.count }] : [])),
  )
  const tables = [...includeEdges, ...related, ...counted].flatMap(({ type, relationship }) => {
    const resource = getResourceType(model, type)
    const { link, to } = getRelationship(resource, relationship)
    return listLinkTables(resource.table, link, getResourceType(model, to).table)
  })
  return tables.some((table) => facts.shardingOf(table) !== undefined)
}
