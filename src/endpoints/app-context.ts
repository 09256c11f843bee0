import type { ActionDependencies } from '../lifecycle/action.ts'
import { createReadHookBinder } from '../lifecycle/read-hooks.ts'
import { createNeverThrows, createWriteLifecycles } from '../lifecycle/write-lifecycle.ts'
import type { Catalog } from '../model/catalog.ts'
import type { CacheOptions } from '../model/declare/resource.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { type Declarations, getResourceType, type Model } from '../model/model.ts'
import type { Identity } from '../plan/access/identity.ts'
import { createRightsFinder, type FindRights } from '../plan/access/rights.ts'
import { checkIncludeOptions } from '../plan/include-page.ts'
import { createPlanner } from '../plan/planner.ts'
import type { ReadShape } from '../plan/read.ts'
import {
  createDocumentSerializer,
  type DocumentSerializer,
  type DocumentText,
} from '../serialize/document.ts'
import type { Store } from '../sql/store.ts'
import { createAccessViews, type FindAccessView } from './access-views.ts'
import { createIdempotencyKeys, type IdempotencyKeys } from './idempotency-keys.ts'
import { createKnownTags, type KnownTags } from './known-tags.ts'
import type { FindPath } from './paths.ts'

/**
 * The dependencies of every handler, created once at startup.
 * @typeParam Body - what the serializer makes of a response: text for HTTP
 */
export interface AppContext<Body = DocumentText> extends ActionDependencies {
  /** Finds the access rules of a request; absent for a model without rules. */
  readonly findView?: FindAccessView
  /** The identity of the request; absent in a model without rules, and before a request is bound. */
  readonly identity?: Identity
  /** Finds what the identity of a request may know and do, for descriptions and pages. */
  readonly findRights: FindRights
  readonly serializer: DocumentSerializer<Body>
  /** Whether the responses are results of operations in a batch, which have no header fields. Default false. */
  readonly isOfBatch?: boolean
  /** Returns the `Cache-Control` that the declarations give the documents of a query shape; null if they give none. */
  readonly getCacheControl: (shape: ReadShape) => string | null
  /** Returns the tables of the database, as they were when they were needed first. */
  readonly catalog: () => Promise<Catalog>
  /** The keys of writes that may be repeated. */
  readonly idempotencyKeys: IdempotencyKeys
  readonly knownTags: KnownTags
  /** The beginning of every path, e.g. `/api`; may be empty. */
  readonly prefix: string
  /** Finds the path that an address leads to; in process only that of an action. */
  readonly findPath?: FindPath
  /** Members of `meta` in the root document. */
  readonly rootMeta: Readonly<Record<string, unknown>>
}

/** The options of an application. */
export interface AppOptions<Auth = unknown> {
  readonly model: Model<Declarations, Auth>
  readonly store: Store
  /** The beginning of every path, e.g. `/api`. Default: none. */
  readonly prefix?: string
  /** Members of `meta` in the root document, e.g. a description and a version. */
  readonly rootMeta?: AppContext['rootMeta']
}

/** Creates the dependencies of the handlers. @throws DeclarationError */
export function createAppContext(options: AppOptions): AppContext {
  const { model, store, prefix = '', rootMeta = {} } = options
  checkIncludeOptions(model)
  const findView = createAccessViews(model)
  return {
    ...(findView && { findView }),
    findRights: createRightsFinder(model, findView && ((auth) => findView(auth).shape)),
    planner: createPlanner(model),
    store,
    bindReadHooks: createReadHookBinder(model),
    getWriteLifecycle: createWriteLifecycles(model),
    neverThrows: createNeverThrows(model),
    serializer: createDocumentSerializer(model, prefix),
    getCacheControl: createCacheControl(model),
    catalog: keepSuccess(() => store.catalog()),
    idempotencyKeys: createIdempotencyKeys(model, store),
    knownTags: createKnownTags(),
    prefix,
    rootMeta,
  }
}

/** Keeps the result of work that succeeds. What needs it at the same time waits for the same work. */
function keepSuccess<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let kept: Promise<Result> | undefined
  return () => {
    kept ??= work().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

/**
 * Creates the function that returns the `Cache-Control` of the documents of a query shape: the strictest of the types whose rows decide
 * them; null if one of them has none.
 */
function createCacheControl(model: Model): (shape: ReadShape) => string | null {
  return memoizeByIdentity((shape: ReadShape) => {
    const { type, addressed, includeEdges } = shape
    const parent = addressed.is === 'related' ? [addressed.type] : []
    const types = new Set([type, ...parent, ...includeEdges.map(({ to }) => to)])
    const options = [...types].map((name) => getResourceType(model, name).cache)
    return options.every((each) => each !== undefined) ? formatCacheControl(options) : null
  })
}

function formatCacheControl(options: readonly CacheOptions[]): string {
  const maxAge = Math.min(...options.map((each) => each.maxAge ?? 0))
  const stale = Math.min(...options.map((each) => each.staleWhileRevalidate ?? 0))
  const isPublic = options.every((each) => each.public === true)
  return [
    ...(isPublic ? ['public'] : []),
    `max-age=${maxAge}`,
    ...(stale > 0 ? [`stale-while-revalidate=${stale}`] : []),
  ].join(', ')
}
