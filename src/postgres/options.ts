import {
  booleanCheck,
  type Check,
  mustBe,
  optional,
  wholeNumber,
} from '../model/check/option-checks.ts'
import type { Model } from '../model/model.ts'
import { checkStoreArguments, commonStoreChecks } from '../sql/check-options.ts'

/** The options of a PostgreSQL database. */
export interface PostgresOptions {
  /** The URLs of streaming standbys to read from. Default none. */
  readonly replicaUrls?: readonly string[]
  /** The most connections. Default 10. */
  readonly poolSize?: number
  /** The most requests that wait for a connection; more are rejected with 503. Default 1000. */
  readonly queueSize?: number
  /**
   * How long a request waits for a connection, and how long a statement may run, in milliseconds. A read that is cancelled fails
   * with `query_timeout` (503). Default 10 s.
   */
  readonly timeout?: number
  /**
   * How long a streamed response waits for a client that accepts no data, in milliseconds. The server closes the connection of
   * the client first; the database ends the transaction somewhat later. Default 60 s.
   */
  readonly sendTimeout?: number
  /** The most resources in a response, including included ones; more fail with `too_many_resources` (400). Default none. */
  readonly maxResources?: number | undefined
  /** The memory for compiled statements in bytes; connections keep prepared statements in proportion. Default 64 MiB. */
  readonly statementCache?: number
  /**
   * Whether sessions keep prepared statements and settings. Set it to false behind a pooler that assigns a connection for one
   * transaction. Default true.
   */
  readonly keepsSessions?: boolean
}

const optionChecks = {
  ...commonStoreChecks,
  replicaUrls: optional(mustBe('an array of URLs', isUrlList)),
  poolSize: optional(wholeNumber(1)),
  sendTimeout: optional(wholeNumber(1)),
  keepsSessions: optional(booleanCheck),
} satisfies Record<keyof PostgresOptions, Check>

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
}

function isUrlList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isUrl)
}

// The message does not repeat the URL, because it may contain a password.
const url: Check = (value, location) => {
  if (isUrl(value)) return []
  const problem = value === undefined ? 'it is missing' : 'it is not'
  return [`${location}.url: must be postgres://<user>:<password>@<host>/<database>; ${problem}`]
}

/** Checks the arguments of `openPostgres`. @throws DeclarationError with one line for each error */
export function checkPostgresArguments(
  model: Model,
  address: string,
  options: PostgresOptions,
): void {
  const checks = { address: url, options: optionChecks }
  checkStoreArguments('openPostgres', { model, address, options }, checks)
}
