import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Catalog } from 'lapidary'
import { suggestName } from '../../process/suggest-name.ts'
import {
  constant,
  decimalKind,
  integer64,
  type KindRule,
  readOnly,
} from '../introspect/kind-code.ts'
import type { CommandDatabase } from './command-database.ts'

/** The number of decimal digits that a double, the only type for fractions, stores exactly. */
const exactDigits = 15

// biome-ignore format: one rule per row
const kinds: readonly KindRule[] = [
  [/^bool/,                                                        () => constant('boolean')],
  [/^(?:datetime|timestamp)/,                                      () => constant('datetime')],
  [/^date$/,                                                       () => constant('date')],
  [/^time(?:\(\d\))?$/,                                            () => constant('time')],
  [/^(?:uuid|guid|uniqueidentifier)$/,                             () => constant('uuid')],
  [/^jsonb?$/,                                                     () => constant('json')],
  [/^(?:bigint|int8|int64|long|unsigned big int)(?:\(\d+\))?$/,    () => integer64],
  [/^(?:real|float|double)/,                                       () => constant('number')],
  [/^(?:decimal|numeric|number)\((\d+)(?:,(\d+))?\)$/,             ([digits = '', scale]) =>
    Number(digits) <= exactDigits ? decimalKind(digits, scale) : constant('number')],
  [/^(?:decimal|numeric|number|money)$/,                           () => constant('number')],
  [/^(?:tiny|small|medium|unsigned )?int(?:eger)?\d?(?:\(\d+\))?(?: unsigned)?$/, () => constant('integer')],
  [/^(?:.*(?:char|clob|text).*)$/,                                 () => constant('text')],
  [/blob|^(?:var)?binary/,                                         () => constant('bytes')],
  // Further names of integers and floating-point numbers, by their affinity.
  [/\b(?:tiny|small|medium|big)?int(?:eger)?\d*\b/,               () => integer64],
  [/real|floa|doub/,                                               () => constant('number')],
  // Unknown types, which say nothing about the values. `inspectCatalog` chooses by the values.
  [/^.+$/,                                                         () => readOnly('databaseText')],
]

/** What the commands know of SQLite. */
export const sqlite: CommandDatabase = {
  title: 'SQLite',
  readCatalog: (url) => readFile(toPath(url)),
  async sample(url, requests) {
    const { sampleSqlite } = await import('lapidary/sqlite')
    return sampleSqlite(toPath(url), requests)
  },
  describeMain(url, folder) {
    const path = toPath(url)
    return {
      open: 'openSqlite',
      module: 'lapidary/sqlite',
      variable: 'DATABASE_FILE',
      default: isAbsolute(path) ? path : relative(folder, resolve(path)).replaceAll('\\', '/'),
    }
  },
  packages: [],
  kinds,
  storesAnyType: true,
  // There are no larger integers.
  integerDigits: Number.POSITIVE_INFINITY,
  // Numbers and texts in one column, as their texts.
  keyKinds: ['databaseText'],
  mixedKeys: 'databaseTextId',
  keyTypes:
    'integers, UUIDs, text, booleans or dates, or numbers and texts in a column with a type for numbers',
  exactKeyKinds: [],
  triggersChangeNewRows: false,
  isPlain: ({ indexes, triggers }) => indexes !== undefined && triggers === undefined,
  writeVersionTrigger({ trigger, table, column, keys }) {
    const isSame = (keys.length > 0 ? keys : ['rowid']).map((key) => `${key} = new.${key}`)
    return `create trigger ${trigger} after update on ${table} when new.${column} = old.${column} begin update ${table} set ${column} = ${column} + 1 where ${isSame.join(' and ')}; end`
  },
}

function toPath(url: string): string {
  return url.slice('sqlite:'.length)
}

async function readFile(path: string): Promise<Catalog> {
  if (path === ':memory:') throw new Error('a new in-memory database has no tables')
  if (!existsSync(path)) throw new Error(`there is no file ${path}${suggestFile(path)}`)
  if (statSync(path).isDirectory())
    throw new Error(`${path} is a folder; name a file in it${suggestFile(join(path, 'a'))}`)
  const { readSqliteCatalog } = await import('lapidary/sqlite')
  try {
    return readSqliteCatalog(path)
  } catch (error) {
    const problem = describeError(error)
    throw problem === undefined ? error : new Error(`${path} ${problem}`, { cause: error })
  }
}

/** Suggests a file in place of a missing one, as the end of an error's sentence; empty if the folder has no database. */
function suggestFile(path: string): string {
  const folder = dirname(path)
  const files = existsSync(folder) ? readdirSync(folder) : []
  const databases = files.filter((name) => /\.(?:db3?|sqlite3?)$/i.test(name))
  const nearest = suggestName(basename(path), databases)
  if (nearest !== undefined) return `; did you mean ${join(folder, nearest)}?`
  return databases.length > 0 ? `; the folder has ${databases.sort().join(', ')}` : ''
}

/** Describes an error of SQLite, as the end of a sentence about a file; `undefined` for any other error. */
function describeError(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined
  // https://sqlite.org/rescode.html#notadb
  return error.errcode === 26 ? 'is not a SQLite database' : `cannot be read: ${error.message}`
}
