import type { Identity } from '../../plan/access/identity.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { RunValues } from '../statement.ts'

/** No database has more rows. The offset of a page may be larger: it is the product of two numbers below 2^53. */
const maxOffset = Number.MAX_SAFE_INTEGER

/** The limit of a page between cursors is a 32-bit integer. */
const maxCursorRows = 2 ** 31 - 2

/** Limits a page to one row more than a read may hold in memory, which shows that there are more. */
export function limitRows(values: RunValues, maxRows: number): RunValues {
  const { limit } = values
  return limit !== undefined && limit > maxRows ? { ...values, limit: maxRows + 1 } : values
}

/** Adds the auth context, from which rules take their values. */
export function addAuth(values: RunValues, identity: Identity | undefined): RunValues {
  return identity === undefined ? values : { ...values, auth: identity.auth }
}

/** Creates the values with which the statements of a read run. @param id - the id in the path */
export function createRunValues(
  { values, page, identity }: ReadPlan,
  id: string | undefined,
): RunValues {
  const auth = identity?.auth
  if (page === undefined) return { planValues: values, id, auth }
  // One row more shows whether there is another page.
  if (page.cursors) {
    const limit = Math.min(page.size, maxCursorRows) + 1
    return { planValues: values, id, auth, limit, offset: 0 }
  }
  const offset = Math.min((page.number - 1) * page.size, maxOffset)
  return { planValues: values, id, auth, limit: page.size, offset }
}
