import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import {
  getRelationship,
  getResourceType,
  type Link,
  type RelationshipField,
  type ResourceType,
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
  matchesTargetId,
  type Target,
  tableAt,
  tableName,
  targetId,
} from './tables.ts'

/** All statements a write of the shape needs. */
export interface CompiledWrite {
  /** Makes the row and returns its id; `undefined` where the row is there. */
  readonly insert: Statement | undefined
  /** Changes the row's own columns; `undefined` when none is to change. */
  readonly update: Statement | undefined
  /** For each link of the shape, the statements that change it; they take the row's id and the others' `ids`. */
  readonly links: readonly (readonly Statement[])[]
  /** Links the resource in the path, whose id they take, to the new one among `ids`. */
  readonly parent: readonly Statement[]
}

/** Writes the SQL of a create or an update. Slot n is the value of the shape's column n. */
export function compileWrite(shape: WriteShape, target: Target): CompiledWrite {
  const resource = getResourceType(target.model, shape.type)
  const { parent } = shape
  const { lastInsertId } = target.dialect
  const linking = shape.row === 'new' ? { ...target, insertedRow: lastInsertId } : target
  return {
    insert: shape.row === 'existing' ? undefined : compileInsert(shape, resource, target),
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
  const columns: [name: string, value: Sql][] = [
    ...(shape.row === 'newWithId'
      ? [[id.column, param('id', id.kind.codec, target.dialect)] as [string, Sql]]
      : []),
    ...assignments(shape, resource, target),
    ...insertDefaults.map(([name, value]): [string, Sql] => [
      name,
      sql`${constant(value, target.dialect)}`,
    ]),
  ]
  const made = asText(sql.id(id.column), id.kind.codec, target)
  const isMade = shape.row === 'new' ? target.dialect.lastInsertId : undefined
  const returning = isMade?.retain(made) ?? made
  const names = sql.join(columns.map(([name]) => sql.id(name)))
  const values = sql.join(columns.map(([, value]) => value))
  const row = columns.length === 0 ? sql`default values` : sql`(${names}) values (${values})`
  return compileStatement(
    sql`insert into ${tableName(table)} ${row} returning ${returning}`,
    target.dialect,
  )
}

function compileUpdate(shape: WriteShape, resource: ResourceType, target: Target): Statement {
  const pairs = assignments(shape, resource, target).map(([name, value], index) => {
    const kept = retainedKey(shape.columns[index], resource, target)
    return sql`${sql.id(name)} = ${kept ? sql`coalesce(${value}, ${kept})` : value}`
  })
  const which = matchesTargetId(resource, 0, target)
  return compileStatement(
    sql`update ${tableAt(0, resource.table)} set ${sql.join(pairs)} where ${which}`,
    target.dialect,
  )
}

/**
 * The key of a row of `t0` if it leads to a row that is none of the relationship's type. Such a key is told as null, so a
 * resource that is sent back as it was told must not clear it; `undefined` where there can be none.
 */
function retainedKey(
  column: WriteColumn | undefined,
  resource: ResourceType,
  { model }: Target,
): Sql | undefined {
  if (column?.is !== 'key') return undefined
  const { link, to } = getRelationship(resource, column.relationship)
  const other = getResourceType(model, to)
  if (other.scope === undefined) return undefined
  const there = columnAt(1, link.otherKey)
  const isLinked = sql`${there} = ${columnAt(0, link.ownKey)}`
  const isStranger = sql`(${and(inScope(1, other))}) is not true`
  return sql`(select ${there} from ${tableAt(1, other.table)} where ${isLinked} and ${isStranger})`
}

/** Each column that is written, with its value. */
function assignments(
  { columns }: WriteShape,
  resource: ResourceType,
  target: Target,
): [name: string, value: Sql][] {
  return columns.map((column, slot) => assignment(column, slot, resource, target))
}

function assignment(
  column: WriteColumn,
  slot: number,
  resource: ResourceType,
  target: Target,
): [name: string, value: Sql] {
  switch (column.is) {
    case 'attribute': {
      const field = getAttribute(resource, column.name)
      if (field.column === undefined) throw new Error(`${field.name} has no column to write.`)
      return [field.column, assignedParam(slot, field.kind.codec, target.dialect)]
    }
    case 'key': {
      const { link, to } = getRelationship(resource, column.relationship)
      return [link.ownKey, keyFrom(getResourceType(target.model, to), link.otherKey, slot, target)]
    }
    case 'parent': {
      const parent = getResourceType(target.model, column.type)
      const { link } = getRelationship(parent, column.relationship)
      return [link.otherKey, keyFrom(parent, link.ownKey, slot, target)]
    }
  }
}

/** What a key that refers to a column holds for the resource whose id is given. */
function keyFrom(
  { id, table }: ResourceType,
  column: string,
  source: ParameterSource,
  target: Target,
): Sql {
  const itsId =
    source === 'id' ? targetId(id, target) : param(source, id.kind.codec, target.dialect)
  if (column === id.column) return itsId
  const which = sql`${columnAt(1, id.column)} = ${itsId}`
  return sql`(select ${columnAt(1, column)} from ${tableAt(1, table)} where ${which})`
}

/** Writes the SQL of a deletion. */
export function compileDelete(resource: ResourceType, target: Target): Statement {
  const which = and([matchesTargetId(resource, 0, target), ...inScope(0, resource)])
  return compileStatement(
    sql`delete from ${tableAt(0, resource.table)} where ${which}`,
    target.dialect,
  )
}

/** Writes the SQL that tells which of a type's `ids` are there. */
export function compileLookup(resource: ResourceType, target: Target): Statement {
  const { table, id } = resource
  const ids = listParam('ids', id.kind.codec, target.dialect)
  const among = target.dialect.inList(columnAt(0, id.column), ids)
  const where = and([among, ...inScope(0, resource)])
  return compileStatement(
    sql`select ${idColumn(resource, target)} from ${tableAt(0, table)} where ${where}`,
    target.dialect,
  )
}

/** The two sides of a link that is changed. */
interface Sides<L extends Link = Link> {
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
  const changes = changesOf(resource, field, target)
  return changes[change].map((expression) => compileStatement(expression, target.dialect))
}

function changesOf(
  resource: ResourceType,
  { to, link }: RelationshipField,
  target: Target,
): Changes {
  const sides = { resource, other: getResourceType(target.model, to), link }
  if (link.foreignKey === 'join table') return joinChanges({ ...sides, link }, target)
  return link.foreignKey === 'own' ? keyHereChanges(sides, target) : keyThereChanges(sides, target)
}

type Changes = Readonly<Record<LinkChange['change'], readonly Sql[]>>

/** The row's own key; setting it is a matter of the row's columns. */
function keyHereChanges({ resource, other, link }: Sides, target: Target): Changes {
  const among = amongIds(columnAt(0, link.ownKey), other, link.otherKey, target)
  const isHers = sql`${matchesTargetId(resource, 0, target)} and ${among}`
  const clear = sql`update ${tableAt(0, resource.table)} set ${sql.id(link.ownKey)} = null where ${isHers}`
  return { add: [], remove: [clear], replace: [] }
}

/** The others' key; those that are none of their type are left alone. Returns the ids of those that could become none. */
function keyThereChanges({ resource, other, link }: Sides, target: Target): Changes {
  const table = tableAt(0, other.table)
  const [name, key] = [sql.id(link.otherKey), columnAt(0, link.otherKey)]
  const self = keyFrom(resource, link.ownKey, 'id', target)
  const ids = listParam('ids', other.id.kind.codec, target.dialect)
  const among = target.dialect.inList(columnAt(0, other.id.column), ids)
  const id = asText(sql.id(other.id.column), other.id.kind.codec, target)
  const returning = other.scope ? sql` returning ${id}` : sql``
  const add = sql`update ${table} set ${name} = ${self} where ${among} and not (${target.dialect.nullSafeEquals(key, self)})${returning}`
  const unlink = (which: Sql) =>
    sql`update ${table} set ${name} = null where ${and([sql`${key} = ${self}`, which, ...inScope(0, other)])}${returning}`
  return {
    add: [add],
    remove: [unlink(among)],
    replace: [unlink(sql`not (${among})`), add],
  }
}

/** Rows of the join table: one for each link, none twice; what else stands in them is left alone. */
function joinChanges(
  { resource, other, link }: Sides<Extract<Link, { foreignKey: 'join table' }>>,
  target: Target,
): Changes {
  const table = tableName(link.joinTable)
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  const self = keyFrom(resource, link.ownKey, 'id', target)
  const ids = listParam('ids', other.id.kind.codec, target.dialect)
  const there = columnAt(0, link.otherKey)
  const among = target.dialect.inList(columnAt(0, other.id.column), ids)
  const theirs = (which: readonly Sql[]) =>
    sql`select ${there} from ${tableAt(0, other.table)} where ${and(which)}`
  const isLinked = sql`select 1 from ${table} where ${from} = ${self} and ${to} = ${there}`
  const add = sql`insert into ${table} (${from}, ${to}) select ${self}, ${there} from ${tableAt(0, other.table)} where ${among} and not exists (${isLinked})`
  const unlink = (which: readonly Sql[]) =>
    sql`delete from ${table} where ${from} = ${self} and ${to} in (${theirs(which)})`
  const ofType = inScope(0, other)
  return {
    add: [add],
    remove: [unlink([among, ...ofType])],
    replace: [unlink([sql`not (${among})`, ...ofType]), add],
  }
}

/** Whether a key that refers to a column of others is that of one of `ids`, which is of their type. */
function amongIds(key: Sql, other: ResourceType, column: string, { dialect }: Target): Sql {
  const ids = listParam('ids', other.id.kind.codec, dialect)
  if (column === other.id.column && other.scope === undefined) return dialect.inList(key, ids)
  const which = and([dialect.inList(columnAt(1, other.id.column), ids), ...inScope(1, other)])
  return sql`${key} in (select ${columnAt(1, column)} from ${tableAt(1, other.table)} where ${which})`
}
