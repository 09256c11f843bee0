import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { type Codec, getCodec } from '../../model/kinds/codecs.ts'
import { sqlite } from '../database.ts'

/** Whether the value of a column is a part of an id, by the codec of the part. */
const tests: Readonly<Record<string, (column: Sql) => Sql>> = {
  id: (column) => sql`typeof(${column}) = 'integer'`,
  text: (column) => sql`typeof(${column}) = 'text'`,
  enumerationId: (column) => sql`typeof(${column}) = 'text'`,
  booleanId: (column) => sql`ifnull(${column} in (0, 1), 0)`,
  uuidId: (column) =>
    sql`ifnull(lapidary_is_valid(${column}, 'uuid') and ${column} = lower(${column}), 0)`,
  databaseTextId: (column) => sql`typeof(${column}) in ('integer', 'real', 'text')`,
  date: (column) => sql`ifnull(lapidary_is_valid(${column}, 'date') and length(${column}) = 10, 0)`,
}

/** The codecs of ids by those of attributes. All others are the same. */
const idCodecs: Readonly<Record<string, string>> = {
  integer: 'id',
  integer64: 'id',
  boolean: 'booleanId',
  uuid: 'uuidId',
  enumeration: 'enumerationId',
  databaseText: 'databaseTextId',
}

/** Compiles whether the value of a column is a part of an id. Null is none. @param codec - that of the id, or of an attribute */
export function isIdPart(codec: Codec, column: Sql): Sql {
  const { valid } = getCodec(codec, sqlite)
  const test = typeof codec === 'string' ? tests[idCodecs[codec] ?? codec] : undefined
  return test?.(column) ?? sql`${valid?.(column) ?? column} is not null`
}
