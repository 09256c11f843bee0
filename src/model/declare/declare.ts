import type { Model, ModelOptions } from '../model.ts'
import { type AuthValue, auth } from './access.ts'
import {
  type ActionCalls,
  type Actions,
  action,
  type DeclareAction,
  type Inferred,
  type NoParameters,
} from './action.ts'
import { type Checked, type DeclarationsOf, defineModel } from './define-model.ts'
import type { FieldDeclarations, WriteAccess } from './fields.ts'
import type { QueryParameters } from './parameter.ts'
import {
  type ClientIds,
  type IdQueries,
  type NoActions,
  type NoQueries,
  type ResourceDeclaration,
  type ResourceOptions,
  resource,
} from './resource.ts'

/** `resource`, `action`, `defineModel` and `auth` for an application whose auth contexts have one type. */
export interface Declare<Auth, Calls = ActionCalls> {
  /** Declares a resource type, as `resource`. Its hooks receive `context.auth` with the type `Auth`. */
  resource<
    const Type extends string,
    const Fields extends FieldDeclarations,
    const Rights extends WriteAccess = 'read-write',
    const FromClient extends ClientIds = undefined,
    const Queries extends IdQueries = NoQueries,
    const Acts extends Actions = NoActions,
    const Arguments extends QueryParameters = NoParameters,
  >(
    type: Type,
    declaration: ResourceOptions<Fields, Rights, FromClient, Type, Auth, Queries, Acts, Arguments>,
  ): ResourceDeclaration<
    Type,
    Fields,
    NoInfer<Rights>,
    NoInfer<FromClient>,
    NoInfer<Queries>,
    Inferred<Acts, Actions>,
    NoInfer<Arguments>
  >
  /** Declares an action, as `action`. Its `run` receives `auth` with the type `Auth`, and `tx` with the type `Calls`. */
  action: DeclareAction<Auth, Calls>
  /** Creates a model, as `defineModel`. Its hooks receive `context.auth` with the type `Auth`, which `authenticate` returns. */
  defineModel<const Resources extends readonly ResourceDeclaration[]>(
    resources: Resources & NoInfer<Checked<Resources>>,
    options?: ModelOptions<Resources[number]['type'], Auth>,
  ): Model<DeclarationsOf<Resources>, Auth>
  /** Defers a value or a decision, as `auth`. Its function does not run for requests without an auth context. */
  auth<Value>(compute: (auth: NonNullable<Auth>) => Value): AuthValue<Value>
}

/** What is the same for all declarations of an application: the type of its auth contexts and, for `declare`, of `tx` in actions. */
export interface DeclaredContext {
  readonly auth: unknown
  /** Default `ActionCalls`, without types; `TypedActionCalls` has those of the declarations. */
  readonly tx?: unknown
}

/**
 * Returns `resource`, `action`, `defineModel` and `auth` for an application whose `authenticate` returns values of one type:
 * `` const { resource, defineModel, auth } = declare<{ auth: User | undefined }>() ``. With `tx: TypedActionCalls<[typeof issues]>` the
 * calls in the transaction of an action have the types of these declarations.
 */
export function declare<Context extends DeclaredContext>(): Declare<
  Context['auth'],
  CallsOf<Context>
> {
  // An action receives the same calls whatever their type is.
  return { resource, action: action as never, defineModel, auth }
}

type CallsOf<Context> = Context extends { readonly tx: infer Calls } ? Calls : ActionCalls
