import { checkDeclarations } from './check-declarations.ts'
import type { Model, ModelOptions } from './model.ts'
import { resolveResource } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

/** The errors of relationships to types that are not declared; `never` if there are none. */
type UnknownTargets<Resources extends readonly ResourceDeclaration[]> = {
  [Index in keyof Resources]: {
    [Name in keyof Resources[Index]['fields']]: Resources[Index]['fields'][Name] extends {
      readonly to: infer To extends string
    }
      ? To extends Resources[number]['type']
        ? never
        : `${Resources[Index]['type']}.fields.${Name & string}.to: there is no resource type "${To}"`
      : never
  }[keyof Resources[Index]['fields']]
}[number]

/** The declarations of a list, by type. */
type DeclarationsOf<Resources extends readonly ResourceDeclaration[]> = {
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
  resources: Resources &
    ([UnknownTargets<Resources>] extends [never] ? unknown : UnknownTargets<Resources>),
  options: ModelOptions = {},
): Model<DeclarationsOf<Resources>> {
  checkDeclarations(resources, options)
  const declarations = Object.fromEntries(resources.map((declared) => [declared.type, declared]))
  return {
    // Each declaration is under its own type. `Object.fromEntries` cannot say which.
    declarations: declarations as DeclarationsOf<Resources>,
    types: new Map(
      resources.map((declared) => [declared.type, resolveResource(declared, resources)]),
    ),
    clientIds: options.clientIds ?? 'discard',
    idMismatch: options.idMismatch ?? 'discard',
    ...pageSizes(options),
  }
}

/** The default of `maxPageSize`. */
const defaultMaxPageSize = 1000

function pageSizes({
  pageSize = 30,
  maxPageSize = Math.max(defaultMaxPageSize, pageSize),
}: ModelOptions): Pick<Model, 'pageSize' | 'maxPageSize'> {
  return { pageSize, maxPageSize: maxPageSize ?? undefined }
}
