import {
  describeModel,
  getTypeDescription,
  type ModelDescription,
} from '../describe/describe-model.ts'
import type { AppContext } from '../endpoints/app-context.ts'
import type { ApiRequest, RouteHandler } from '../endpoints/handler.ts'
import { HiddenRouteError } from '../endpoints/protected-routes.ts'
import { createFirstPageReader } from '../endpoints/read-first-pages.ts'
import type { ModelRoute, Route } from '../endpoints/route-table.ts'
import { DeclarationError } from '../model/check/declaration-error.ts'
import { isFunction } from '../model/check/option-checks.ts'
import type { SecurityDescription } from '../model/declare/security.ts'
import { isObject } from '../model/kinds/json.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import { memoizeByIdentity } from '../model/memoize-by-identity.ts'
import { getResourceType } from '../model/model.ts'
import { createTypeNames } from './component-names.ts'
import { describeAddresses } from './describe-addresses.ts'
import { describeSchemas, renderOpenApi } from './describe-api.ts'
import type { DocsPage, OpenApiOptions } from './options.ts'
import { type Examples, readExamples } from './read-examples.ts'
import { arrayOf, createReference, openObject, selectReferenced } from './schema.ts'
import { divideText, formatJson, runStepsInTurns, type Steps } from './steps.ts'

/** The options of an adapter that the description depends on. */
interface DescribedOptions {
  readonly openapi?: boolean | OpenApiOptions
  readonly publicUrl?: string | undefined
  /** A function that may carry how it authenticates, as those of `lapidary/auth` do. */
  readonly authenticate?: object | undefined
  /** The pages for browsers. */
  readonly html?: Readonly<{ routes: readonly Route[] }> | undefined
}

/**
 * Adds the descriptions of an application to the routes of its model: `/openapi.json`, the JSON Schema of each type at its path with
 * `.schema.json`, which no path of a type can be, and the page that shows the description. The responses of the routes link them, in JSON:API 1.1 also their documents. An
 * identity gets the description of what it may know and do. Without `openapi` there are none.
 *
 * @throws DeclarationError when a resource type has the path of the page
 */
export function addDescriptions(
  routes: readonly ModelRoute[],
  context: AppContext,
  options: DescribedOptions,
): readonly Route[] {
  const { openapi = false } = options
  if (openapi === false) return routes
  const settings = openapi === true ? {} : openapi
  return [
    ...routes.map((route) => addLink(route, context, settings)),
    defineDescription(context, options, settings),
    ...defineSchemas(context),
    ...definePage(context, settings.docs),
  ]
}

/** Links the responses of a route to their descriptions, for the identities that get these. */
function addLink(route: ModelRoute, context: AppContext, options: OpenApiOptions): Route {
  const { GET } = route.methods
  if (GET === undefined) return route
  const type = findDescribedType(route)
  const readDescribed = linkInDocument(GET, findDescription(type, context), context)
  const described = { ...route, methods: { ...route.methods, GET: readDescribed } }
  const link = formatLinks(route, context, options)
  if (link === undefined) return described
  // Without access rules each identity gets all descriptions.
  if (context.findView === undefined || type === undefined)
    return { ...described, headers: { link } }
  const read: RouteHandler = async (request, bound) => {
    if (!hasSchema(context, request.auth, type)) return GET(request, bound)
    const response = await readDescribed(request, bound)
    return { ...response, headers: { link, ...response.headers } }
  }
  return { ...route, methods: { ...route.methods, GET: read } }
}

/** Returns the handler whose documents link their description, as JSON:API 1.1 has it. */
function linkInDocument(
  handle: RouteHandler,
  describedBy: string,
  { planner }: AppContext,
): RouteHandler {
  if (planner.model.jsonapi === '1.0') return handle
  return (request, bound) => handle({ ...request, describedBy }, bound)
}

/** The path of the description of a document. @param type - that of its resources; `undefined` for one without resources */
function findDescription(type: string | undefined, { prefix, planner }: AppContext): string {
  if (type === undefined) return `${prefix}/openapi.json`
  return `${prefix}${getResourceType(planner.model, type).path}.schema.json`
}

/** The type of the resources in the responses of a route; `undefined` for the root document and linkage. */
function findDescribedType({ target }: ModelRoute): string | undefined {
  if (target.is === 'root' || target.is === 'relationship') return undefined
  return target.is === 'related' ? target.relationship.to : target.resource.type
}

/** Returns whether an identity gets the schema of a type: not if it can do nothing with the type, whatever the rows are. */
function hasSchema({ findRights }: AppContext, auth: unknown, type: string): boolean {
  return describeModel(findRights(auth)).types.get(type)?.isUsable ?? false
}

/**
 * Formats the links from the responses of a route to their descriptions. JSON:API 1.0 has no such link in a document, so the
 * header field `Link` has it.
 */
function formatLinks(
  route: ModelRoute,
  context: AppContext,
  { docs }: OpenApiOptions,
): string | undefined {
  if (route.target.is === 'relationship') return undefined
  const type = findDescribedType(route)
  const description = findDescription(type, context)
  if (type !== undefined) return `<${description}>; rel="describedby"`
  const link = `<${description}>; rel="service-desc"`
  return docs ? `${link}, <${context.prefix}${docs.path}>; rel="service-doc"` : link
}

function defineDescription(
  context: AppContext,
  { publicUrl, authenticate, html }: DescribedOptions,
  { docs, examples: source, examplesTimeout: timeout, ...settings }: OpenApiOptions,
): Route {
  const { prefix, rootMeta } = context
  const { version, description } = rootMeta
  const security = settings.security ?? findSecurity(authenticate)
  const { generalMethods = false } = settings
  const describe = async (described: ModelDescription, examples?: Examples) => {
    const steps = renderOpenApi(described, {
      ...(typeof version === 'string' && { version }),
      ...(typeof description === 'string' && { description }),
      ...{ prefix, publicUrl, security, pages: generalMethods && html !== undefined },
      ...settings,
      ...(examples && { examples }),
      paths: {
        ...describeAddresses(described, {
          docs,
          pages: html?.routes ?? [],
          generalMethods,
        }),
        ...settings.paths,
      },
    })
    return runStepsInTurns(formatJson(await runStepsInTurns(steps), 3))
  }
  const read =
    source === 'rows'
      ? describeWithRows({ context, timeout }, authenticate === undefined, describe)
      : describeOnce(context, describe)
  return defineText('/openapi.json', { 'content-type': 'application/json' }, read)
}

/** Reads the text of a description. */
type DescriptionReader = (request: ApiRequest) => string | Promise<string>

/** Describes what identities with equal rights may know and do once. */
function describeOnce(
  { findRights }: AppContext,
  describe: (described: ModelDescription) => Promise<string>,
): DescriptionReader {
  const getText = memoizeByIdentity(describe)
  return ({ auth }) => getText(describeModel(findRights(auth)))
}

/** Milliseconds for which a description with examples from rows is cached. */
const rowsLifetime = 60_000

/**
 * Describes the model with examples from rows. What one identity may read is not cached for others: rules, `begin` and the database
 * itself may let each of them read other rows. Examples that were not read in time are not cached.
 *
 * @param isCacheable - true if all requests have the same identity, but for those whose host passes an auth context on
 */
function describeWithRows(
  reads: Readonly<{ context: AppContext; timeout: number | undefined }>,
  isCacheable: boolean,
  describe: (described: ModelDescription, examples: Examples) => Promise<string>,
): DescriptionReader {
  const readFirstPages = createFirstPageReader()
  let cached: Readonly<{ read: ReturnType<typeof read>; until: number }> | undefined
  const read = async (request: ApiRequest) => {
    const { examples, isComplete } = await readExamples(readFirstPages, request, reads)
    const described = describeModel(reads.context.findRights(request.auth))
    return { text: await describe(described, examples), isComplete }
  }
  return async (request) => {
    if (!isCacheable || request.auth !== undefined) return (await read(request)).text
    const now = performance.now()
    if (cached === undefined || cached.until < now)
      cached = { read: read(request), until: now + rowsLifetime }
    const current = cached
    const { text, isComplete } = await current.read
    if (!isComplete && cached === current) cached = undefined
    return text
  }
}

/** How a function authenticates; a scheme in words if it does not say. */
function findSecurity(authenticate: object | undefined): SecurityDescription | undefined {
  if (authenticate === undefined) return undefined
  const security: unknown = Reflect.get(authenticate, 'security')
  // The functions of `lapidary/auth` have a property of this type.
  if (isFunction(authenticate) && isObject(security))
    return security as unknown as SecurityDescription
  const description = 'The server authenticates requests; its description does not say how.'
  const scheme = { type: 'apiKey', in: 'header', name: 'Authorization', description } as const
  return { schemes: { authorization: scheme }, isOptional: false }
}

/** Defines the addresses of the schemas. That of a type does not exist for an identity that can do nothing with the type. */
function defineSchemas(context: AppContext): Route[] {
  const { planner, prefix, findRights } = context
  return [...planner.model.types.values()].map(({ type, path }): Route => {
    const checkVisible = (auth: unknown) => {
      if (!hasSchema(context, auth, type)) throw new HiddenRouteError()
    }
    const describe = memoizeByIdentity((described: ModelDescription) =>
      runStepsInTurns(renderSchema(described, type, prefix)).then((schema) =>
        JSON.stringify(schema),
      ),
    )
    const headers = { 'content-type': 'application/schema+json' }
    const route = defineText(`${path}.schema.json`, headers, ({ auth }) => {
      checkVisible(auth)
      return describe(describeModel(findRights(auth)))
    })
    return hasSchema(context, undefined, type) ? route : { ...route, checkVisible }
  })
}

function definePage({ planner, prefix }: AppContext, page: DocsPage | undefined): Route[] {
  if (page === undefined) return []
  const { path, files } = page
  const taken = [...planner.model.types.values()].find((resource) => resource.path === path)
  if (taken)
    throw new DeclarationError([
      `openapi.docs.path: the resource type "${taken.type}" has the path ${prefix}${path}; choose another path for the page`,
    ])
  return files.map((file) => ({
    ...defineText(`${path}${file.path}`, file.headers, file.read),
    isPublic: true,
    file,
  }))
}

/** Defines a route whose response is a text that is not a JSON:API document. */
function defineText(
  path: string,
  headers: Readonly<Record<string, string>>,
  read: (request: ApiRequest) => string | Promise<string>,
): Route {
  return {
    path,
    methods: {
      GET: async (request) => ({ status: 200, headers, body: divideText(await read(request)) }),
    },
    readOnlyMethods: [],
  }
}

const definitions = '#/$defs/'

/**
 * Describes a resource type as a JSON Schema of its own: the documents whose primary data are resources of the type. `$defs`
 * has the resource object as responses contain it (`person`), and as a create (`person.new`) and an update (`person.update`)
 * send it, if the identity may do so.
 *
 * @param described - for the identity that gets the schema
 * @param prefix - the beginning of every path; may be empty
 * @see https://json-schema.org/draft/2020-12/schema
 */
function* renderSchema(
  described: ModelDescription,
  type: string,
  prefix: string,
): Steps<JsonSchema> {
  const { path, description } = getTypeDescription(described, type)
  const nameType = createTypeNames(described)
  const ref = createReference(definitions)
  const schemas = {
    ...(yield* describeSchemas({ described, prefix, nameType, ref })),
    // Other types have schemas of their own.
    'jsonapi.included': arrayOf(
      openObject({ type: { type: 'string' }, id: { type: 'string' } }, ['type', 'id']),
    ),
  }
  const name = nameType(type)
  const documents = ['documentOrNull', 'collection'].map((suffix) => ref(`${name}.${suffix}`))
  const bodies = listSentSchemas(described, type).map((suffix) => ref(`${name}.${suffix}`))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${prefix}${path}.schema.json`,
    title: type,
    ...(description !== undefined && { description }),
    anyOf: documents,
    $defs: yield* selectReferenced([documents, bodies], schemas, definitions),
  }
}

/** Lists the schemas of the resources of a type that an identity may send. */
function listSentSchemas({ paths }: ModelDescription, type: string): readonly ('new' | 'update')[] {
  const canUpdate = paths.some(({ target, methods }) => {
    return target.is === 'resource' && target.resource.type === type && methods.includes('PATCH')
  })
  const canCreate = paths.some(({ target, methods }) => {
    if (target.is !== 'collection' && target.is !== 'related') return false
    const created = target.is === 'related' ? target.relationship.to : target.resource.type
    return created === type && methods.includes('POST')
  })
  return [...(canCreate ? ['new' as const] : []), ...(canUpdate ? ['update' as const] : [])]
}
