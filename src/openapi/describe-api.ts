import {
  describeModel,
  listUsableTypes,
  type ModelDescription,
} from '../describe/describe-model.ts'
import type { TypeDescription } from '../describe/describe-type.ts'
import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import {
  booleanCheck,
  type Check,
  members,
  modelCheck,
  optional,
  stringCheck,
} from '../model/check/option-checks.ts'
import type { SecurityDescription } from '../model/declare/security.ts'
import { isObject } from '../model/kinds/json.ts'
import { type Model, operationsPath } from '../model/model.ts'
import { compileAccess } from '../plan/access/access-shapes.ts'
import { createFullRights, createRightsFinder } from '../plan/access/rights.ts'
import { describeActionBodies, describeActionResponses } from './action-schemas.ts'
import {
  describeBatch,
  describeBatchExchange,
  describeCommonOperations,
  describeTypeOperations,
} from './batch.ts'
import { createTypeNames } from './component-names.ts'
import { describeCommonSchemas, describeDocuments } from './document-schemas.ts'
import { describeFilters } from './filter-schemas.ts'
import {
  describeRoute,
  formatPath,
  type OperationContext,
  type PathItem,
  pageSuffix,
} from './operations.ts'
import { type OpenApiVersion, openApiVersion, pathItems, security } from './options.ts'
import {
  describeCommonParameters,
  describeId,
  describeQueryBodies,
  describeTypeParameters,
} from './parameters.ts'
import type { Examples } from './read-examples.ts'
import { describeResourceObjects, type SchemaContext } from './resource-schemas.ts'
import {
  describeCommonResponses,
  describeHeaders,
  describeTypeBodies,
  describeTypeResponses,
  type ExchangedByName,
} from './responses.ts'
import { createReference, type Schemas, selectReferenced } from './schema.ts'
import { mergeEach, runSteps, type Steps } from './steps.ts'

/** What a description says about the API as a whole. */
export interface DescriptionOptions {
  /** The name of the API. Default `API`. */
  readonly title?: string
  /** The version of the API, not of OpenAPI. Default `1.0.0`. */
  readonly version?: string
  /** In Markdown. */
  readonly description?: string
  /** The beginning of every path, e.g. `/api`. Default: none. */
  readonly prefix?: string
  /** Scheme and host, e.g. `https://api.example.org`. Default: those of the address of the description. */
  readonly publicUrl?: string | undefined
  /** How requests are authenticated. Default: not at all. */
  readonly security?: SecurityDescription | undefined
  /**
   * True to list HEAD and OPTIONS of each path, for gateways that reject what is not described. They make the document a fifth longer.
   * Default false.
   */
  readonly generalMethods?: boolean
  /** The version of OpenAPI. `3.2` describes the method QUERY, too, for which 3.1 has no operation. Default `3.1`. */
  readonly openapi?: OpenApiVersion
  /** True if the server shows pages to browsers: then responses to GET may be `text/html`. Default false. */
  readonly pages?: boolean
  /** Path items of OpenAPI for addresses that are not those of the model, by path. Default: none. */
  readonly paths?: Readonly<Record<string, PathItem>>
  /** A resource of each type that is shown as an example. Default: examples that are made by kind. */
  readonly examples?: Examples
  /**
   * The auth context of an identity, null for a request without one: describes what this identity may know and do. Default: everything.
   */
  readonly auth?: unknown
}

const optionChecks = members({
  ...{
    title: optional(stringCheck),
    version: optional(stringCheck),
    description: optional(stringCheck),
  },
  ...{
    prefix: optional(stringCheck),
    publicUrl: optional(stringCheck),
    security: optional(security),
  },
  ...{
    generalMethods: optional(booleanCheck),
    pages: optional(booleanCheck),
    openapi: optional(openApiVersion),
    paths: optional(pathItems),
  },
  ...{ examples: () => [], auth: () => [] },
} satisfies Record<keyof DescriptionOptions, Check>)

/** A description of an API: an OpenAPI document (https://spec.openapis.org/oas/v3.1.0, or v3.2.0). */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<{ title: string; version: string; description?: string }>
  readonly servers: readonly Readonly<{ url: string }>[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly tags: readonly Readonly<{ name: string; description?: string }>[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<{
    schemas: Schemas
    parameters: Readonly<Record<string, object>>
    requestBodies: Readonly<Record<string, object>>
    responses: Readonly<Record<string, object>>
    headers: Readonly<Record<string, object>>
    securitySchemes?: Readonly<Record<string, object>>
  }>
}

/**
 * Describes an API as an OpenAPI document: every path and method of its routes, with parameters, bodies, responses and
 * error codes. It describes all fields and operations of the model unless `auth` says for whom; a server sends each identity what it
 * may know and do.
 *
 * @throws DeclarationError for unknown or wrong options; what a function of a rule throws for `auth`
 * @see docs/guides/describing.md
 */
export function describeApi(model: Model, options: DescriptionOptions = {}): OpenApiDocument {
  throwDeclarationErrors([
    ...modelCheck(model, 'describeApi.model'),
    ...optionChecks(options, 'describeApi'),
  ])
  const { auth } = options
  const rights =
    auth === undefined
      ? createFullRights(model)
      : createRightsFinder(model, compileAccess(model))(auth)
  return runSteps(renderOpenApi(describeModel(rights), options))
}

/** Renders the description of a model as an OpenAPI document. */
export function* renderOpenApi(
  described: ModelDescription,
  options: DescriptionOptions,
): Steps<OpenApiDocument> {
  const { title = 'API', version = '1.0.0', description, prefix = '', publicUrl = '' } = options
  const { security, paths: otherPaths = {}, examples } = options
  const { generalMethods = false, pages = false, openapi = '3.1' } = options
  const context: SchemaContext = {
    ...{ described, prefix, examples },
    nameType: createTypeNames(described),
    ref: createReference('#/components/schemas/'),
  }
  const nameIdParameter = nameIdParameters(described)
  const operationContext = {
    ...{ ...context, nameIdParameter },
    ...{ hasGeneralMethods: generalMethods, hasPages: pages, hasQuery: openapi === '3.2' },
  }
  const ownPaths = yield* mergeEach(described.paths, (route) => ({
    [formatPath(route)]: describeRoute(route, operationContext),
  }))
  const batch = described.atomic ? { [operationsPath]: describeBatch() } : {}
  const paths = { ...ownPaths, ...batch, ...otherPaths }
  return {
    openapi: `${openapi}.0`,
    info: { title, version, ...(description !== undefined && { description }) },
    servers: [{ url: publicUrl + prefix || '/' }],
    security: security ? listRequirements(security) : [],
    tags: describeTags(described),
    paths,
    components: {
      ...(yield* describeComponents(paths, operationContext, security !== undefined)),
      ...(security && { securitySchemes: security.schemes }),
    },
  }
}

function describeTags(described: ModelDescription): OpenApiDocument['tags'] {
  return listUsableTypes(described).map(({ type, description }) => {
    return { name: type, ...(description !== undefined && { description }) }
  })
}

/** An operation of an API: its method, its path with the prefix, and its name in the description. */
export interface ListedOperation {
  readonly method: string
  readonly path: string
  readonly name: string
}

/**
 * Lists the operations of an API, without HEAD and OPTIONS, which every path has.
 * @param prefix - the beginning of every path; may be empty
 * @param auth - the auth context of an identity, null for a request without one: lists what it may use. Default: everything
 */
export function listOperations(model: Model, prefix = '', auth?: unknown): ListedOperation[] {
  return Object.entries(describeApi(model, { auth, openapi: '3.2' }).paths).flatMap(
    ([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        if (generalMembers.has(method) || !isObject(operation)) return []
        const name = String(operation.operationId)
        return [{ method: method.toUpperCase(), path: prefix + decodeURIComponent(path), name }]
      }),
  )
}

/** The members of a path item that are not an operation of the path alone. */
const generalMembers: ReadonlySet<string> = new Set(['parameters', 'head', 'options'])

/** Any of the schemes authenticates a request. */
function listRequirements({
  schemes,
  isOptional,
}: SecurityDescription): OpenApiDocument['security'] {
  const names = Object.keys(schemes).map((name) => ({ [name]: [] }))
  return isOptional ? [...names, {}] : names
}

/** Types whose ids have the same schema share a parameter. */
function nameIdParameters({ types }: ModelDescription): (type: TypeDescription) => string {
  const names = new Map<string, string>()
  const nameIdParameter = ({ id }: TypeDescription) => {
    const schema = JSON.stringify(id.kind.schema)
    const name = names.get(schema) ?? (names.size === 0 ? 'id' : `id-${names.size + 1}`)
    names.set(schema, name)
    return name
  }
  for (const type of types.values()) nameIdParameter(type)
  return nameIdParameter
}

/** Describes everything that the paths refer to, directly or by other components. */
function* describeComponents(
  paths: OpenApiDocument['paths'],
  context: OperationContext,
  isAuthenticated: boolean,
): Steps<OpenApiDocument['components']> {
  const types = [...context.described.types.values()]
  const typeParameters = yield* mergeEach(types, (type) => describeTypeParameters(type, context))
  const ids = types.map((type) => ({ [context.nameIdParameter(type)]: describeId(type) }))
  const parameters = merge(describeCommonParameters(context), ...ids, typeParameters)
  const requestBodies = merge(
    yield* mergeEach(types, (type) => describeTypeBodies(type, context)),
    yield* mergeEach(types, (type) => describeActionBodies(type, context)),
    ...(context.hasQuery
      ? [yield* mergeEach(types, (type) => describeQueryBodies(type, context))]
      : []),
  )
  const batch = context.described.atomic && describeBatchExchange(context)
  const bodies = batch ? { ...requestBodies, operations: batch.requestBody } : requestBodies
  const responses = describePages(
    describeCommonResponses(context, isAuthenticated),
    batch ? { results: batch.response } : {},
    yield* mergeEach(types, (type) => describeTypeResponses(type, context)),
    yield* mergeEach(types, (type) => describeActionResponses(type, context)),
  )
  const used = {
    parameters: yield* selectReferenced(paths, parameters, '#/components/parameters/'),
    requestBodies: yield* selectReferenced(paths, bodies, '#/components/requestBodies/'),
    responses: yield* selectReferenced(paths, responses, '#/components/responses/'),
  }
  const described = yield* describeSchemas(context)
  const schemas = yield* selectReferenced(used, described, '#/components/schemas/')
  const headers = yield* selectReferenced(
    used.responses,
    describeHeaders(),
    '#/components/headers/',
  )
  return { schemas, ...used, headers }
}

/** Describes each response also as a page for browsers. Only those that a path refers to stay in the document. */
function describePages(...all: readonly ExchangedByName[]): ExchangedByName {
  const responses = merge(...all)
  const pages = Object.entries(responses).map(([name, response]) => {
    const content = { ...Object(response.content), 'text/html': { schema: { type: 'string' } } }
    return [`${name}${pageSuffix}`, { ...response, content }] as const
  })
  return { ...responses, ...Object.fromEntries(pages) }
}

/** Describes every schema of a model, by its name. */
export function* describeSchemas(context: SchemaContext): Steps<Schemas> {
  const types = [...context.described.types.values()]
  return merge(
    describeCommonSchemas(context),
    yield* mergeEach(types, (type) => describeResourceObjects(type, context)),
    yield* mergeEach(types, (type) => describeDocuments(type, context)),
    yield* describeFilters(context),
    ...(context.described.atomic
      ? [
          describeCommonOperations(),
          yield* mergeEach(types, (type) => describeTypeOperations(type, context)),
        ]
      : []),
  )
}

function merge<Value>(
  ...records: readonly Readonly<Record<string, Value>>[]
): Readonly<Record<string, Value>> {
  return Object.assign({}, ...records)
}
