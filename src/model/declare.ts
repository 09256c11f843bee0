import { defineModel, type UnknownTargets } from './define-model.ts'
import type { FieldDeclaration } from './fields.ts'
import type { Model, ModelOptions } from './model.ts'
import { type ResourceDeclaration, resource } from './resource.ts'

/** `resource` and `defineModel` for an application whose auth contexts have one type. */
export interface Declare<Auth> {
  /** Declares a resource type, as `resource`. Its hooks receive `context.auth` with the type `Auth`. */
  resource<
    const Type extends string,
    const Fields extends Readonly<Record<string, FieldDeclaration>>,
  >(
    type: Type,
    declaration: Omit<ResourceDeclaration<Type, Fields, Auth>, 'type'>,
  ): ResourceDeclaration<Type, Fields>
  /** Creates a model, as `defineModel`. Its hooks receive `context.auth` with the type `Auth`. */
  defineModel<const Resources extends readonly ResourceDeclaration[]>(
    resources: Resources &
      ([UnknownTargets<Resources>] extends [never] ? unknown : UnknownTargets<Resources>),
    options?: ModelOptions<Resources[number]['type'], Auth>,
  ): Model
}

/**
 * Returns `resource` and `defineModel` for an application whose `authenticate` returns values of one type:
 * `` const { resource, defineModel } = declare<{ auth: User | undefined }>() ``.
 */
export function declare<Context extends Readonly<{ auth: unknown }>>(): Declare<Context['auth']> {
  return { resource, defineModel }
}
