import { HttpError } from '../errors/errors.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { Statement } from './statement.ts'

/**
 * Returns the rows of a statement; `undefined` if it would take too long.
 * @param isByKey - whether a unique index finds its rows, so that it does not
 */
export type RunCheck = (
  statement: Statement,
  isByKey: boolean,
) => Awaitable<readonly (readonly unknown[])[] | undefined>

/** Runs a check. Requests report a table that the role must not read, or that is slow. @returns its rows, if there are any */
export async function runCheck(
  statement: Statement,
  run: RunCheck,
  isByKey = false,
): Promise<Awaited<ReturnType<RunCheck>>> {
  try {
    return await run(statement, isByKey)
  } catch (error) {
    if (error instanceof HttpError) return undefined
    throw error
  }
}
