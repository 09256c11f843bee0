import { checkDeclarations } from '../check/check-declarations.ts'
import { containsAuthValue } from '../check/contains-auth-value.ts'
import type { Model, ModelOptions, ResourceType } from '../model.ts'
import { createSealer } from '../seal.ts'
import { checkTenantValue, type TenantOptions } from './access.ts'
import type { Hooks } from './hooks.ts'
import { listForeignKeys, resolveResource } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'
import { TransactionScope } from './transaction-scope.ts'

// The compiler evaluates these types for every model, so they cost a declaration as much in a list of a hundred as in a list of two:
// what depends on all declarations is computed once, and messages only for errors.

/** The names of a list, as an error message shows them: `"article", "person"`. */
type NamesOf<
  Resources extends readonly ResourceDeclaration[],
  Names extends string = '',
> = Resources extends readonly [
  infer First extends ResourceDeclaration,
  ...infer Others extends readonly ResourceDeclaration[],
]
  ? NamesOf<Others, Names extends '' ? `"${First['type']}"` : `${Names}, "${First['type']}"`>
  : Names

/** The related types of relationships, as far as the compiler knows them. */
type TargetOf<Field> = Field extends { readonly to: infer To }
  ? string extends To
    ? never
    : To
  : never

/** The errors of a declaration's relationships to types that are not declared. */
type UnknownTargets<
  Resource extends ResourceDeclaration,
  Resources extends readonly ResourceDeclaration[],
> = {
  [Name in keyof Resource['fields']]-?: TargetOf<Resource['fields'][Name]> extends infer To
    ? To extends Resources[number]['type']
      ? never
      : `${Resource['type']}.fields.${Name & string}.to: there is no resource type "${To & string}"; the types are ${NamesOf<Resources>}`
    : never
}[keyof Resource['fields']]

/** The positions of each type in a list: one, or a union for a type that is declared twice. */
type PositionsOf<Resources extends readonly ResourceDeclaration[]> = {
  readonly [Position in keyof Resources & `${number}` as Resources[Position]['type']]: Position
}

/** The types of a list that are declared twice. */
type RepeatedName<Positions> = {
  [Type in keyof Positions]: true extends IsUnion<Positions[Type]> ? Type : never
}[keyof Positions]

type IsUnion<Type, Whole = Type> = Type extends unknown
  ? [Whole] extends [Type]
    ? false
    : true
  : never

/** The position of the first declaration of a type. */
type FirstPosition<
  Rest extends readonly ResourceDeclaration[],
  Type extends string,
  Before extends readonly unknown[] = readonly [],
> = Rest extends readonly [
  infer First extends ResourceDeclaration,
  ...infer Others extends readonly ResourceDeclaration[],
]
  ? First['type'] extends Type
    ? `${Before['length']}`
    : FirstPosition<Others, Type, readonly [...Before, First]>
  : never

/** A declaration, or the message that it has the name of an earlier one, or a relationship to an unknown type. */
type CheckedDeclaration<
  Resource extends ResourceDeclaration,
  Position,
  Resources extends readonly ResourceDeclaration[],
  Names,
  Repeated,
> = Resource['type'] extends Repeated
  ? Position extends FirstPosition<Resources, Resource['type']>
    ? Resource
    : `${Resource['type']}: there are two resource types of this name; rename one of them`
  : [TargetOf<Resource['fields'][keyof Resource['fields']]>] extends [Names]
    ? Resource
    : UnknownTargets<Resource, Resources>

/**
 * The declarations of a list, where one with an error is replaced by a message.
 * @typeParam Names - the names of all types
 * @typeParam Repeated - the names that are declared twice
 */
export type Checked<
  Resources extends readonly ResourceDeclaration[],
  Names = Resources[number]['type'],
  Repeated = RepeatedName<PositionsOf<Resources>>,
> = {
  readonly [Position in keyof Resources]: CheckedDeclaration<
    Resources[Position],
    Position,
    Resources,
    Names,
    Repeated
  >
}

/**
 * The declarations of a list, by type. The compiler computes the names of a mapped type with `as`, such as `ByType`, from all members,
 * and again for each use of `keyof`; of this type it computes them once.
 */
export type DeclarationsOf<Resources extends readonly ResourceDeclaration[]> = {
  readonly [Type in Resources[number]['type']]: Extract<
    ByType<Resources>[Type],
    ResourceDeclaration
  >
}

type ByType<Resources extends readonly ResourceDeclaration[]> = {
  readonly [Resource in Resources[number] as Resource['type']]: Resource
}

/**
 * Creates a model from declared resource types and checks everything that needs no database.
 *
 * @param resources - every resource type; a relationship to a type that is not in the list does not compile
 * @param options - the options of the model
 * @throws DeclarationError with one line per error, each starting with the path to the wrong option
 */
export function defineModel<const Resources extends readonly ResourceDeclaration[]>(
  resources: Resources & NoInfer<Checked<Resources>>,
  options: ModelOptions<Resources[number]['type']> = {},
): Model<DeclarationsOf<Resources>> {
  checkDeclarations(resources, options)
  const declarations = Object.fromEntries(resources.map((declared) => [declared.type, declared]))
  const { begin, ...hooks } = options.hooks ?? {}
  const transactionScope = new TransactionScope()
  const tenant = options.tenant && checkTenantValue(options.tenant)
  const resolvedOptions = { ...options, tenant, hooks: options.hooks && hooks }
  const types = resolveTypes(resources, resolvedOptions, transactionScope)
  return {
    // Each declaration is under its own type. `Object.fromEntries` cannot say which.
    declarations: declarations as DeclarationsOf<Resources>,
    types,
    ...resolveAccess([...types.values()], resources, resolvedOptions),
    ...(options.session && { session: options.session }),
    ...resolveAtomic(options),
    begin: begin && transactionScope.observe(begin.bind(options.hooks)),
    transactionScope,
    clientIds: options.clientIds ?? 'discard',
    jsonapi: options.jsonapi ?? '1.0',
    ...(options.profiles && { profiles: new Map(Object.entries(options.profiles)) }),
    ...(options.errorTypes !== undefined && { errorTypes: options.errorTypes }),
    idMismatch: options.idMismatch ?? (options.jsonapi === '1.1' ? 'conflict' : 'discard'),
    ...pageSizes(options),
    idempotency: {
      // The declaration names the type of the auth contexts that `authenticate` returns.
      principal: options.principal as ((auth: unknown) => unknown) | undefined,
      hours: options.idempotencyHours ?? 24,
    },
    sealer: createSealer(options.secret === undefined ? undefined : [options.secret].flat()),
  }
}

/** The options that the resolution of types depends on. */
interface ResolvedOptions extends Pick<ModelOptions, 'access' | 'invalidValues' | 'pages'> {
  readonly tenant: TenantOptions | undefined
  /** Without `begin`. */
  readonly hooks: Hooks | undefined
}

/** Resolves the resource types by name. @param transactionScope - observes their hooks */
function resolveTypes(
  resources: readonly ResourceDeclaration[],
  { hooks, ...options }: ResolvedOptions,
  transactionScope: TransactionScope,
): ReadonlyMap<string, ResourceType> {
  const foreignKeys = listForeignKeys(resources)
  const resolved = resources.map((declared) => {
    const resource = resolveResource(declared, resources, { hooks, foreignKeys, ...options })
    const observed = transactionScope.observeAll(resource.hooks)
    return [declared.type, { ...resource, hooks: observed }] as const
  })
  return new Map(resolved)
}

/** Resolves the access options; no member for a model in which nothing depends on the auth context. */
function resolveAccess(
  types: readonly ResourceType[],
  declared: readonly ResourceDeclaration[],
  { access, tenant }: ResolvedOptions,
): Pick<Model, 'access'> {
  const hasRules = types.some(
    ({ access: rules, scope, fields }) =>
      rules !== undefined ||
      (scope !== undefined && containsAuthValue(scope)) ||
      [...fields.values()].some(
        (field) =>
          field.access !== undefined ||
          (field.is === 'relationship' && field.linkRules !== undefined),
      ),
  )
  const hasValues = declared.some(({ fields }) =>
    Object.values(fields).some(
      (field) => field.is === 'expression' && containsAuthValue(field.expression),
    ),
  )
  if (!hasRules && !hasValues && access === undefined && tenant === undefined) return {}
  return { access: { isClosed: access !== undefined, tenant } }
}

function resolveAtomic({
  jsonapi,
  atomic = jsonapi === '1.1',
  idMismatch = 'conflict',
}: ModelOptions): Pick<Model, 'atomic'> {
  if (atomic === false) return {}
  const { actions = false, maxOperations = 100 } = atomic === true ? {} : atomic
  return { atomic: { actions, maxOperations, idMismatch } }
}

/** The default of `maxPageSize`. */
const defaultMaxPageSize = 1000

function pageSizes({
  pageSize = 30,
  maxPageSize = Math.max(defaultMaxPageSize, pageSize),
}: ModelOptions): Pick<Model, 'pageSize' | 'maxPageSize'> {
  return { pageSize, maxPageSize: maxPageSize ?? undefined }
}
