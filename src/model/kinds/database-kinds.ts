import { type Json, serializeJson } from './json.ts'
import { readJson } from './json-values.ts'
import type { Kind } from './kinds.ts'
import { readString } from './texts.ts'

/**
 * A value of any type of the database, as the text in which the database prints and reads it: an interval, a range, an address, a
 * point. Filters test whether that text is equal. The database checks a value when it is written, and rejects it with 422.
 */
export const databaseText: Kind<string, 'plain'> = {
  name: 'databaseText',
  comparesAs: 'databaseText',
  operators: 'plain',
  readBody: readString,
  readFilterValue: readString,
  readFilterText: readString,
  serialize: JSON.stringify,
  schema: { type: 'string' },
  codec: 'databaseText',
}

/**
 * A value of any type of the database as the JSON to which the database converts it: a row of a composite type, an `hstore`, an array
 * of either. It cannot be written, because the database does not convert it back. Filters can only test for null.
 */
export const databaseJson: Kind<Json, 'opaque'> = {
  name: 'databaseJson',
  comparesAs: 'databaseJson',
  operators: 'opaque',
  isReadOnly: true,
  readBody: readJson,
  readFilterValue: () => ({ expected: 'null' }),
  readFilterText: () => ({ expected: 'null' }),
  serialize: serializeJson,
  schema: { type: ['object', 'array', 'string', 'number', 'boolean'] },
  codec: 'databaseJson',
}
