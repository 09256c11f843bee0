import { getNamed, getTypeDescription } from '../describe/describe-model.ts'
import type {
  ActionDescription,
  RelationshipDescription,
  TypeDescription,
} from '../describe/describe-type.ts'
import type { Method, ModelPath } from '../describe/paths.ts'
import { nameAction, nameActionResponse } from './action-schemas.ts'
import { nameField } from './component-names.ts'
import { describeShortFilters, pageComponents } from './parameters.ts'
import { findRequiredInverse, isSentNull, type SchemaContext } from './resource-schemas.ts'
import type { ErrorResponseName } from './responses.ts'
import { createReference } from './schema.ts'

/** A path with its operations (https://spec.openapis.org/oas/v3.1.0#path-item-object). */
export type PathItem = Readonly<Record<string, unknown>>

/** What the operations of a path are described with. */
export interface OperationContext extends SchemaContext {
  /** The name of the parameter for the ids of a type, among the components. */
  readonly nameIdParameter: (type: TypeDescription) => string
  /** True if HEAD and OPTIONS of each path are described. */
  readonly hasGeneralMethods: boolean
  /** True if QUERY of each list is described. */
  readonly hasQuery: boolean
  /** True if browsers get pages: the responses to GET are those with `pageSuffix`. */
  readonly hasPages: boolean
}

/** The end of the name of a response that may be a page, among the components. */
export const pageSuffix = '.orPage'

/** An operation in short; the rest is the same for all. */
interface Operation {
  /** The end of the operation's id: the type and the relationship come before it. */
  readonly verb: string
  readonly summary: string
  /** In Markdown. */
  readonly description?: string | undefined
  readonly parameters?: readonly object[]
  /** The name of a request body among the components. */
  readonly body?: string
  readonly status?: 200 | 201
  /** The name of the successful response among the components. */
  readonly response: string
  readonly errors: ErrorResponseName
  /** Whether the response may be without a document, if the client prefers that. */
  readonly hasMinimal?: boolean
  /** Whether the client may restrict what is written. Default true, and false for a read. */
  readonly hasDryRun?: boolean
  /**
   * How a write is conditional: on the version of what exists, which the type may demand, or on that no resource has the id of the new
   * one. Default: not at all.
   */
  readonly condition?: keyof typeof conditionFields
  /** Whether a write must have a key. Default false. */
  readonly requiresKey?: boolean
}

/** The names of the parameters of conditional writes among the components. */
const conditionFields = {
  version: ['ifMatch', 'ifNoneMatch'],
  requiredVersion: ['requiredIfMatch', 'ifNoneMatch'],
  isNew: ['ifNoneMatch'],
} as const

/** What the operations of a path have in common. */
interface DescribedPath {
  readonly tag: string | undefined
  readonly parameters: readonly object[]
  readonly operations: Readonly<Partial<Record<Method, Operation>>>
  /** The name of the body of a QUERY among the components; absent for a path that is no list. */
  readonly query?: string
}

const [parameter, body, response] = ['parameters', 'requestBodies', 'responses'].map((kind) =>
  createReference(`#/components/${kind}/`),
) as [ReferTo, ReferTo, ReferTo]
type ReferTo = ReturnType<typeof createReference>

const readErrors = 'readError' satisfies ErrorResponseName
const queryErrors = 'queryError' satisfies ErrorResponseName
const writeErrors = 'writeError' satisfies ErrorResponseName

/** Returns the path of a route with OpenAPI's syntax of parameters, e.g. `/persons/{id}/computers`. */
export function formatPath({ path }: Pick<ModelPath, 'path'>): string {
  return path
    .split('/')
    .map((segment) => (segment === ':id' ? '{id}' : encodeURIComponent(segment)))
    .join('/')
}

/** Describes a route: each of its methods becomes an operation. */
export function describeRoute(route: ModelPath, context: OperationContext): PathItem {
  const { tag, parameters, operations, query } = describePath(route, context)
  const described = route.methods.flatMap((method) => {
    const operation = operations[method]
    return operation ? [{ method, operation, fields: listHeaderFields(operation, method) }] : []
  })
  // Those of every operation are described once, with their path.
  const shared = listShared(described.map(({ fields }) => fields))
  const own = described.map(({ method, operation, fields }) => ({
    method,
    operation: addFields(operation, fields, shared),
  }))
  const all = [...parameters, ...shared.map(parameter)]
  // A path without GET, that of an action, has no HEAD.
  const general = own.find(({ method }) => method === 'GET' || !route.methods.includes('GET'))
  return {
    ...(all.length > 0 && { parameters: all }),
    ...Object.fromEntries(
      own.map(({ method, operation }) => [
        method.toLowerCase(),
        describeOperation(operation, tag, context.hasPages && method === 'GET' ? pageSuffix : ''),
      ]),
    ),
    ...(query !== undefined &&
      operations.GET &&
      context.hasQuery && {
        query: describeQuery(addFields({ ...operations.GET, parameters: [] }, readFields, shared), {
          tag,
          sent: query,
        }),
      }),
    ...(general &&
      context.hasGeneralMethods &&
      describeGeneralMethods(general.operation, tag, route)),
  }
}

/** The names of the parameters of reads that are header fields among the components. */
const readFields: readonly string[] = ['ifNoneMatch', 'prefer']

/** Lists those that make an operation conditional, repeatable or restricted. */
function listHeaderFields(
  { condition, requiresKey = false, hasDryRun = true }: Operation,
  method: Method,
): readonly string[] {
  if (method === 'GET') return readFields
  return [
    ...(condition ? conditionFields[condition] : []),
    requiresKey ? 'requiredIdempotencyKey' : 'idempotencyKey',
    hasDryRun ? 'prefer' : 'commonPrefer',
  ]
}

function listShared([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((name) => others.every((names) => names.includes(name)))
}

/** Adds header fields to an operation, but those that are described with its path. */
function addFields(
  operation: Operation,
  fields: readonly string[],
  shared: readonly string[],
): Operation {
  const own = fields.filter((name) => !shared.includes(name)).map(parameter)
  return { ...operation, parameters: [...(operation.parameters ?? []), ...own] }
}

/** How a create is conditional: only on an id that the client chooses. */
function conditionOfCreate({ id }: TypeDescription): Pick<Operation, 'condition'> {
  return id.fromClient === 'forbidden' ? {} : { condition: 'isNew' }
}

type GeneralOperation = Pick<Operation, 'verb' | 'parameters' | 'errors'>

/**
 * Describes HEAD and OPTIONS of a path. Scalar does not show them: they would be half of the operations, and say nothing of their path.
 * @param operation - that of GET, or of POST for a path without GET
 */
function describeGeneralMethods(
  { verb, parameters = [], errors }: GeneralOperation,
  tag: string | undefined,
  { methods }: ModelPath,
): PathItem {
  const common = { ...(tag !== undefined && { tags: [tag] }), 'x-scalar-ignore': true }
  // `filter` announces its short form, so HEAD need not list it for each attribute.
  const shared = parameters.filter((each) => '$ref' in each)
  const head = response('head')
  return {
    ...(methods.includes('GET') && {
      head: {
        ...common,
        ...{ summary: 'Get the header fields of GET', operationId: `${verb}.head` },
        ...(shared.length > 0 && { parameters: shared }),
        responses: { 200: head, 304: response('notModified'), '4XX': head, '5XX': head },
      },
    }),
    options: {
      ...common,
      ...{ summary: 'List the methods', operationId: `${verb}.options` },
      responses: { 204: response('options'), '4XX': response(errors) },
    },
  }
}

/** Describes QUERY of a list: its GET with the query as a body. */
function describeQuery(
  { verb, summary, parameters = [], response: name }: Operation,
  { tag, sent }: Readonly<{ tag: string | undefined; sent: string }>,
): object {
  const operation: Operation = {
    ...{ verb: `${verb}.query`, summary: `${summary} by a query of any length` },
    ...{ parameters, body: sent, response: name, errors: queryErrors },
  }
  return describeOperation(operation, tag, '')
}

function describeOperation(
  {
    verb,
    summary,
    description,
    parameters,
    body: sent,
    status = 200,
    response: name,
    errors,
    hasMinimal = false,
  }: Operation,
  tag: string | undefined,
  suffix: string,
): object {
  return {
    ...(tag !== undefined && { tags: [tag] }),
    ...{ summary, operationId: verb },
    ...(description !== undefined && { description }),
    ...(parameters && parameters.length > 0 && { parameters }),
    ...(sent !== undefined && { requestBody: body(sent) }),
    responses: {
      [status]: response(name + suffix),
      ...(status === 201 && { 200: response('dryRun') }),
      ...(hasMinimal && { 204: response('minimal') }),
      ...(errors !== writeErrors && { 304: response('notModified') }),
      '4XX': response(errors + suffix),
      '5XX': response(`serverError${suffix}`),
    },
  }
}

function describePath({ target }: ModelPath, context: OperationContext): DescribedPath {
  if (target.is === 'root') return describeRoot()
  const type = getTypeDescription(context.described, target.resource.type)
  switch (target.is) {
    case 'collection':
      return describeCollection(type, context)
    case 'resource':
      return describeResourcePath(type, context)
    case 'action':
      return describeAction(type, getNamed(type.actions, target.action.name), context)
    case 'related':
      return describeRelated(type, getNamed(type.relationships, target.relationship.name), context)
    case 'relationship':
      return describeRelationship(
        type,
        getNamed(type.relationships, target.relationship.name),
        context,
      )
  }
}

function describeRoot(): DescribedPath {
  const GET: Operation = {
    verb: 'root',
    summary: 'List the resource types',
    response: 'root',
    errors: readErrors,
  }
  return { tag: undefined, parameters: [], operations: { GET } }
}

/** The parameters that decide which members of include paths a document has. */
const includePages = ['includePage', 'includeSort', 'includeFilter']

/** The parameters that decide what the documents of a type contain. */
function listContentParameters(
  { type, relationships }: TypeDescription,
  { nameType }: SchemaContext,
): object[] {
  const name = nameType(type)
  return [
    ...(relationships.length > 0
      ? [parameter(`${name}.include`), ...includePages.map(parameter)]
      : []),
    ...(relationships.some(({ isCounted }) => isCounted) ? [parameter(`${name}.withCount`)] : []),
    parameter('fields'),
    parameter('withVersions'),
  ]
}

/** The parameters that decide which resources a list contains. */
function listListParameters(
  { type, pagedBy }: TypeDescription,
  { nameType }: SchemaContext,
): object[] {
  const name = nameType(type)
  const page = pageComponents[pagedBy]
  return [parameter(`${name}.filter`), parameter(`${name}.sort`), parameter(page)]
}

function describeCollection(described: TypeDescription, context: OperationContext): DescribedPath {
  const { type } = described
  const name = context.nameType(type)
  return {
    tag: type,
    query: `${name}.query`,
    parameters: listContentParameters(described, context),
    operations: {
      GET: {
        verb: `${name}.list`,
        summary: `List ${type}`,
        parameters: [...listListParameters(described, context), ...describeShortFilters(described)],
        response: `${name}.collection`,
        errors: readErrors,
      },
      POST: {
        ...{ verb: `${name}.create`, summary: `Create ${type}`, body: `${name}.new` },
        ...{ status: 201, response: `${name}.created`, errors: writeErrors },
        hasMinimal: described.id.fromClient !== 'forbidden',
        ...conditionOfCreate(described),
        requiresKey: described.requiresIdempotencyKey,
      },
    },
  }
}

function describeResourcePath(
  described: TypeDescription,
  context: OperationContext,
): DescribedPath {
  const { type } = described
  const name = context.nameType(type)
  const document = `${name}.document`
  const condition = described.requiresConditions ? 'requiredVersion' : 'version'
  const fields = { condition, requiresKey: described.requiresIdempotencyKey } as const
  return {
    tag: type,
    parameters: [
      parameter(context.nameIdParameter(described)),
      ...listContentParameters(described, context),
    ],
    operations: {
      GET: {
        ...{ verb: `${name}.get`, summary: `Get ${type}` },
        ...{ response: document, errors: readErrors },
      },
      PATCH: {
        ...{ verb: `${name}.update`, summary: `Update ${type}`, body: `${name}.update` },
        hasMinimal: true,
        ...{ response: document, errors: writeErrors, ...fields },
      },
      DELETE: {
        ...{ verb: `${name}.delete`, summary: `Delete ${type}` },
        ...{ response: 'message', errors: writeErrors, ...fields },
      },
    },
  }
}

function describeRelated(
  type: TypeDescription,
  field: RelationshipDescription,
  context: OperationContext,
): DescribedPath {
  const { described, nameType } = context
  const { name: relationship, many, to } = field
  const related = getTypeDescription(described, to)
  const id = nameField(type, field.name, nameType)
  const name = nameType(to)
  return {
    tag: type.type,
    ...(many && { query: `${name}.query` }),
    parameters: [
      parameter(context.nameIdParameter(type)),
      ...listContentParameters(related, context),
    ],
    operations: {
      GET: {
        ...{ verb: `${id}.${many ? 'list' : 'get'}`, errors: readErrors },
        summary: `${many ? 'List' : 'Get'} ${relationship}`,
        ...(many && { parameters: listListParameters(related, context) }),
        response: `${name}.${many ? 'collection' : field.isNullable ? 'documentOrNull' : 'document'}`,
      },
      POST: {
        ...{ verb: `${id}.create`, summary: `Create in ${relationship}` },
        body: findRequiredInverse(field, described) ? `${id}.linked.new` : `${name}.new`,
        ...{ status: 201, response: `${name}.created`, errors: writeErrors },
        hasMinimal: related.id.fromClient !== 'forbidden',
        ...conditionOfCreate(related),
        requiresKey: related.requiresIdempotencyKey,
      },
    },
  }
}

function describeRelationship(
  type: TypeDescription,
  field: RelationshipDescription,
  context: OperationContext,
): DescribedPath {
  const { described, nameType } = context
  const related = getTypeDescription(described, field.to)
  const id = nameField(type, field.name, nameType)
  const nameLinkage = (isNullable: boolean) =>
    `${nameType(field.to)}.${field.many ? 'toMany' : isNullable ? 'toOne' : 'requiredToOne'}`
  const body = nameLinkage(isSentNull(field))
  const condition = type.requiresConditions ? 'requiredVersion' : 'version'
  const requiresKey = type.requiresIdempotencyKey
  const write = { body, response: 'message', errors: writeErrors, condition, requiresKey } as const
  const [set, replace, remove] = field.many
    ? ['Add to', 'Replace', 'Remove from']
    : ['Set', 'Set', 'Clear']
  return {
    tag: type.type,
    ...(field.many && { query: `${nameType(field.to)}.linkageQuery` }),
    parameters: [
      parameter(context.nameIdParameter(type)),
      parameter('linkageInclude'),
      ...includePages.map(parameter),
      parameter('fields'),
      ...(field.many ? listListParameters(related, context) : []),
    ],
    operations: {
      GET: {
        ...{ verb: `${id}.linkage`, summary: `Get the linkage of ${field.name}` },
        ...{ response: `${nameLinkage(field.isNullable)}Document`, errors: readErrors },
      },
      PATCH: {
        ...{ ...write, verb: `${id}.replace`, summary: `${replace} ${field.name}` },
        hasMinimal: true,
      },
      // It replaces no members, so no type demands a condition for it.
      POST: {
        ...{ ...write, verb: `${id}.add`, summary: `${set} ${field.name}` },
        condition: 'version',
      },
      DELETE: { ...write, verb: `${id}.remove`, summary: `${remove} ${field.name}` },
    },
  }
}

function describeAction(
  type: TypeDescription,
  action: ActionDescription,
  context: OperationContext,
): DescribedPath {
  const { description, on, returns } = action
  const verb = nameAction(type, action.name, context)
  const isList = returns !== undefined && 'resources' in returns
  const name = returns && !('meta' in returns) ? Object.values(returns)[0] : undefined
  const returned = context.described.types.get(name ?? '')
  const { type: own } = returned ?? type
  return {
    tag: type.type,
    parameters: [
      ...(on === 'resource' ? [parameter(context.nameIdParameter(type))] : []),
      ...(returned ? listContentParameters(returned, context) : []),
      ...(isList
        ? [parameter(`${context.nameType(own)}.filter`), parameter(`${context.nameType(own)}.sort`)]
        : []),
    ],
    operations: {
      POST: {
        ...{ verb, summary: `Call ${action.name}`, description, body: verb },
        ...{ response: nameActionResponse(type, action, context), errors: writeErrors },
        ...{ hasDryRun: action.hasDryRun, requiresKey: action.requiresIdempotencyKey },
        // A list has no version.
        ...(on === 'resource' && { condition: 'version' }),
      },
    },
  }
}
