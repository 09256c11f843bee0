import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import {
  type Check,
  members,
  modelCheck,
  optional,
  wholeNumber,
} from '../model/check/option-checks.ts'
import type { Model } from '../model/model.ts'

/** The checks of the options that every database has. */
export const commonStoreChecks = {
  timeout: optional(wholeNumber(1)),
  queueSize: optional(wholeNumber(0)),
  statementCache: optional(wholeNumber(0)),
  maxResources: optional(wholeNumber(1)),
} satisfies Readonly<Record<string, Check>>

/** What a function that opens a database receives. */
interface StoreArguments {
  readonly model: Model
  /** The path or the URL of the database. */
  readonly address: unknown
  readonly options: object
}

/**
 * Checks the arguments of a function that opens a database, as declarations are checked: a program without types would not learn of a
 * misspelled option, such as `readonly`.
 *
 * @param of - the name of the function, e.g. `openSqlite`
 * @param checks - those of the options, and of the address, which returns lines that begin with the name of the function
 * @throws DeclarationError with one line for each error
 */
export function checkStoreArguments(
  of: string,
  { model, address, options }: StoreArguments,
  checks: Readonly<{ address: Check; options: Readonly<Record<string, Check>> }>,
): void {
  throwDeclarationErrors([
    ...modelCheck(model, `${of}.model`),
    ...checks.address(address, of),
    ...members(checks.options)(options, of),
  ])
}
