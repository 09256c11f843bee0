import { sql } from 'kysely'
import { isAuthValue } from '../model/access.ts'
import type { Sql } from '../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type Link,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model/model.ts'
import type { WriteShape } from '../plan/write.ts'
import type { LinkChange, WriteColumn } from '../plan/write-builder.ts'
import {
  assignedParam,
  compileStatement,
  constant,
  listParam,
  type ParameterSource,
  param,
  type Statement,
} from './statement.ts'
import {
  and,
  asText,
  columnAt,
  getAttribute,
  idColumn,
  inScope,
  matchesRequestedId,
  requestedId,
  type Target,
  tableAt,
  tableName,
} from './tables.ts'

/** The statements of a write. */
export interface CompiledWrite {
  /** Inserts the row and returns its id; `undefined` if the row exists. */
  readonly insert: Statement | undefined
  /** Whether `insert` returns the id as stored. On SQLite it does not if there are triggers. */
  readonly returnsStoredId: boolean
  /** Returns the id of the row that was inserted last, where a trigger may have changed it after `insert` returned. */
  readonly insertedId: Statement | undefined
  /** Whether a trigger may store the new row with another id than that of the plan. */
  readonly mayChangeId: boolean
  /** Updates the row's own columns; `undefined` if there are none. */
  readonly update: Statement | undefined
  /** The statements that change the members of each link of the shape; they take the row's id and the members' `ids`. */
  readonly links: readonly (readonly Statement[])[]
  /** The statements that link the resource in the path to the new row; they take its id, and the new id as `ids`. */
  readonly parent: readonly Statement[]
}

/** Compiles the statements of a create or an update. Parameter n is the value of the shape's column n. */
export function compileWrite(shape: WriteShape, target: Target): CompiledWrite {
  const resource = getResourceType(target.model, shape.type)
  const { parent } = shape
  const { lastInsertId } = target.dialect
  const linking = shape.row === 'new' ? { ...target, insertedRow: lastInsertId } : target
  const isNew = shape.row !== 'existing'
  const triggers = isNew ? target.triggersOf?.(resource.table) : undefined
  return {
    insert: isNew ? compileInsert(shape, resource, target) : undefined,
    returnsStoredId: triggers?.newId === undefined,
    insertedId:
      triggers?.newId === 'by row number' ? compileInsertedId(resource, target) : undefined,
    mayChangeId: triggers?.changes.has('insert') ?? false,
    update:
      shape.row === 'existing' && shape.columns.length > 0
        ? compileUpdate(shape, resource, target)
        : undefined,
    links: shape.links.map((change) => compileLink(resource, change, linking)),
    parent: parent
      ? compileLink(
          getResourceType(target.model, parent.type),
          { ...parent, change: 'add' },
          target,
        )
      : [],
  }
}

function compileInsert(shape: WriteShape, resource: ResourceType, target: Target): Statement {
  const { table, id, insertDefaults } = resource
  const newId = compileNewId(shape, resource, target)
  const columns: [name: string, value: Sql][] = [
    ...(newId ? [[id.column, newId] as [string, Sql]] : []),
    ...compileAssignments(shape, resource, target),
  ]
  const assigned = new Set(columns.map(([name]) => name))
  for (const [name, value] of insertDefaults)
    if (!assigned.has(name))
      columns.push([name, sql`${isAuthValue(value) ? value : constant(value, target.dialect)}`])
  const names = sql.join(columns.map(([name]) => sql.id(name)))
  const values = sql.join(columns.map(([, value]) => value))
  const row = columns.length === 0 ? sql`default values` : sql`(${names}) values (${values})`
  const returning = compileReturning(shape, resource, target)
  return compileStatement(sql`insert into ${tableName(table)} ${row}${returning}`, target.dialect)
}

/** Compiles the id that an insert sets; `undefined` if the database generates it. */
function compileNewId(
  { row }: WriteShape,
  { id, table }: ResourceType,
  { dialect, triggersOf }: Target,
): Sql | undefined {
  if (row === 'newWithId') return param('id', id.kind.codec, dialect)
  const isNext = triggersOf?.(table)?.newId === 'next integer' && id.kind.codec === 'id'
  // One transaction writes at a time, so no other can take the same id.
  return isNext
    ? sql`(select coalesce(max(${sql.id(id.column)}), 0) + 1 from ${tableName(table)})`
    : undefined
}

/** Compiles the clause with which an insert returns the id of the new row; none where a rule makes it impossible. */
function compileReturning({ row }: WriteShape, { id, table }: ResourceType, target: Target): Sql {
  if (target.triggersOf?.(table)?.silentRule !== undefined) return sql``
  const idText = asText(sql.id(id.column), id.kind.codec, target)
  const lastInsertId = row === 'new' ? target.dialect.lastInsertId : undefined
  return sql` returning ${lastInsertId?.retain(idText) ?? idText}`
}

/** Compiles the query for the id of the row that SQLite inserted last: a trigger may have changed it since. */
function compileInsertedId({ id, table }: ResourceType, target: Target): Statement {
  const idText = asText(columnAt(0, id.column), id.kind.codec, target)
  return compileStatement(
    sql`select ${idText} from ${tableAt(0, table)} where ${sql.ref('t0.rowid')} = last_insert_rowid()`,
    target.dialect,
  )
}

function compileUpdate(shape: WriteShape, resource: ResourceType, target: Target): Statement {
  const pairs = compileAssignments(shape, resource, target).map(([name, value], index) => {
    const hiddenKey = compileHiddenKey(shape.columns[index], resource, target)
    return sql`${sql.id(name)} = ${hiddenKey ? sql`coalesce(${value}, ${hiddenKey})` : value}`
  })
  const changed = compileChangedRows(resource, [matchesRequestedId(resource, 0, target)], target)
  return compileStatement(
    sql`update ${changed.table} set ${sql.join(pairs)} where ${changed.where}`,
    target.dialect,
  )
}

/**
 * Compiles the table of an update or a delete, and the condition on its rows. SQLite knows no alias for a view there, so the rows of
 * a view are found by their ids.
 * @param conditions - about `t0`
 */
function compileChangedRows(
  { table, id }: ResourceType,
  conditions: readonly Sql[],
  target: Target,
): Readonly<{ table: Sql; where: Sql }> {
  const rows = tableAt(0, table)
  const where = and(conditions)
  if (!isSqliteView(table, target)) return { table: rows, where }
  const changedIds = sql`select ${columnAt(0, id.column)} from ${rows} where ${where}`
  return { table: tableName(table), where: sql`${sql.id(id.column)} in (${changedIds})` }
}

/** Whether triggers make all changes of a table, as for a view of SQLite. */
function isSqliteView(table: Table, { triggersOf }: Target): boolean {
  return triggersOf?.(table)?.newId === 'next integer'
}

/**
 * Compiles the key of `t0` if it references a row outside of the scope of the relationship's type. Such a key is serialized as
 * null, so an update that sends the null back must not clear it (docs/decisions/0020).
 * @returns `undefined` if there is no such key
 */
function compileHiddenKey(
  column: WriteColumn | undefined,
  resource: ResourceType,
  target: Target,
): Sql | undefined {
  if (column?.is !== 'key') return undefined
  const { link, to } = getRelationship(resource, column.relationship)
  const other = getResourceType(target.model, to)
  if (other.scope === undefined) return undefined
  const otherKey = columnAt(1, link.otherKey)
  const ownKey = isSqliteView(resource.table, target)
    ? sql`${tableName(resource.table)}.${sql.id(link.ownKey)}`
    : columnAt(0, link.ownKey)
  const isLinked = sql`${otherKey} = ${ownKey}`
  const isOutOfScope = sql`(${and(inScope(1, other))}) is not true`
  return sql`(select ${otherKey} from ${tableAt(1, other.table)} where ${isLinked} and ${isOutOfScope})`
}

/** Compiles the written columns with their values. */
function compileAssignments(
  { columns }: WriteShape,
  resource: ResourceType,
  target: Target,
): [name: string, value: Sql][] {
  return columns.map((column, parameter) => compileAssignment(column, parameter, resource, target))
}

function compileAssignment(
  column: WriteColumn,
  parameter: number,
  resource: ResourceType,
  target: Target,
): [name: string, value: Sql] {
  switch (column.is) {
    case 'attribute': {
      const field = getAttribute(resource, column.name)
      if (field.column === undefined) throw new Error(`${field.name} has no column to write.`)
      return [field.column, assignedParam(parameter, field.kind.codec, target.dialect)]
    }
    case 'key': {
      const { link, to } = getRelationship(resource, column.relationship)
      return [
        link.ownKey,
        compileKey(getResourceType(target.model, to), link.otherKey, parameter, target),
      ]
    }
    case 'parent': {
      const parent = getResourceType(target.model, column.type)
      const { link } = getRelationship(parent, column.relationship)
      return [link.otherKey, compileKey(parent, link.ownKey, parameter, target)]
    }
  }
}

/** Compiles the key that references a column of the resource with an id. @param source - the parameter of the id */
export function compileKey(
  { id, table }: ResourceType,
  column: string,
  source: ParameterSource,
  target: Target,
): Sql {
  const idParam =
    source === 'id' ? requestedId(id, target) : param(source, id.kind.codec, target.dialect)
  if (column === id.column) return idParam
  const where = sql`${columnAt(1, id.column)} = ${idParam}`
  return sql`(select ${columnAt(1, column)} from ${tableAt(1, table)} where ${where})`
}

/** Compiles the deletion of a resource: of its row, or by the column that stores when it was deleted. */
export function compileDelete(resource: ResourceType, target: Target): Statement {
  const { softDelete } = resource
  const { dialect } = target
  const conditions = [matchesRequestedId(resource, 0, target), ...inScope(0, resource)]
  const { table, where } = compileChangedRows(resource, conditions, target)
  const change =
    softDelete === undefined
      ? sql`delete from ${table}`
      : sql`update ${table} set ${sql.id(softDelete)} = ${dialect.now}`
  return compileStatement(sql`${change} where ${where}`, dialect)
}

/** Compiles the query that returns which of some `ids` exist. */
export function compileLookup(resource: ResourceType, target: Target): Statement {
  const { table, id } = resource
  const ids = listParam('ids', id.kind.codec, target.dialect)
  const hasId = target.dialect.inList(columnAt(0, id.column), ids)
  const where = and([hasId, ...inScope(0, resource)])
  return compileStatement(
    sql`select ${idColumn(resource, target)} from ${tableAt(0, table)} where ${where}`,
    target.dialect,
  )
}

/** A link whose members are changed, and its two types. */
interface ChangedLink<L extends Link = Link> {
  readonly resource: ResourceType
  readonly other: ResourceType
  readonly link: L
}

function compileLink(
  resource: ResourceType,
  { relationship, change }: LinkChange,
  target: Target,
): Statement[] {
  const field: RelationshipField = getRelationship(resource, relationship)
  const changes = compileChanges(resource, field, target)
  return changes[change].map((expression) => compileStatement(expression, target.dialect))
}

function compileChanges(
  resource: ResourceType,
  { to, link }: RelationshipField,
  target: Target,
): Changes {
  const changed = { resource, other: getResourceType(target.model, to), link }
  if (link.foreignKey === 'join table') return compileJoinTableChanges({ ...changed, link }, target)
  return link.foreignKey === 'own'
    ? compileOwnKeyChanges(changed, target)
    : compileOtherKeyChanges(changed, target)
}

type Changes = Readonly<Record<LinkChange['change'], readonly Sql[]>>

/** Compiles the changes of the row's own key. Setting it is part of the update of the row. */
function compileOwnKeyChanges({ resource, other, link }: ChangedLink, target: Target): Changes {
  const isMember = compileIsMember(columnAt(0, link.ownKey), other, link.otherKey, target)
  const conditions = [matchesRequestedId(resource, 0, target), isMember]
  const { table, where } = compileChangedRows(resource, conditions, target)
  const clear = sql`update ${table} set ${sql.id(link.ownKey)} = null where ${where}`
  return { add: [], remove: [clear], replace: [] }
}

/**
 * Compiles the changes of the other rows' key. Rows outside of their type's scope are not changed. If the type has a scope, the
 * statements return the ids of the changed rows, which may no longer match it.
 */
function compileOtherKeyChanges({ resource, other, link }: ChangedLink, target: Target): Changes {
  const [name, key] = [sql.id(link.otherKey), columnAt(0, link.otherKey)]
  const self = compileKey(resource, link.ownKey, 'id', target)
  const ids = listParam('ids', other.id.kind.codec, target.dialect)
  const isMember = target.dialect.inList(columnAt(0, other.id.column), ids)
  const id = asText(sql.id(other.id.column), other.id.kind.codec, target)
  const returning = other.scope || target.access ? sql` returning ${id}` : sql``
  const update = (value: Sql, conditions: readonly Sql[]) => {
    const { table, where } = compileChangedRows(other, conditions, target)
    return sql`update ${table} set ${name} = ${value} where ${where}${returning}`
  }
  const isNew = sql`not (${target.dialect.nullSafeEquals(key, self)})`
  const add = update(self, [isMember, isNew])
  const unlink = (condition: Sql) =>
    update(sql`null`, [sql`${key} = ${self}`, condition, ...inScope(0, other)])
  return {
    add: [add],
    remove: [unlink(isMember)],
    replace: [unlink(sql`not (${isMember})`), add],
  }
}

/** Compiles the changes of the join table: one row for each member, without duplicates. Other columns are not changed. */
function compileJoinTableChanges(
  { resource, other, link }: ChangedLink<Extract<Link, { foreignKey: 'join table' }>>,
  target: Target,
): Changes {
  const table = tableName(link.joinTable)
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  const self = compileKey(resource, link.ownKey, 'id', target)
  const ids = listParam('ids', other.id.kind.codec, target.dialect)
  const otherKey = columnAt(0, link.otherKey)
  const isMember = target.dialect.inList(columnAt(0, other.id.column), ids)
  const otherKeys = (conditions: readonly Sql[]) =>
    sql`select ${otherKey} from ${tableAt(0, other.table)} where ${and(conditions)}`
  const isLinked = sql`select 1 from ${table} where ${from} = ${self} and ${to} = ${otherKey}`
  const add = sql`insert into ${table} (${from}, ${to}) select ${self}, ${otherKey} from ${tableAt(0, other.table)} where ${isMember} and not exists (${isLinked})`
  const unlink = (conditions: readonly Sql[]) =>
    sql`delete from ${table} where ${from} = ${self} and ${to} in (${otherKeys(conditions)})`
  const ofType = inScope(0, other)
  return {
    add: [add],
    remove: [unlink([isMember, ...ofType])],
    replace: [unlink([sql`not (${isMember})`, ...ofType]), add],
  }
}

/** Compiles whether a key references a row of a type with one of `ids`. */
function compileIsMember(key: Sql, other: ResourceType, column: string, { dialect }: Target): Sql {
  const ids = listParam('ids', other.id.kind.codec, dialect)
  if (column === other.id.column && other.scope === undefined) return dialect.inList(key, ids)
  const where = and([dialect.inList(columnAt(1, other.id.column), ids), ...inScope(1, other)])
  return sql`${key} in (select ${columnAt(1, column)} from ${tableAt(1, other.table)} where ${where})`
}
