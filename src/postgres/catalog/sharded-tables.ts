import { sql } from 'kysely'
import { getRelationship, getResourceType } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { DatabaseFacts } from '../../sql/database-facts.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { Target } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../dialect.ts'

// Tables that Citus distributes over several nodes by a column. Reference tables, and tables in the schema of a tenant, are on a node as
// a whole, so that they need nothing special. The planner of Citus refuses correlated subqueries, and joins on other columns.

const compile = (query: ReturnType<typeof sql>) =>
  compileStatement(query, postgresDialect('und-x-icu'))

const hasCitusQuery = compile(sql`select to_regclass('pg_dist_partition') is not null`)
const shardedTablesQuery = compile(
  sql`select n.nspname, c.relname, n.nspname = current_schema() from pg_dist_partition as p
    join pg_class as c on c.oid = p.logicalrelid join pg_namespace as n on n.oid = c.relnamespace where p.partmethod <> 'n'`,
)

/** Reads which tables are distributed; on PostgreSQL itself none is. */
export async function queryShardedTables(
  connection: PostgresConnection,
): Promise<DatabaseFacts['isSharded']> {
  const [found] = await connection.allUnprepared(hasCitusQuery)
  if (found?.[0] !== true) return () => false
  const keys = new Set(
    (await connection.allUnprepared(shardedTablesQuery)).flatMap(([schema, name, isOwn]) =>
      [schema, ...(isOwn === true ? [undefined] : [])].map((each) => tableKey(each, name)),
    ),
  )
  return ({ schema, name }) => keys.has(tableKey(schema, name))
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
  const tables = [...includeEdges, ...related].flatMap(({ type, relationship }) => {
    const resource = getResourceType(model, type)
    const { link, to } = getRelationship(resource, relationship)
    const joinTables = link.foreignKey === 'join table' ? [link.joinTable] : []
    return [resource.table, getResourceType(model, to).table, ...joinTables]
  })
  return tables.some(facts.isSharded)
}
