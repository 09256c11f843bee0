import { sql } from 'kysely'
import { HttpError } from '../../errors/errors.ts'
import { findTable } from '../../model/catalog.ts'
import type { Sql } from '../../model/dialect.ts'
import {
  getResourceType,
  listRelationships,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { Condition } from '../../plan/filter/condition.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { listTables } from '../../sql/database-facts.ts'
import { compileCondition } from '../../sql/filter/filter.ts'
import { crossesShards, listLinkTables } from '../../sql/keys/shards.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileOrder } from '../../sql/read/sort.ts'
import { compileStatement, type RunValues, type Statement } from '../../sql/statement.ts'
import { and, idColumn, inScope, type Target, tableAt } from '../../sql/tables.ts'
import { listDeclaredSql } from '../../sql/verify/declared-sql.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { listRefusableWrites, type RefusableWrite } from './refusable-writes.ts'

/** What a warning is about. */
interface Subject {
  /** That of the declaration. */
  readonly path: string
  /** The requests that send the statement. */
  readonly what: string
  readonly fix: string
}

/** A statement of a request that the database may refuse. */
interface Planned extends Subject {
  readonly statement: Statement
}

const otherTables =
  'distribute the tables by the same key, or make the smaller ones reference tables'

/**
 * Refusals that depend on how a statement is explained. Citus executes an insert of the rows of a query with parameters, but does not
 * explain it; and null, in place of a value of the auth context, makes a comparison constant.
 */
const ofExplain = /^could not create distributed plan|pseudoconstant quals/

/**
 * Lists what tables that are distributed over several servers do not guarantee, where a declaration relies on it, and the requests whose
 * statements the database refuses: it plans one of each kind for every relationship, those of all declared SQL, and those of all writes.
 */
export async function listShardWarnings(
  target: Target,
  connection: Pick<PostgresConnection, 'allUnprepared'>,
): Promise<string[]> {
  const { facts, model } = target
  if (listTables(model).every((table) => facts.shardingOf(table) === undefined)) return []
  const warnings: string[] = []
  const planned = listDeclared(target)
  for (const resource of model.types.values()) {
    warnings.push(...listIdWarnings(resource, target))
    for (const field of listRelationships(resource)) {
      const other = getResourceType(model, field.to).table
      const tables = listLinkTables(resource.table, field.link, other)
      if (tables.every((table) => facts.shardingOf(table) === undefined)) continue
      warnings.push(...listKeyWarnings(resource, field, target))
      planned.push(...listRelated(resource, field, target))
    }
  }
  return [...warnings, ...(await listRefusals(planned, target, connection))]
}

/** Plans statements, and those of all writes. @returns a warning about each request that the database refuses */
async function listRefusals(
  planned: readonly Planned[],
  target: Target,
  connection: Pick<PostgresConnection, 'allUnprepared'>,
): Promise<string[]> {
  const warnings: string[] = []
  const findRefusal = createFindRefusal(connection)
  const refused = new Set<string>()
  const isView = ({ table }: ResourceType) => findTable(target.facts.catalog, table)?.is === 'view'
  for (const each of planned) {
    const refusal = await findRefusal(each.statement)
    if (refusal === undefined) continue
    refused.add(each.path)
    warnings.push(formatRefusal(each, refusal))
  }
  for (const write of listRefusableWrites(target, (path) => refused.has(path)))
    warnings.push(...(await listRefusedWrites(write, isView(write.resource), findRefusal)))
  return [...new Set(warnings)]
}

function formatRefusal({ path, what, fix }: Subject, refusal: string): string {
  return `${path}: ${what} is 501 not_supported_by_database: the database refuses the statement: ${refusal}; to fix it: ${fix}`
}

/** Plans a write. @returns the warning about its first statement that the database refuses */
async function listRefusedWrites(
  write: RefusableWrite,
  isView: boolean,
  findRefusal: FindRefusal,
): Promise<string[]> {
  const { resource, field, values, ofFields } = write
  for (const statement of write.statements) {
    const refusal = await findRefusal(statement, values)
    if (refusal === undefined) continue
    const warnings: string[] = []
    for (const each of ofFields)
      warnings.push(...(await listRefusedWrites(each, isView, findRefusal)))
    if (warnings.length > 0) return warnings
    const { type, table } = resource
    const path = field === undefined ? type : `${type}.fields.${field}`
    const what = field === undefined ? write.name : `${write.name} of it`
    const name = quoteIdentifier(table.name)
    const fix = isView
      ? `declare the table behind the view ${name}, or nothing of it as writable`
      : refusal.includes('RETURNING')
        ? 'declare an id without dates and times'
        : `distribute ${name} by its id, or make it a reference table`
    return [formatRefusal({ path, what, fix }, refusal)]
  }
  return []
}

/** Lists the statements of declared SQL. A procedure has no plan. */
function listDeclared(target: Target): Planned[] {
  const fix =
    'end its subquery over rows of other servers with "offset 0", without columns of the row in it, or make their table a reference table'
  return listDeclaredSql(target).flatMap(({ path, statement }) =>
    /^\s*call\b/i.test(statement.sql)
      ? []
      : [{ path, what: 'a request that uses it', statement, fix }],
  )
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

/** Lists a statement of each kind of request that joins the related rows of a relationship. */
function listRelated(resource: ResourceType, field: RelationshipField, target: Target): Planned[] {
  const { name: relationship, many, isCounted } = field
  const select = (joins: Sql, where: readonly Sql[], end: Sql) =>
    sql`select ${idColumn(resource, target)} from ${tableAt(0, resource.table)}${joins} where ${and([...inScope(0, resource), ...where])}${end}`
  const plan = (what: string, query: Sql): Planned => ({
    path: `${resource.type}.fields.${relationship}`,
    what: `a ${what} it`,
    statement: compileStatement(query, target.dialect),
    fix: otherTables,
  })
  const filter = (what: string, condition: Condition) =>
    plan(what, select(sql``, [compileCondition(condition, { resource, depth: 0 }, target)], sql``))
  const sort = (what: string, term: Pick<OrderTerm, 'path' | 'field' | 'isCount'>) => {
    const order = [{ descending: false, nullable: true, ...term }]
    const { joins, orderBy } = compileOrder(order, resource, target)
    return plan(what, select(joins, [], sql` order by ${orderBy} limit 1`))
  }
  const count = { relationship, operator: 'ge', parameter: 0, includesZero: false } as const
  const byNumber = { path: [], field: relationship, isCount: true }
  return [
    filter('filter over', { is: 'related', relationship, where: undefined }),
    ...(many ? [] : [sort('sort over', { path: [relationship], field: 'id' })]),
    ...(isCounted ? [filter('filter by the number of', { is: 'count', ...count })] : []),
    ...(isCounted ? [sort('sort by the number of', byNumber)] : []),
  ]
}

/**
 * Plans a statement.
 * @param values - those of a write, which its columns may not accept
 * @returns the message of the database if it refuses the statement
 */
type FindRefusal = (statement: Statement, values?: RunValues) => Promise<string | undefined>

/** Creates the function that plans statements, each once. */
function createFindRefusal(connection: Pick<PostgresConnection, 'allUnprepared'>): FindRefusal {
  const known = new Map<string, Promise<string | undefined>>()
  return ({ sql: text, placeholders }, values) => {
    const key = `${text} ${values?.planValues.map(String).join()}`
    const planning =
      known.get(key) ??
      connection.allUnprepared({ sql: `explain ${text}`, placeholders }, values).then(
        () => undefined,
        (error: unknown) => readRefusal(error, values !== undefined),
      )
    known.set(key, planning)
    return planning
  }
}

/** @throws the error, if it is no refusal; that of a value says nothing of the statement */
function readRefusal(error: unknown, hasValues: boolean): string | undefined {
  const isKnown = error instanceof HttpError
  if (!isKnown || error.code !== 'not_supported_by_database') {
    if (hasValues && !(isKnown && error.status === 503)) return undefined
    throw error
  }
  const { message } = error.cause instanceof Error ? error.cause : error
  return ofExplain.test(message) ? undefined : message
}
