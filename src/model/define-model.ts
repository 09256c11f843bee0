import { checkDeclarations } from './check-declarations.ts'
import type { Model, ModelOptions } from './model.ts'
import { resolveResource } from './resolve.ts'
import type { ResourceDeclaration } from './resource.ts'

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

/**
 * Puts declared resources together and checks all that can be known without a database.
 *
 * @param resources - every resource type; a relationship to one that is not among them does not compile
 * @param options - the service's choices
 * @throws Error with one line per mistake, each with the path to the wrong word
 */
export function defineModel<const Resources extends readonly ResourceDeclaration[]>(
  resources: Resources &
    ([UnknownTargets<Resources>] extends [never] ? unknown : UnknownTargets<Resources>),
  options: ModelOptions = {},
): Model {
  checkDeclarations(resources, options)
  return {
    types: new Map(
      resources.map((declared) => [declared.type, resolveResource(declared, resources)]),
    ),
    clientIds: options.clientIds ?? 'discard',
    idMismatch: options.idMismatch ?? 'discard',
    ...pageSizes(options),
  }
}

/** The largest page of a model whose options do not say. */
const defaultMaxPageSize = 1000

function pageSizes({
  pageSize = 30,
  maxPageSize = Math.max(defaultMaxPageSize, pageSize),
}: ModelOptions): Pick<Model, 'pageSize' | 'maxPageSize'> {
  return { pageSize, maxPageSize: maxPageSize ?? undefined }
}
