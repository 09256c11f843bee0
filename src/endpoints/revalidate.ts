import { bindHooks } from '../lifecycle/read.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import { computeDigest } from '../model/digest.ts'
import { matchesNone } from '../parse/entity-tags.ts'
import { computeViewDigest } from '../plan/access/view-digest.ts'
import type { ReadPlan } from '../plan/read.ts'
import { thenMaybe } from '../sql/then-maybe.ts'
import type { AppContext } from './app-context.ts'
import type { ApiRequest, ApiResponse } from './handler.ts'
import type { Revalidation } from './known-tags.ts'

/**
 * Answers a read with 304, without reading a row, if its document was current in the present state of the database. Otherwise the
 * document is read after its state was: whatever is committed in between makes the state another one.
 * @param read - executes the request
 */
export function revalidate<Body>(
  { ifNoneMatch, representation }: Revalidation,
  plan: ReadPlan,
  request: ApiRequest,
  context: AppContext<Body>,
  read: () => Awaitable<ApiResponse<Body>>,
): Awaitable<ApiResponse<Body>> {
  // A hook may add anything to a document.
  if (bindHooks(plan, context, request) !== undefined) return read()
  const { store, planner, knownTags, identity } = context
  return thenMaybe(store.readState(plan), (state) => {
    if (state === undefined) return read()
    const view = computeViewDigest(planner.model, identity, request.auth)
    const key = computeDigest(JSON.stringify([representation, view]))
    const known = knownTags.get(key)
    if (known?.state === state && matchesNone(ifNoneMatch, known.etag)) {
      const cacheControl = context.getCacheControl(plan.shape)
      // The dispatcher sends no body with this status.
      return { status: 304, headers: { etag: known.etag }, body: '' as Body, cacheControl }
    }
    return thenMaybe(read(), (response) => ({
      ...response,
      onTag: (etag: string) => knownTags.set(key, { etag, state }),
    }))
  })
}
