import { databaseText } from './database-kinds.ts'
import { type Kind, kinds } from './kinds.ts'
import { readMixedKey } from './mixed-keys.ts'
import type { ReadResult } from './value-result.ts'

/** The names of the kinds that a column of an id can have. Their values are texts with one spelling each. */
const idKindNames =
  /^(?:id|uuid|text|enumeration|boolean|decimal|date|time|datetime(?: as .*)?|databaseText)$/

/** The kinds that a column of an id can have, besides 64-bit integers, for messages. */
export const describedIdKinds =
  'uuid, text, enumeration, boolean, decimal, date, time, datetime, storedAs(datetime, …), databaseText'

/** Whether a column of an id can have a kind. */
export function isIdKind({ name }: Kind<string>): boolean {
  return idKindNames.test(name)
}

/** Booleans as the texts that ids have. */
const booleanId: Kind<string> = {
  ...kinds.boolean,
  readBody: readBooleanText,
  readFilterValue: readBooleanText,
  readFilterText: readBooleanText,
  serialize: JSON.stringify,
  schema: { type: 'string', enum: ['true', 'false'] },
  codec: 'booleanId',
}

function readBooleanText(json: unknown): ReadResult<string> {
  return json === 'true' || json === 'false' ? { value: json } : { expected: '"true" or "false"' }
}

/** Numbers and texts of one column, in the order in which the database sorts them. */
const databaseTextId: Kind<string> = {
  ...databaseText,
  operators: 'ordered',
  readBody: readMixedKey,
  readFilterValue: readMixedKey,
  readFilterText: readMixedKey,
  codec: 'databaseTextId',
}

/** Converts the kind of a column of an id to one whose values are texts. */
export function toIdKind(kind: Kind<unknown> | undefined): Kind<string> {
  switch (kind?.codec) {
    case undefined:
    case 'integer':
      return kinds.id
    case 'boolean':
      return booleanId
    case 'databaseText':
      return databaseTextId
    default: {
      // The startup check reports other kinds whose values are not strings.
      const own = kind as Kind<string>
      // An index finds UUIDs only in the spelling that the server generates.
      if (own.codec === 'uuid') return { ...own, codec: 'uuidId' }
      return own.codec === 'enumeration' ? { ...own, codec: 'enumerationId' } : own
    }
  }
}
