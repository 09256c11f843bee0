import { type Dialect, type Sql, sql } from '../../model/dialect.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import { splitId } from '../../model/kinds/composite-ids.ts'
import type { IdField, IdPart } from '../../model/model.ts'
import {
  binderOf,
  castParam,
  castValue,
  listParam,
  type ParameterSource,
  type Placeholder,
  param,
} from '../statement.ts'

// Keys of one or several columns. As an operand a key of one column is the column itself, and one of several columns is a row value
// `(a, b)`, which both databases compare with `=`, `<` and `in`, and look up in an index. The text of a composite id is compiled only
// where a result contains it (docs/decisions/0063).

/** Compiles the columns of a key as one operand. */
export function toKey(columns: readonly Sql[]): Sql {
  const list = sql.join(columns)
  return columns.length === 1 ? list : sql`(${list})`
}

/** Compiles whether two keys of any number of columns are equal. */
export function isEqualKey(one: readonly Sql[], other: readonly Sql[]): Sql {
  return sql`${toKey(one)} = ${toKey(other)}`
}

/**
 * Compiles the columns of the key by which a statement finds the rows of another table: `isEqualKey(key, outerKey(…))`. All joins of
 * rows by a key use it, and `exists`, which SQLite executes as a join.
 */
export function outerKey(columns: readonly Sql[], { hideColumn }: Dialect): readonly Sql[] {
  return hideColumn && columns.length > 1 ? columns.map(hideColumn) : columns
}

/** Compiles the conditions that a key is not null: that none of its columns is. */
export function isKeyPresent(columns: readonly Sql[]): Sql[] {
  return columns.map((column) => sql`${column} is not null`)
}

/** Compiles columns of a subquery with names of their own: `name`, `name1`, … */
export function nameColumns(
  name: string,
  columns: readonly Sql[],
): Readonly<{ names: readonly Sql[]; quoted: readonly Sql[]; select: Sql }> {
  const texts = columns.map((_, index) => (index === 0 ? name : `${name}${index}`))
  const names = texts.map((text) => sql.raw(text))
  return {
    names,
    quoted: texts.map((text) => sql.id(text)),
    select: sql.join(columns.map((column, index) => sql`${column} as ${names[index]}`)),
  }
}

/** Compiles the text of a composite id from its columns; null if one of them is null. */
export function joinIdParts(columns: readonly Sql[], { parts }: IdField, dialect: Dialect): Sql {
  const texts = columns.map((column, index) => {
    const { idText, hasFreeIdText } = getCodec(parts[index]?.kind.codec ?? 'id', dialect)
    if (idText === undefined) throw new Error(`${parts[index]?.column} cannot be part of an id.`)
    return hasFreeIdText ? escapePart(idText(column)) : idText(column)
  })
  return sql`(${sql.join(texts, sql.raw(` || ',' || `))})`
}

/** Escapes a text as a part of a composite id, as `joinId` does. */
const escapePart = (text: Sql): Sql => sql`replace(replace(${text}, '~', '~0'), ',', '~1')`

/** Compiles the columns of an id, or of a key that references it, for a comparison with expressions of the types of its codecs. */
export function asTypedKeys(
  columns: readonly Sql[],
  { parts }: IdField,
  dialect: Dialect,
): readonly Sql[] {
  return columns.map((column, index) => {
    const { infersType, select } = getCodec(parts[index]?.kind.codec ?? 'id', dialect)
    return infersType && select ? select(column) : column
  })
}

/** Compiles a parameter for an id; a row value of parameters for a composite id. */
export function idParam(source: ParameterSource, id: IdField, dialect: Dialect): Sql {
  const { parts, kind } = id
  return parts.length === 1
    ? param(source, kind.codec, dialect)
    : toKey(idPartParams(source, id, dialect))
}

/** Compiles a parameter for each column of an id. */
export function idPartParams(source: ParameterSource, { parts }: IdField, dialect: Dialect): Sql[] {
  return parts.map((part, index) =>
    parts.length === 1
      ? param(source, part.kind.codec, dialect)
      : castParam(placeholder(source, bindPart(part, index, dialect)), part.kind.codec, dialect),
  )
}

/** Compiles whether the columns of a key are one of the ids of a list that is a parameter. */
export function isInIdList(
  columns: readonly Sql[],
  source: ParameterSource,
  id: IdField,
  dialect: Dialect,
): Sql {
  const { parts, kind } = id
  return parts.length === 1
    ? dialect.inList(toKey(columns), listParam(source, kind.codec, dialect))
    : sql`${toKey(asTypedKeys(columns, id, dialect))} in (${selectIdList(source, id, dialect)})`
}

/** Compiles the ids of a list that is a parameter as a subquery with a column for each part of a composite id. */
export function selectIdList(source: ParameterSource, { parts }: IdField, dialect: Dialect): Sql {
  const binders = parts.map((part, index) => bindPart(part, index, dialect))
  const { bindRows } = dialect
  if (bindRows) {
    const bindList = (ids: unknown) =>
      bindRows(toIds(ids).map((text) => binders.map((bind) => bind(text))))
    return dialect.selectRows([placeholder(source, bindList)], parts.length)
  }
  const lists = binders.map((bind, index) => {
    const bindList = (ids: unknown) => dialect.bindList(toIds(ids).map(bind))
    const { codec } = parts[index]?.kind ?? { codec: 'id' }
    return castValue(placeholder(source, bindList), codec, dialect, '[]')
  })
  return dialect.selectRows(lists, parts.length)
}

function placeholder(source: ParameterSource, bind: Placeholder['bind']): Sql {
  const parameter: Placeholder = { source, bind }
  return sql`${parameter}`
}

/** Creates the function that converts an id to what the driver binds for one of its columns. */
function bindPart({ kind }: IdPart, index: number, dialect: Dialect) {
  const bind = binderOf(kind.codec, dialect)
  return (id: unknown) =>
    id === null || id === undefined ? null : bind(splitId(String(id))?.[index])
}

/** The value is a list of ids: only list operators and ids use it. */
function toIds(value: unknown): readonly unknown[] {
  return value as readonly unknown[]
}
