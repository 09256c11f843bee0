import { sql } from 'kysely'
import type { Dialect, LastInsertId, Sql } from '../model/dialect.ts'
import { type Codec, getCodec } from '../model/kinds/codecs.ts'
import {
  type AttributeField,
  findPath,
  type IdField,
  type KeyColumns,
  type Model,
  type ResourceType,
  type StoredValue,
  type Table,
} from '../model/model.ts'
import type { RowRules } from '../plan/access/identity.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { asTypedKeys, idPartParams, isEqualKey, joinIdParts, toKey } from './keys/keys.ts'
import type { ReportInvalidValue } from './read/invalid-value-report.ts'
import { castValue } from './statement.ts'

/** How much linkage a statement may return, as numbers of ids. It returns one more if there is more. */
export interface LinkageLimit {
  /** Of one resource and one relationship, where the statement looks up each resource. */
  readonly perResource: number
  /** Of all resources and one relationship. */
  readonly perRelationship: number
}

/** What SQL is compiled for. */
export interface Target {
  /** The declared model, with what `serveModel` changes in it, and with the access rules of a request. */
  readonly model: Model
  readonly dialect: Dialect
  /** What the database is known to have. */
  readonly facts: DatabaseFacts
  /** Receives each stored value that is returned as null. */
  readonly reportInvalidValue: ReportInvalidValue
  /** Set if the requested resource is the row that was inserted last; absent: its id is a parameter. */
  readonly insertedRow?: LastInsertId | undefined
  /** Absent: the linkage is complete. */
  readonly linkageLimit?: LinkageLimit | undefined
  /** The rules that the scopes of the model contain, and the target without them; absent: there are none. */
  readonly access?: Readonly<{ rules: RowRules; unrestricted: Target }>
}

/** Compiles the name of a table, with its schema if one is declared. */
export function tableName({ schema, name }: Table): Sql {
  return schema === undefined ? sql`${sql.id(name)}` : sql`${sql.id(schema, name)}`
}

/** Compiles a table with the alias `t<depth>`. */
export function tableAt(depth: number, table: Table): Sql {
  return sql`${tableName(table)} as ${sql.id(`t${depth}`)}`
}

/** Compiles a column of the table `t<depth>`. */
export function columnAt(depth: number, column: string): Sql {
  return sql`${sql.id(`t${depth}`)}.${sql.id(column)}`
}

/** Compiles the columns of a key of the table `t<depth>`. */
export function columnsAt(depth: number, columns: KeyColumns): Sql[] {
  return columns.map((column) => columnAt(depth, column))
}

/** Compiles a key of the table `t<depth>` as one operand. */
export function keyAt(depth: number, columns: KeyColumns): Sql {
  return toKey(columnsAt(depth, columns))
}

/** Compiles the join table of the table `t<depth>`, with the alias `j<depth>`. */
export function joinAt(depth: number, table: Table): Sql {
  return sql`${tableName(table)} as ${sql.id(`j${depth}`)}`
}

/** Compiles a column of the join table `j<depth>`. */
export function joinColumnAt(depth: number, column: string): Sql {
  return sql`${sql.id(`j${depth}`)}.${sql.id(column)}`
}

/** Compiles an attribute of the table `t<depth>`. */
export function fieldAt(depth: number, field: AttributeField, { dialect }: Target): Sql {
  return field.expression((column) => columnAt(depth, column), dialect)
}

/**
 * Compiles an attribute as filters and sorts see it: null where its stored value is returned as null because it does not belong
 * to its kind. A lenient attribute is compared as it is stored, which an index serves, unless its comparison key would be an error.
 */
export function validValue(
  value: Sql,
  { kind, invalidValues }: AttributeField,
  { dialect }: Target,
): Sql {
  if (invalidValues === 'error') return value
  const { key, valid } = getCodec(kind.codec, dialect)
  const isComparable = key === undefined || key.acceptsAll === true
  return invalidValues === 'lenient' && isComparable ? value : (valid?.(value) ?? value)
}

/** Compiles a value of a layout from the table `t<depth>`. */
export function storedValueAt(
  depth: number,
  resource: ResourceType,
  value: Exclude<StoredValue, { count: string }>,
  target: Target,
): Sql {
  if ('column' in value) return columnAt(depth, value.column)
  if ('versionOf' in value) return target.dialect.versionOf(columnsAt(depth, value.versionOf))
  return fieldAt(depth, getAttribute(resource, value.expression), target)
}

/** Returns an attribute by its name; `id` is the id, and a path into JSON has the name that it has in filters. */
export function getAttribute(resource: ResourceType, name: string): AttributeField {
  const field =
    name === 'id' ? resource.id : (resource.fields.get(name) ?? findPath(resource, name))
  if (field?.is !== 'attribute') throw new Error(`${resource.type} has no attribute ${name}.`)
  return field
}

/** Compiles the key by which an expression is compared. */
export function comparisonKey(expression: Sql, codec: Codec, { dialect }: Target): Sql {
  return getCodec(codec, dialect).key?.of(expression) ?? expression
}

/** Compiles the key by which an expression is sorted: texts are sorted by code point. */
export function sortKey(expression: Sql, codec: Codec, target: Target): Sql {
  const key = comparisonKey(expression, codec, target)
  return getCodec(codec, target.dialect).order?.(key) ?? key
}

/** Compiles the id of `t0` as the value of a row. */
export function idColumn({ id }: ResourceType, target: Target): Sql {
  return asId(columnsAt(0, id.columns), id, target)
}

/** Compiles columns that contain an id, or reference one, as the value of a row: as text, unless the driver returns it exactly. */
export function asId(columns: readonly Sql[], id: IdField, target: Target): Sql {
  const isExact = columns.length === 1 && getCodec(id.kind.codec, target.dialect).isExact
  return isExact ? toKey(columns) : asIdText(columns, id, target)
}

/** Compiles columns that contain an id, or reference one, as its text. */
export function asIdText(
  columns: readonly Sql[],
  id: IdField,
  target: Pick<Target, 'dialect'>,
): Sql {
  if (columns.length > 1) return joinIdParts(columns, id, target.dialect)
  const key = toKey(columns)
  return getCodec(id.kind.codec, target.dialect).idText?.(key) ?? key
}

/** Compiles the columns of an id as sort keys. */
export function idSortKeys(columns: readonly Sql[], { parts }: IdField, target: Target): Sql[] {
  return columns.map((column, index) => sortKey(column, parts[index]?.kind.codec ?? 'id', target))
}

/** Compiles the order of the ids of the table `t<depth>`. */
export function idOrder(depth: number, id: IdField, target: Target): Sql {
  return sql.join(idSortKeys(columnsAt(depth, id.columns), id, target))
}

/** Compiles a key as text. */
export function asText(key: Sql, codec: Codec, { dialect }: Target): Sql {
  return getCodec(codec, dialect).select?.(key) ?? key
}

/** Compiles whether the row of `t<depth>` is the requested resource. */
export function matchesRequestedId({ id }: ResourceType, depth: number, target: Target): Sql {
  const columns = columnsAt(depth, id.columns)
  const key = target.insertedRow ? asTypedKeys(columns, id, target.dialect) : columns
  return isEqualKey(key, requestedId(id, target))
}

/** Compiles the columns of the id of the requested resource: parameters, or the id of the row that was inserted last. */
export function requestedId(id: IdField, { dialect, insertedRow }: Target): Sql[] {
  const { parts } = id
  if (insertedRow === undefined) return idPartParams('id', id, dialect)
  return parts.map(({ kind }, index) => {
    const text = parts.length === 1 ? insertedRow.retained : insertedRow.retainedPart(index)
    const { fromIdText } = getCodec(kind.codec, dialect)
    return fromIdText?.(text) ?? castValue(text, kind.codec, dialect)
  })
}

/**
 * Compiles the scope of a type; no condition if the type has none. Every statement gets the condition from here. Only lookups by the ids
 * of linkage do without it, because linkage contains rows of the type only. A further rule about which rows belong to a type has its
 * place here, and wherever code tests whether a type has a `scope`.
 * @param table - the depth of a table `t<depth>`, or the function that compiles the columns of any other table
 */
export function inScope(table: number | ((column: string) => Sql), { scope }: ResourceType): Sql[] {
  if (scope === undefined) return []
  return [sql`(${scope(typeof table === 'number' ? (column) => columnAt(table, column) : table)})`]
}

/** Compiles the scope of a type for a statement that looks up few rows of `t0` by their ids. */
export function isRowInScope(resource: ResourceType): Sql[] {
  return inScope(0, { ...resource, scope: resource.rowScope ?? resource.scope })
}

/**
 * Compiles whether the rules let the request read `t0`; no condition if there are none. A pipelined write to a row that it may not
 * read is rolled back; with this condition it takes no lock and as little time as one to a row that does not exist.
 */
export function isRowReadable(resource: ResourceType): Sql[] {
  return hasRowRules(resource) ? isRowInScope(resource) : []
}

/** Whether access rules restrict the rows of a type. */
export function hasRowRules({ rowScope }: ResourceType): boolean {
  return rowScope !== undefined
}

/** Joins conditions with `and`; `true` for none. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql.raw(' and '))
}
