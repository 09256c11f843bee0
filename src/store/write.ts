import { sql } from 'kysely'
import type { Dialect } from '../model/dialect.ts'
import { type Model, relationshipOf, typeNamed } from '../model/model.ts'
import type { LinkChange, WriteShape } from '../plan/body.ts'
import { columnAt, tableAt } from './filter.ts'
import { idText } from './select.ts'
import { list, one, type Statement, statement } from './statement.ts'

/** All statements a write of the shape needs. */
export interface CompiledWrite {
  /** Makes the row and returns its id. */
  readonly insert: Statement
  /** Changes the row's own columns; `undefined` when none is to change. */
  readonly update: Statement | undefined
  /** For each link of the shape, the statements that change it; they take the row's id and the others' `ids`. */
  readonly links: readonly (readonly Statement[])[]
}

/** Writes the SQL of a create or an update. Slot n is the value of the shape's column n. */
export function compileWrite(shape: WriteShape, model: Model, dialect: Dialect): CompiledWrite {
  const { table, id } = typeNamed(model, shape.type)
  const names = shape.columns.map(({ column }) => sql.id(column))
  const values = shape.columns.map(({ form }, slot) => one(slot, form, dialect))
  const returning = sql`returning ${idText(sql.id(id.column), dialect)}`
  const row =
    names.length === 0
      ? sql`default values`
      : sql`(${sql.join(names)}) values (${sql.join(values)})`
  const pairs = names.map((name, index) => sql`${name} = ${values[index]}`)
  const isIt = sql`${sql.id(id.column)} = ${one('id', id.kind.form, dialect)}`
  return {
    insert: statement(sql`insert into ${sql.id(table)} ${row} ${returning}`, dialect),
    update:
      pairs.length === 0
        ? undefined
        : statement(sql`update ${sql.id(table)} set ${sql.join(pairs)} where ${isIt}`, dialect),
    links: shape.links.map((change) => compileLink(shape.type, change, model, dialect)),
  }
}

/** Writes the SQL of a deletion. */
export function compileDelete(type: string, model: Model, dialect: Dialect): Statement {
  const { table, id } = typeNamed(model, type)
  const isIt = sql`${sql.id(id.column)} = ${one('id', id.kind.form, dialect)}`
  return statement(sql`delete from ${sql.id(table)} where ${isIt}`, dialect)
}

/** Writes the SQL that tells which of a type's `ids` are there. */
export function compileLookup(type: string, model: Model, dialect: Dialect): Statement {
  const { table, id } = typeNamed(model, type)
  const column = columnAt(0, id.column)
  const among = dialect.inList(column, list('ids', id.kind.form, dialect))
  return statement(
    sql`select ${idText(column, dialect)} from ${tableAt(0, table)} where ${among}`,
    dialect,
  )
}

function compileLink(
  type: string,
  { relationship, change }: LinkChange,
  model: Model,
  dialect: Dialect,
): Statement[] {
  const resource = typeNamed(model, type)
  const field = relationshipOf(resource, relationship)
  if (field === undefined) throw new Error(`${type} has no relationship ${relationship}.`)
  const target = typeNamed(model, field.to)
  const self = one('id', resource.id.kind.form, dialect)
  const ids = list('ids', target.id.kind.form, dialect)
  if (field.link.key === 'here') {
    const key = sql.id(field.link.here)
    const isHers = sql`${sql.id(resource.id.column)} = ${self} and ${dialect.inList(key, ids)}`
    return [
      statement(sql`update ${sql.id(resource.table)} set ${key} = null where ${isHers}`, dialect),
    ]
  }
  const table = sql.id(target.table)
  const key = sql.id(field.link.there)
  const among = dialect.inList(sql.id(target.id.column), ids)
  const link = sql`update ${table} set ${key} = ${self} where ${among} and not (${dialect.same(key, self)})`
  const unlink = (which: typeof among) =>
    sql`update ${table} set ${key} = null where ${key} = ${self} and ${which}`
  const statements = {
    add: [link],
    remove: [unlink(among)],
    replace: [unlink(sql`not (${among})`), link],
  } as const
  return statements[change].map((expression) => statement(expression, dialect))
}
