import type { Awaitable } from '../model/hooks.ts'
import type { Row } from '../plan/row-layout.ts'
import type { WritePlan } from '../plan/write.ts'
import { notStoredError } from './not-stored.ts'
import type { Statements } from './statements.ts'
import { thenMaybe } from './then-maybe.ts'
import type { WriteConnection } from './write-connection.ts'

/**
 * Finds the id of a new row. A trigger may have dropped the row or changed its id, and a rule or the trigger of a view may have
 * stored it without returning it.
 * @param rows - what the insert returned
 * @throws BodyError `not_stored` (409)
 */
export function findInsertedId(
  connection: WriteConnection,
  rows: readonly Row[],
  { shape, id }: Readonly<{ shape: WritePlan['shape']; id: string | undefined }>,
  statements: Statements,
): Awaitable<string> {
  const { insertedId, returnsStoredId } = statements.write(shape)
  const [[returned] = []] = rows
  if (returnsStoredId && hasId(returned)) return `${returned}`
  const known = [id, returned].find(hasId)
  const findKnown = (): Awaitable<readonly Row[]> =>
    known === undefined
      ? []
      : connection.all(statements.ofType(shape.type).lookup, { planValues: [], ids: [`${known}`] })
  const last: Awaitable<readonly Row[]> = insertedId
    ? connection.all(insertedId, { planValues: [] })
    : []
  const found = thenMaybe<readonly Row[], readonly Row[]>(last, (stored) =>
    hasId(stored[0]?.[0]) ? stored : findKnown(),
  )
  return thenMaybe(found, (rows) => {
    const newId = rows[0]?.[0]
    if (!hasId(newId)) throw notStoredError(shape)
    return `${newId}`
  })
}

/** Whether a row has an id. PostgreSQL retains an id that is null as an empty text. */
function hasId(id: unknown): boolean {
  return id !== null && id !== undefined && id !== ''
}
