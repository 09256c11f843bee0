import { sql } from 'kysely'
import { type CodecName, getCodec } from '../model/codecs.ts'
import type { Dialect, LastInsertId, Sql } from '../model/dialect.ts'
import type {
  AttributeField,
  Link,
  Model,
  ResourceType,
  StoredValue,
  Table,
} from '../model/model.ts'
import { castParam, param } from './statement.ts'

/** What SQL is written for. */
export interface Target {
  readonly model: Model
  readonly dialect: Dialect
  /** Where the resource that is meant is the one made last; when absent, a run brings its id. */
  readonly insertedRow?: LastInsertId | undefined
  /** Whether a column is the first of an index, so that a lookup in it visits few rows; absent: every column is. */
  readonly isIndexed?: ((table: Table, column: string) => boolean) | undefined
}

/** A table by its name, and its schema where one is declared. */
export function tableName({ schema, name }: Table): Sql {
  return schema === undefined ? sql`${sql.id(name)}` : sql`${sql.id(schema, name)}`
}

/** Every table of a model, those that join two among them; one may come more than once. */
export function listTables({ types }: Model): Table[] {
  return [...types.values()].flatMap(({ table, fields }) => [
    table,
    ...[...fields.values()].flatMap((field) =>
      field.is === 'relationship' && field.link.foreignKey === 'join table'
        ? [field.link.joinTable]
        : [],
    ),
  ])
}

/** A table under the name it has at a depth. */
export function tableAt(depth: number, table: Table): Sql {
  return sql`${tableName(table)} as ${sql.id(`t${depth}`)}`
}

/** The column of the table that is called `t<depth>` in the statement. */
export function columnAt(depth: number, column: string): Sql {
  return sql`${sql.id(`t${depth}`)}.${sql.id(column)}`
}

/** The join table on the way to the table at a depth. */
export function joinAt(depth: number, table: Table): Sql {
  return sql`${tableName(table)} as ${sql.id(`j${depth}`)}`
}

/** The column of the join table that is called `j<depth>` in the statement. */
export function joinColumnAt(depth: number, column: string): Sql {
  return sql`${sql.id(`j${depth}`)}.${sql.id(column)}`
}

/** Reads an attribute from the table at a depth. */
export function fieldAt(depth: number, field: AttributeField): Sql {
  return field.expression((column) => columnAt(depth, column))
}

/** Reads what a layout names from the table at a depth. */
export function storedValueAt(depth: number, resource: ResourceType, value: StoredValue): Sql {
  return 'column' in value
    ? columnAt(depth, value.column)
    : fieldAt(depth, getAttribute(resource, value.expression))
}

/** The attribute of that name, or the id. */
export function getAttribute(resource: ResourceType, name: string): AttributeField {
  const field = name === 'id' ? resource.id : resource.fields.get(name)
  if (field?.is !== 'attribute') throw new Error(`${resource.type} has no attribute ${name}.`)
  return field
}

/** An expression in the form in which it compares. */
export function comparisonKey(expression: Sql, form: CodecName, { dialect }: Target): Sql {
  return getCodec(form, dialect.name).key?.of(expression) ?? expression
}

/** An expression in the form in which it sorts: its key, by code point where it is a text. */
export function sortKey(expression: Sql, form: CodecName, target: Target): Sql {
  const key = comparisonKey(expression, form, target)
  return getCodec(form, target.dialect.name).order?.(key) ?? key
}

/** The id of `t0` as a row has it. */
export function idColumn({ id }: ResourceType, target: Target): Sql {
  return asKey(columnAt(0, id.column), id.kind.codec, target)
}

/** A key of the form as a row has it: as text, unless the driver tells it exactly. */
export function asKey(key: Sql, form: CodecName, target: Target): Sql {
  return getCodec(form, target.dialect.name).isExact ? key : asText(key, form, target)
}

/** A key of the form as text. */
export function asText(key: Sql, form: CodecName, { dialect }: Target): Sql {
  return getCodec(form, dialect.name).select?.(key) ?? key
}

/** Whether the row at a depth is the resource that is meant. */
export function matchesTargetId({ id }: ResourceType, depth: number, target: Target): Sql {
  return sql`${columnAt(depth, id.column)} = ${targetId(id, target)}`
}

/** The id of the resource that is meant: the one that a run brings, unless the target says otherwise. */
export function targetId({ kind }: AttributeField, { dialect, insertedRow }: Target): Sql {
  return insertedRow
    ? castParam(insertedRow.retained, kind.codec, dialect)
    : param('id', kind.codec, dialect)
}

/** Whether the row at a depth is one of the type: the conditions to add, none where every row is. */
export function inScope(depth: number, { scope }: ResourceType): Sql[] {
  return scope ? [sql`(${scope((column) => columnAt(depth, column))})`] : []
}

/** All conditions together; `true` for none. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql.raw(' and '))
}

/** Whether the row at a depth is linked from the one whose `here` is given. */
export function isLinkedFrom(depth: number, link: Link, here: Sql): Sql {
  const there = columnAt(depth, link.otherKey)
  if (link.foreignKey !== 'join table') return sql`${there} = ${here}`
  const from = sql`${joinColumnAt(depth, link.from)} = ${here}`
  return sql`${there} in (select ${joinColumnAt(depth, link.to)} from ${joinAt(depth, link.joinTable)} where ${from})`
}

/** Whether the row at a depth is linked from one of those whose `here` a subquery gathers. */
export function isLinkedFromAny(depth: number, link: Link, heres: Sql): Sql {
  const there = columnAt(depth, link.otherKey)
  if (link.foreignKey !== 'join table') return sql`${there} in (${heres})`
  const to = joinColumnAt(depth, link.to)
  const from = sql`${joinColumnAt(depth, link.from)} in (${heres})`
  return sql`${there} in (select ${to} from ${joinAt(depth, link.joinTable)} where ${to} is not null and ${from})`
}
