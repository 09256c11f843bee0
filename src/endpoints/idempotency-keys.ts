import { HttpError } from '../errors/errors.ts'
import { requireImmediate } from '../errors/require-immediate.ts'
import { findTable } from '../model/catalog.ts'
import type { RequestContext } from '../model/declare/request-context.ts'
import { idempotencyTableName } from '../model/idempotency-table.ts'
import { isObject } from '../model/kinds/json.ts'
import type { Model } from '../model/model.ts'
import type { Store } from '../sql/store.ts'
import { keysPerDeletion } from '../sql/write/idempotency.ts'

/** What an application knows of the keys of its writes. */
export interface IdempotencyKeys {
  /** Returns whose key that of a request is. @throws HttpError `key_not_supported` (400) */
  readonly getPrincipal: (auth: unknown) => string
  /** Checks that the database stores keys. @throws HttpError `key_not_supported` (400) */
  readonly checkTable: () => Promise<void>
  /** Deletes expired keys, unless that was done a short time ago. It fails silently but for the log. */
  readonly deleteExpired: (request: Pick<RequestContext, 'log'>) => void
}

const hour = 3_600_000
/** The time between deletions of expired keys, in milliseconds, and that before the next one if there were too many for one. */
const intervals = { usual: 60_000, behind: 1000 }

/**
 * Creates the keys of an application. There is no timer: requests with keys delete those that have expired, so that a process that gets
 * none has nothing to do, and nothing to stop.
 */
export function createIdempotencyKeys(model: Model, store: Store): IdempotencyKeys {
  const { principal = findSubject, hours } = model.idempotency
  let hasTable = false
  let looking: Promise<boolean> | undefined
  const lookUp = async () =>
    findTable(await store.catalog(), { schema: undefined, name: idempotencyTableName }) !==
    undefined
  let nextDeletion = 0
  const deleteKeys = async () => {
    const deleted = await store.transaction(({ keys }) =>
      keys.deleteBefore(Date.now() - hours * hour),
    )
    if (deleted >= keysPerDeletion) nextDeletion = performance.now() + intervals.behind
  }
  return {
    getPrincipal: (auth) => {
      const found = requireImmediate(principal(auth), 'principal')
      if (typeof found === 'string' && found !== '') return found
      throw new HttpError(
        'key_not_supported',
        'Idempotency-Key needs a principal, whose keys they are, and this request has none; send it with credentials, or without the header field.',
      )
    },
    checkTable: async () => {
      if (hasTable) return
      // A table may be created later, and a look may fail. Requests without a table share one look at a time.
      looking ??= lookUp().finally(() => {
        looking = undefined
      })
      hasTable = await looking
      if (hasTable) return
      throw new HttpError(
        'key_not_supported',
        'This server does not store idempotency keys; send the request without Idempotency-Key. Its operator creates the table with the SQL that the command lapidary idempotency sql prints.',
      )
    },
    deleteExpired: ({ log }) => {
      const now = performance.now()
      if (now < nextDeletion) return
      nextDeletion = now + intervals.usual
      deleteKeys().catch((err: unknown) =>
        log.warn({ err }, 'expired idempotency keys were not deleted'),
      )
    },
  }
}

/** The guide about keys. */
const guide = 'https://github.com/lapidary/lapidary/blob/main/docs/guides/retries.md'

/**
 * Checks that a write whose declaration requires a key has one. A write in an open transaction needs none: it is repeated with the
 * others of the transaction. Nor does a dry run, and what a program writes in process.
 * @throws HttpError `key_required` (400)
 */
export function checkIdempotencyKey(
  {
    idempotency,
    writer,
    preferences,
  }: Readonly<{
    idempotency?: object
    writer?: string
    preferences?: Readonly<{ isDryRun: boolean }>
  }>,
  open: object | undefined,
): void {
  if (idempotency || open || writer !== undefined || preferences?.isDryRun) return
  throw new HttpError(
    'key_required',
    'This write needs an Idempotency-Key, with which it can be repeated safely; send a random UUID, such as Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324", and the same one to repeat the request.',
    { link: `<${guide}>; rel="help"` },
  )
}

/** The subject of a token (RFC 7519 §4.1.2). */
function findSubject(auth: unknown): unknown {
  return isObject(auth) ? auth.sub : undefined
}
