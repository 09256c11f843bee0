import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import {
  booleanCheck,
  type Check,
  mustBe,
  optional,
  wholeNumber,
} from '../model/check/option-checks.ts'
import type { Model } from '../model/model.ts'
import { checkStoreArguments, commonStoreChecks } from '../sql/check-options.ts'
import { findReaderProgram } from './readers/reader-program.ts'

/** The options of a SQLite database. */
export interface SqliteOptions {
  /** Whether the file is created with its folder if it does not exist. Default false: a mistyped path is an error. */
  readonly create?: boolean
  /**
   * Whether the file must exist, and is only read: writes fail, and the file is not converted to WAL mode. Default false.
   */
  readonly readOnly?: boolean
  /** The maximum duration of a read in milliseconds. Default 10 s. */
  readonly timeout?: number
  /**
   * The maximum number of processes that run expensive reads, and also of those that stream expensive lists. They start on
   * demand. Default 2.
   */
  readonly readers?: number
  /** The maximum number of writes, and of expensive reads, that wait; further ones get 503. Default 1000. */
  readonly queueSize?: number
  /** The memory for compiled statements in bytes. Default 64 MiB. */
  readonly statementCache?: number
  /** The maximum number of resources in a response, including included ones. Default unlimited. */
  readonly maxResources?: number | undefined
}

const optionChecks = {
  ...commonStoreChecks,
  create: optional(booleanCheck),
  readOnly: optional(booleanCheck),
  readers: optional(wholeNumber(1)),
} satisfies Record<keyof SqliteOptions, Check>

const path: Check = (value, location) => {
  if (typeof value === 'string' && value.startsWith('sqlite:'))
    return [`${location}.path: must be the path alone; write "${value.slice('sqlite:'.length)}"`]
  const isPath = (text: unknown) => typeof text === 'string' && text !== ''
  return mustBe('the path of a file, or ":memory:"', isPath)(value, `${location}.path`)
}

/**
 * Checks the arguments of `openSqlite`.
 * @throws DeclarationError with one line for each error, for `create` with `readOnly`, or for the option `session` of the model: without roles and settings, the
 *   rows that a policy would hide would be served
 */
export function checkSqliteArguments(model: Model, address: string, options: SqliteOptions): void {
  const checks = { address: path, options: optionChecks }
  checkStoreArguments('openSqlite', { model, address, options }, checks)
  if (options.create && options.readOnly)
    throwDeclarationErrors([
      'openSqlite.options: create and readOnly contradict each other; remove one of them',
    ])
  // Without it the store would open, and fail at the first expensive read.
  findReaderProgram()
  if (model.session === undefined) return
  throwDeclarationErrors([
    'options.session: SQLite has no roles and no settings; remove it, or open the model by openPostgres',
  ])
}
