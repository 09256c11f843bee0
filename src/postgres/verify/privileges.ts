import { sql } from 'kysely'
import type { Catalog } from '../../model/catalog.ts'
import {
  type Field,
  listRelationships,
  listStoredColumns,
  type Model,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { isWrittenByCreates } from '../../model/written-fields.ts'
import { quoteIdentifier } from '../../sql/quote-identifier.ts'
import { compileStatement } from '../../sql/statement.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgres } from '../database.ts'
import { postgresDialect } from '../dialect.ts'

/** A privilege on a table or on one of its columns. */
type Privilege = 'select' | 'insert' | 'update' | 'delete'

/** What a resource type needs of a table: a privilege on some of its columns; `delete` is about the table. */
interface Need {
  readonly type: string
  readonly table: Table
  readonly privilege: Privilege
  readonly columns: readonly string[]
  /** The columns to which every create of the type sends a value. */
  readonly sent?: readonly string[]
}

/** What a request gets that needs a privilege that the role lacks. */
const consequences: Readonly<Record<Privilege, string>> = {
  select: 'requests that read them are 403',
  insert: 'creates are 403',
  update: 'updates that write them are 403',
  delete: 'deletions are 403',
}

const privilegesQuery = compileStatement(
  sql`
    select current_user, n.nspname, c.relname, a.attname,
      has_column_privilege(c.oid, a.attnum, 'select'), has_column_privilege(c.oid, a.attnum, 'insert'),
      has_column_privilege(c.oid, a.attnum, 'update'), has_table_privilege(c.oid, 'delete')
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`,
  postgresDialect('und-x-icu'),
)

const sequencesQuery = compileStatement(
  sql`
    select n.nspname, c.relname, a.attname, sn.nspname, s.relname
    from pg_depend as d join pg_attrdef as f on f.oid = d.objid join pg_class as c on c.oid = f.adrelid
      join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid and a.attnum = f.adnum
      join pg_class as s on s.oid = d.refobjid join pg_namespace as sn on sn.oid = s.relnamespace
    where d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass
      and case when s.relkind = 'S' then not has_sequence_privilege(s.oid, 'usage, update') end`,
  postgresDialect('und-x-icu'),
)

/**
 * Warns of privileges that a model needs and the role of the connection lacks.
 * @returns a line for each resource type and privilege, with the consequence and the `grant`
 */
export async function listPrivilegeWarnings(
  model: Model,
  catalog: Catalog,
  connection: Pick<PostgresConnection, 'all'>,
): Promise<string[]> {
  const rows = await connection.all(privilegesQuery, { planValues: [] })
  const granted = new Set<string>()
  for (const [, schema, table, column, select, insert, update, remove] of rows)
    for (const [privilege, has] of Object.entries({ select, insert, update, delete: remove }))
      if (has === true) granted.add(JSON.stringify([schema, table, column, privilege]))
  const sequences = await findLockedSequences(connection)
  const role = quoteIdentifier(String(rows[0]?.[0]))
  return listNeeds(model).flatMap((need) => {
    const schema = need.table.schema ?? catalog.schema
    const isGranted = (column: string) =>
      granted.has(JSON.stringify([schema, need.table.name, column, need.privilege]))
    const used = sequences.filter((each) => isAdvanced(each, need, schema))
    return [
      ...describeMissing(need, role, isGranted),
      ...used.map((each) => describeSequence(each, need, role)),
    ]
  })
}

/** Describes the columns of a need that lack the privilege. */
function describeMissing(
  { type, table, privilege, columns }: Need,
  role: string,
  isGranted: (column: string) => boolean,
): string[] {
  const missing = [...new Set(columns)].filter((column) => !isGranted(column))
  if (missing.length === 0) return []
  const columnList = privilege === 'delete' ? '' : ` (${missing.map(quoteIdentifier).join(', ')})`
  const name = quoteName(table.schema, table.name)
  return [
    `${type}: the role ${role} lacks the privilege ${privilege} on ${name}${columnList}, so ${consequences[privilege]}; to fix it: grant ${privilege}${columnList} on ${name} to ${role}`,
  ]
}

/** Whether inserts advance a sequence, because not all of them send a value to its column. */
function isAdvanced(
  { schema, table, column }: LockedSequence,
  { table: { name }, privilege, sent = [] }: Need,
  ownSchema: string | undefined,
): boolean {
  return privilege === 'insert' && schema === ownSchema && table === name && !sent.includes(column)
}

function describeSequence(
  { column, sequence }: LockedSequence,
  { type, table }: Need,
  role: string,
): string {
  const location = `${quoteIdentifier(column)} of ${quoteName(table.schema, table.name)}`
  return `${type}: the role ${role} lacks the privilege usage on the sequence ${sequence}, the default of ${location}, so creates that do not send it are 403; to fix it: grant usage on sequence ${sequence} to ${role}`
}

function quoteName(schema: string | undefined, name: string): string {
  return [schema ?? [], name].flat().map(quoteIdentifier).join('.')
}

/** A sequence that is the default of a column, and that the role must not advance. */
interface LockedSequence {
  readonly schema: unknown
  readonly table: unknown
  readonly column: string
  /** Its name, quoted. */
  readonly sequence: string
}

/** Finds the sequences that the role must not advance. That of an identity column needs no privilege. */
async function findLockedSequences(
  connection: Pick<PostgresConnection, 'all'>,
): Promise<readonly LockedSequence[]> {
  const rows = await connection.all(sequencesQuery, { planValues: [] })
  return rows.map(([schema, table, column, sequenceSchema, name]) => ({
    schema,
    table,
    column: String(column),
    sequence: quoteName(String(sequenceSchema), String(name)),
  }))
}

/** Lists what the types of a model need. */
function listNeeds(model: Model): Need[] {
  return [...model.types.values()].flatMap((resource) => [
    ...(resource.table.call ? [] : listOwnNeeds(resource)),
    ...listJoinTableNeeds(resource),
  ])
}

/** The column that is the version of a row, which every update writes; none without one. */
function listVersionColumns({ version }: ResourceType): readonly string[] {
  return version === undefined || version === postgres.rowVersion ? [] : [version]
}

/** Whether the columns of a field are read. The version of a resource depends on all of them, unless it is a column. */
function isRead(field: Field, { version }: ResourceType): boolean {
  return field.is !== 'attribute' || field.isReadable || version === undefined
}

function listOwnNeeds(resource: ResourceType): Need[] {
  const { type, table, id, ids, softDelete, isWritable, fields } = resource
  const versions = listVersionColumns(resource)
  const read: string[] = [...id.columns, ...versions]
  const sent = ids.fromClient === 'forbidden' ? ids.generatedParts : id.columns
  const created: string[] = [...sent, ...versions]
  const updated: string[] = [...(softDelete === undefined ? [] : [softDelete]), ...versions]
  for (const field of fields.values()) {
    if (field.is === 'computed') read.push(...field.columns.map(([column]) => column))
    const columns = listStoredColumns(field)
    if (field.is === 'computed') continue
    if (isRead(field, resource)) read.push(...columns)
    if (!isWrittenByCreates(field)) continue
    created.push(...columns)
    const isMutable = field.isWritable && !field.isImmutable
    // No update changes an id, or a tenant.
    const kept = [...id.columns, resource.tenantColumn]
    if (isMutable) updated.push(...columns.filter((column) => !kept.includes(column)))
  }
  const need = (privilege: Privilege, columns: readonly string[]): Need => {
    return { type, table, privilege, columns }
  }
  if (!isWritable) return [need('select', read)]
  return [
    need('select', read),
    { ...need('insert', created), sent: ids.fromClient === 'required' ? id.columns : [] },
    need('update', updated),
    ...(softDelete === undefined ? [need('delete', [id.columns[0]])] : []),
  ]
}

function listJoinTableNeeds(resource: ResourceType): Need[] {
  const { type } = resource
  return listRelationships(resource).flatMap((field): Need[] => {
    if (field.link.foreignKey !== 'join table') return []
    const { joinTable: table, from, to } = field.link
    const columns = [...from, ...to]
    const privileges: readonly Privilege[] = field.isWritable
      ? ['select', 'insert', ...(field.isImmutable ? [] : (['delete'] as const))]
      : ['select']
    return privileges.map((privilege) => ({ type, table, privilege, columns }))
  })
}
