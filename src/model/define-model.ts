import { checkDeclarations } from './check-declarations.ts'
import { containsAuthValue } from './contains-auth-value.ts'
import type { Model, ModelOptions, ResourceType } from './model.ts'
import { resolveResource } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** Each type of a list once, as an error message shows it: `"article", "person"`. */
type NamesOf<
  Resources extends readonly ResourceDeclaration[],
  Names extends string = '',
> = Resources extends readonly [
  infer First extends ResourceDeclaration,
  ...infer Others extends readonly ResourceDeclaration[],
]
  ? NamesOf<Others, Names extends '' ? `"${First['type']}"` : `${Names}, "${First['type']}"`>
  : Names

/** The errors of a declaration's relationships to types that are not declared; `never` if there are none. */
type UnknownTargets<
  Resource extends ResourceDeclaration,
  Resources extends readonly ResourceDeclaration[],
> = {
  [Name in keyof Resource['fields']]-?: Resource['fields'][Name] extends {
    readonly to: infer To extends string
  }
    ? To extends Resources[number]['type']
      ? never
      : `${Resource['type']}.fields.${Name & string}.to: there is no resource type "${To}"; the types are ${NamesOf<Resources>}`
    : never
}[keyof Resource['fields']]

// Both recursive types are tail-recursive: the compiler evaluates 1,000 steps of such a type, and 50 of another.

/**
 * The declarations of a list, where one with an error is replaced by a message: a relationship to an unknown type, or a type
 * that an earlier declaration has.
 */
export type Checked<
  Rest extends readonly ResourceDeclaration[],
  Resources extends readonly ResourceDeclaration[],
  Earlier extends string = never,
  Done extends readonly unknown[] = readonly [],
> = Rest extends readonly [
  infer First extends ResourceDeclaration,
  ...infer Others extends readonly ResourceDeclaration[],
]
  ? Checked<
      Others,
      Resources,
      Earlier | First['type'],
      readonly [
        ...Done,
        First['type'] extends Earlier
          ? `${First['type']}: there are two resource types of this name; rename one of them`
          : [UnknownTargets<First, Resources>] extends [never]
            ? First
            : UnknownTargets<First, Resources>,
      ]
    >
  : readonly [...Done, ...Rest]

/** The declarations of a list, by type. */
export type DeclarationsOf<Resources extends readonly ResourceDeclaration[]> = {
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
  resources: Resources & NoInfer<Checked<Resources, Resources>>,
  options: ModelOptions<Resources[number]['type']> = {},
): Model<DeclarationsOf<Resources>> {
  checkDeclarations(resources, options)
  const declarations = Object.fromEntries(resources.map((declared) => [declared.type, declared]))
  const { begin, ...hooks } = options.hooks ?? {}
  const types = new Map(
    resources.map((declared) => [
      declared.type,
      resolveResource(declared, resources, {
        hooks: options.hooks && hooks,
        invalidValues: options.invalidValues,
        tenant: options.tenant,
      }),
    ]),
  )
  return {
    // Each declaration is under its own type. `Object.fromEntries` cannot say which.
    declarations: declarations as DeclarationsOf<Resources>,
    types,
    ...resolveAccess([...types.values()], options),
    ...(options.session && { session: options.session }),
    begin,
    clientIds: options.clientIds ?? 'discard',
    idMismatch: options.idMismatch ?? 'discard',
    ...pageSizes(options),
  }
}

/** Resolves the access options; no member for a model in which nothing depends on the auth context. */
function resolveAccess(
  types: readonly ResourceType[],
  { access, tenant }: ModelOptions,
): Pick<Model, 'access'> {
  const hasRules = types.some(
    ({ access: rules, scope, fields }) =>
      rules !== undefined ||
      (scope !== undefined && containsAuthValue(scope)) ||
      [...fields.values()].some((field) => field.access !== undefined),
  )
  if (!hasRules && access === undefined && tenant === undefined) return {}
  return { access: { isClosed: access !== undefined, tenant } }
}

/** The default of `maxPageSize`. */
const defaultMaxPageSize = 1000

function pageSizes({
  pageSize = 30,
  maxPageSize = Math.max(defaultMaxPageSize, pageSize),
}: ModelOptions): Pick<Model, 'pageSize' | 'maxPageSize'> {
  return { pageSize, maxPageSize: maxPageSize ?? undefined }
}
