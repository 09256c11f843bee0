import { sql } from 'kysely'
import { HttpError } from '../../errors/errors.ts'
import type { Sql } from '../../model/dialect.ts'
import {
  getResourceType,
  listRelationships,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { compileCondition } from '../../sql/filter/filter.ts'
import { crossesShards, listLinkTables } from '../../sql/keys/shards.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileOrder } from '../../sql/read/sort.ts'
import { compileStatement } from '../../sql/statement.ts'
import { and, idColumn, inScope, type Target, tableAt } from '../../sql/tables.ts'
import type { PostgresConnection } from '../connection/connection.ts'

/** What a request may do with a relationship, and the rows that it reads from `t0`. */
type RelatedQueries = readonly (readonly [what: string, query: Sql])[]

/**
 * Lists what tables that are distributed over several servers do not guarantee, where a declaration relies on it, and the requests whose
 * statements the database refuses: it plans one of each kind for every relationship.
 */
export async function listShardWarnings(
  target: Target,
  connection: Pick<PostgresConnection, 'allUnprepared'>,
): Promise<string[]> {
  const { facts, model } = target
  const warnings: string[] = []
  for (const resource of model.types.values()) {
    warnings.push(...listIdWarnings(resource, target))
    for (const field of listRelationships(resource)) {
      const tables = listLinkTables(
        resource.table,
        field.link,
        getResourceType(model, field.to).table,
      )
      if (tables.every((table) => facts.shardingOf(table) === undefined)) continue
      warnings.push(...listKeyWarnings(resource, field, target))
      for (const [what, query] of listRelatedQueries(resource, field, target)) {
        const refusal = await findRefusal(query, target, connection)
        if (refusal !== undefined)
          warnings.push(
            `${resource.type}.fields.${field.name}: ${what} it is 501 not_supported_by_database: the database refuses the statement: ${refusal}`,
          )
      }
    }
  }
  return warnings
}

/** Warns of ids that are not the key by which the rows are distributed. */
function listIdWarnings({ type, table, id }: ResourceType, { facts }: Target): string[] {
  const sharding = facts.shardingOf(table)
  if (sharding === undefined || id.columns.includes(sharding.column)) return []
  const [name, column] = [table.name, sharding.column].map(quoteIdentifier)
  return [
    `${type}: the rows of ${name} are distributed by ${column}, which is no part of the id, so no constraint keeps ids unique on all servers, no write locks a row, and a request for one id asks every server; to fix it: distribute ${name} by its id, or make it a reference table`,
  ]
}

/** Warns of keys that no foreign key can keep from referencing nothing. */
function listKeyWarnings(
  resource: ResourceType,
  field: RelationshipField,
  target: Target,
): string[] {
  const isKept = field.isEnforced ?? target.facts.isEnforced(field)
  if (field.link.foreignKey !== 'own' || isKept || !crossesShards(resource, field, target))
    return []
  const other = quoteIdentifier(getResourceType(target.model, field.to).table.name)
  return [
    `${resource.type}.fields.${field.name}: the rows of ${other} may be on other servers than the keys that reference them, so no foreign key keeps a deleted row from being referenced, and one response may show a change of one server before that of another; to fix it: distribute both tables by the same key, or make ${other} a reference table`,
  ]
}

/** Lists a query of each kind of request that joins the related rows of a relationship. */
function listRelatedQueries(
  resource: ResourceType,
  field: RelationshipField,
  target: Target,
): RelatedQueries {
  const { name: relationship, many, to } = field
  const from = tableAt(0, resource.table)
  const table = { resource, depth: 0 }
  const isRelated = compileCondition(
    { is: 'related', relationship, where: undefined },
    table,
    target,
  )
  const select = (joins: Sql, where: readonly Sql[], end: Sql) =>
    sql`select ${idColumn(resource, target)} from ${from}${joins} where ${and([...inScope(0, resource), ...where])}${end}`
  const filter = ['a filter over', select(sql``, [isRelated], sql``)] as const
  if (many) return [filter]
  const path = { path: [relationship], field: 'id', descending: false, nullable: true } as const
  const { joins, orderBy } = compileOrder([path], resource, target)
  const sort = [
    `a sort by "${to}" over`,
    select(joins, [], sql` order by ${orderBy} limit 1`),
  ] as const
  return [filter, sort]
}

/** Plans a query. @returns the message of the database if it refuses it */
async function findRefusal(
  query: Sql,
  { dialect }: Target,
  connection: Pick<PostgresConnection, 'allUnprepared'>,
): Promise<string | undefined> {
  try {
    await connection.allUnprepared(compileStatement(sql`explain ${query}`, dialect))
    return undefined
  } catch (error) {
    const isRefused = error instanceof HttpError && error.code === 'not_supported_by_database'
    if (!isRefused) throw error
    return error.cause instanceof Error ? error.cause.message : error.message
  }
}
