import { sql } from 'kysely'
import type { Sql } from '../model/dialect.ts'
import {
  type Link,
  type RelationshipField,
  type ResourceType,
  relationshipNamed,
  typeNamed,
} from '../model/model.ts'
import type { WriteShape } from '../plan/body.ts'
import type { LinkChange, WriteColumn } from '../plan/write-builder.ts'
import {
  assigned,
  constant,
  list,
  one,
  type Source,
  type Statement,
  statement,
} from './statement.ts'
import {
  asText,
  attributeNamed,
  columnAt,
  every,
  idOf,
  isIt,
  isOfType,
  type Target,
  tableAt,
  tableName,
  theId,
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
  const resource = typeNamed(target.model, shape.type)
  const { parent } = shape
  const { lastNew } = target.dialect
  const linking = shape.row === 'new' ? { ...target, lastNew } : target
  return {
    insert: shape.row === 'there' ? undefined : compileInsert(shape, resource, target),
    update:
      shape.row === 'there' && shape.columns.length > 0
        ? compileUpdate(shape, resource, target)
        : undefined,
    links: shape.links.map((change) => compileLink(resource, change, linking)),
    parent: parent
      ? compileLink(typeNamed(target.model, parent.type), { ...parent, change: 'add' }, target)
      : [],
  }
}

function compileInsert(shape: WriteShape, resource: ResourceType, target: Target): Statement {
  const { table, id, newRows } = resource
  const columns: [name: string, value: Sql][] = [
    ...(shape.row === 'newWithId'
      ? [[id.column, one('id', id.kind.form, target.dialect)] as [string, Sql]]
      : []),
    ...assignments(shape, resource, target),
    ...newRows.map(([name, value]): [string, Sql] => [
      name,
      sql`${constant(value, target.dialect)}`,
    ]),
  ]
  const made = asText(sql.id(id.column), id.kind.form, target)
  const isMade = shape.row === 'new' ? target.dialect.lastNew : undefined
  const returning = isMade?.keep(made) ?? made
  const names = sql.join(columns.map(([name]) => sql.id(name)))
  const values = sql.join(columns.map(([, value]) => value))
  const row = columns.length === 0 ? sql`default values` : sql`(${names}) values (${values})`
  return statement(
    sql`insert into ${tableName(table)} ${row} returning ${returning}`,
    target.dialect,
  )
}

function compileUpdate(shape: WriteShape, resource: ResourceType, target: Target): Statement {
  const pairs = assignments(shape, resource, target).map(([name, value], index) => {
    const kept = keptKey(shape.columns[index], resource, target)
    return sql`${sql.id(name)} = ${kept ? sql`coalesce(${value}, ${kept})` : value}`
  })
  const which = isIt(resource, 0, target)
  return statement(
    sql`update ${tableAt(0, resource.table)} set ${sql.join(pairs)} where ${which}`,
    target.dialect,
  )
}

/**
 * The key of a row of `t0` if it leads to a row that is none of the relationship's type. Such a key is told as null, so a
 * resource that is sent back as it was told must not clear it; `undefined` where there can be none.
 */
function keptKey(
  column: WriteColumn | undefined,
  resource: ResourceType,
  { model }: Target,
): Sql | undefined {
  if (column?.is !== 'key') return undefined
  const { link, to } = relationshipNamed(resource, column.relationship)
  const other = typeNamed(model, to)
  if (other.where === undefined) return undefined
  const there = columnAt(1, link.there)
  const isLinked = sql`${there} = ${columnAt(0, link.here)}`
  const isStranger = sql`(${every(isOfType(1, other))}) is not true`
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
      const field = attributeNamed(resource, column.name)
      if (field.column === undefined) throw new Error(`${field.name} has no column to write.`)
      return [field.column, assigned(slot, field.kind.form, target.dialect)]
    }
    case 'key': {
      const { link, to } = relationshipNamed(resource, column.relationship)
      return [link.here, keyFrom(typeNamed(target.model, to), link.there, slot, target)]
    }
    case 'parent': {
      const parent = typeNamed(target.model, column.type)
      const { link } = relationshipNamed(parent, column.relationship)
      return [link.there, keyFrom(parent, link.here, slot, target)]
    }
  }
}

/** What a key that refers to a column holds for the resource whose id is given. */
function keyFrom({ id, table }: ResourceType, column: string, source: Source, target: Target): Sql {
  const itsId = source === 'id' ? theId(id, target) : one(source, id.kind.form, target.dialect)
  if (column === id.column) return itsId
  const which = sql`${columnAt(1, id.column)} = ${itsId}`
  return sql`(select ${columnAt(1, column)} from ${tableAt(1, table)} where ${which})`
}

/** Writes the SQL of a deletion. */
export function compileDelete(resource: ResourceType, target: Target): Statement {
  const which = every([isIt(resource, 0, target), ...isOfType(0, resource)])
  return statement(sql`delete from ${tableAt(0, resource.table)} where ${which}`, target.dialect)
}

/** Writes the SQL that tells which of a type's `ids` are there. */
export function compileLookup(resource: ResourceType, target: Target): Statement {
  const { table, id } = resource
  const ids = list('ids', id.kind.form, target.dialect)
  const among = target.dialect.inList(columnAt(0, id.column), ids)
  const where = every([among, ...isOfType(0, resource)])
  return statement(
    sql`select ${idOf(resource, target)} from ${tableAt(0, table)} where ${where}`,
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
  const field: RelationshipField = relationshipNamed(resource, relationship)
  const changes = changesOf(resource, field, target)
  return changes[change].map((expression) => statement(expression, target.dialect))
}

function changesOf(
  resource: ResourceType,
  { to, link }: RelationshipField,
  target: Target,
): Changes {
  const sides = { resource, other: typeNamed(target.model, to), link }
  if (link.key === 'between') return joinChanges({ ...sides, link }, target)
  return link.key === 'here' ? keyHereChanges(sides, target) : keyThereChanges(sides, target)
}

type Changes = Readonly<Record<LinkChange['change'], readonly Sql[]>>

/** The row's own key; setting it is a matter of the row's columns. */
function keyHereChanges({ resource, other, link }: Sides, target: Target): Changes {
  const among = amongIds(columnAt(0, link.here), other, link.there, target)
  const isHers = sql`${isIt(resource, 0, target)} and ${among}`
  const clear = sql`update ${tableAt(0, resource.table)} set ${sql.id(link.here)} = null where ${isHers}`
  return { add: [], remove: [clear], replace: [] }
}

/** The others' key; those that are none of their type are left alone. Returns the ids of those that could become none. */
function keyThereChanges({ resource, other, link }: Sides, target: Target): Changes {
  const table = tableAt(0, other.table)
  const [name, key] = [sql.id(link.there), columnAt(0, link.there)]
  const self = keyFrom(resource, link.here, 'id', target)
  const ids = list('ids', other.id.kind.form, target.dialect)
  const among = target.dialect.inList(columnAt(0, other.id.column), ids)
  const id = asText(sql.id(other.id.column), other.id.kind.form, target)
  const returning = other.where ? sql` returning ${id}` : sql``
  const add = sql`update ${table} set ${name} = ${self} where ${among} and not (${target.dialect.same(key, self)})${returning}`
  const unlink = (which: Sql) =>
    sql`update ${table} set ${name} = null where ${every([sql`${key} = ${self}`, which, ...isOfType(0, other)])}${returning}`
  return {
    add: [add],
    remove: [unlink(among)],
    replace: [unlink(sql`not (${among})`), add],
  }
}

/** Rows of the join table: one for each link, none twice; what else stands in them is left alone. */
function joinChanges(
  { resource, other, link }: Sides<Extract<Link, { key: 'between' }>>,
  target: Target,
): Changes {
  const table = tableName(link.table)
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  const self = keyFrom(resource, link.here, 'id', target)
  const ids = list('ids', other.id.kind.form, target.dialect)
  const there = columnAt(0, link.there)
  const among = target.dialect.inList(columnAt(0, other.id.column), ids)
  const theirs = (which: readonly Sql[]) =>
    sql`select ${there} from ${tableAt(0, other.table)} where ${every(which)}`
  const isLinked = sql`select 1 from ${table} where ${from} = ${self} and ${to} = ${there}`
  const add = sql`insert into ${table} (${from}, ${to}) select ${self}, ${there} from ${tableAt(0, other.table)} where ${among} and not exists (${isLinked})`
  const unlink = (which: readonly Sql[]) =>
    sql`delete from ${table} where ${from} = ${self} and ${to} in (${theirs(which)})`
  const ofType = isOfType(0, other)
  return {
    add: [add],
    remove: [unlink([among, ...ofType])],
    replace: [unlink([sql`not (${among})`, ...ofType]), add],
  }
}

/** Whether a key that refers to a column of others is that of one of `ids`, which is of their type. */
function amongIds(key: Sql, other: ResourceType, column: string, { dialect }: Target): Sql {
  const ids = list('ids', other.id.kind.form, dialect)
  if (column === other.id.column && other.where === undefined) return dialect.inList(key, ids)
  const which = every([dialect.inList(columnAt(1, other.id.column), ids), ...isOfType(1, other)])
  return sql`${key} in (select ${columnAt(1, column)} from ${tableAt(1, other.table)} where ${which})`
}
