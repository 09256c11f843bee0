import type { Kind } from '../kinds/kinds.ts'
import type { Sql } from '../sql.ts'
import { type AuthValue, computeAuthValue, type FieldRule, isAuthValue } from './access.ts'
import type { Awaitable, HookContext } from './hooks.ts'
import type { NullableParameter } from './parameter.ts'

/** The parameters of an action, by name: an attribute kind, or `nullable` of one. */
export type ActionParameters = Readonly<Record<string, Kind<unknown> | NullableParameter>>

/** The values of the parameters of a call. */
export type ActionValues<Parameters extends ActionParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends NullableParameter<infer Value>
    ? Value | null
    : Parameters[Name] extends Kind<infer Value>
      ? Value
      : never
}

/**
 * What an action returns: one resource of a type, several of them, or values in `meta` by the kinds of its members. An action
 * without a result returns a message.
 */
export type ActionResult =
  | Readonly<{ resource: string }>
  | Readonly<{ resources: string }>
  | Readonly<{ meta: Readonly<Record<string, Kind<unknown>>> }>

/** What `run` of an action returns: the id of a resource, ids of resources, or the members of `meta`, each of which may be null. */
export type ActionReturnValue<Result> = Result extends { readonly resource: string }
  ? string
  : Result extends { readonly resources: string }
    ? readonly string[]
    : Result extends {
          readonly meta: infer Members extends Readonly<Record<string, Kind<unknown>>>
        }
      ? {
          readonly [Name in keyof Members]: Members[Name] extends Kind<infer Value>
            ? Value | null
            : never
        }
      : // biome-ignore lint/suspicious/noConfusingVoidType: an action without a result may return nothing at all
        void

/** What an action belongs to: one resource, `POST /issues/1/actions/close`, or the collection, `POST /issues/actions/import`. */
export type ActionTarget = 'resource' | 'collection'

/** Resources and values whose types are not known to the compiler. */
type Untyped = Readonly<Record<string, unknown>>

/** The calls in the transaction of an action. */
export interface WriterCalls {
  list(
    type: string,
    query?: Untyped,
  ): Promise<Readonly<{ data: readonly Untyped[]; meta: Readonly<{ count: number }> }>>
  get(type: string, id: string, query?: Untyped): Promise<Untyped>
  create(type: string, fields: Untyped, query?: Untyped): Promise<Untyped & { readonly id: string }>
  update(type: string, id: string, fields: Untyped, query?: Untyped): Promise<Untyped>
  remove(type: string, id: string): Promise<void>
  relate(type: string, id: string, relationship: string, change: Untyped): Promise<void>
  call(type: string, action: string, input?: Untyped): Promise<unknown>
}

/**
 * Reads and writes in the transaction of an action, on behalf of the request: with its checks, validators, hooks and access rules. They
 * are those of `api.with(…)`, without the types that follow from the declarations: an action is a part of one. `TypedActionCalls` has them.
 */
export interface ActionCalls extends WriterCalls {
  /** Returns the same calls for what only the server writes: fields that are read-only, immutable, set or not writable by rules. */
  asServer(): WriterCalls
}

/** A call of an action, as `run` receives it: the request, its transaction, and what the client sent. */
export interface ActionContext<
  Parameters extends ActionParameters = ActionParameters,
  Target extends ActionTarget = ActionTarget,
  Auth = unknown,
  Calls = ActionCalls,
> extends HookContext<Auth> {
  /** The id of the resource; absent for an action of a collection. */
  readonly id: Target extends 'resource' ? string : undefined
  readonly parameters: ActionValues<Parameters>
  /** Reads and writes in the transaction, with the checks, hooks and access rules of the request. */
  readonly tx: Calls
}

/** The options of an action, except what it does. */
interface ActionOptions<
  Target extends ActionTarget,
  Parameters extends ActionParameters,
  Result extends ActionResult | undefined,
> {
  /** Default `resource`. */
  readonly on?: Target
  /** The parameters of a call, by name. Default: none. */
  readonly parameters?: Parameters
  /** Default: nothing; the response has a message. */
  readonly returns?: Result
  /** What the action does, for people: the description of the API shows it. */
  readonly description?: string
  /** Who may call it, among the identities that the rule `call` of the type allows. Default: all of them. */
  readonly callable?: FieldRule
  /** `required`: calls without `Idempotency-Key` are rejected (400). Default: that of the type. */
  readonly idempotency?: 'required' | 'optional'
  /** Whether `Prefer: dry-run` may run it, and roll back what it writes: it has no other effects then. Default false. */
  readonly dryRun?: boolean
}

/** What an action does: JavaScript, or SQL such as the call of a stored function or procedure. */
type ActionWork<
  Target extends ActionTarget,
  Parameters extends ActionParameters,
  Result extends ActionResult | undefined,
  Auth,
  Calls,
> =
  | Readonly<{
      /** Runs in the transaction of the request, perhaps more than once. An error rolls the transaction back. */
      run: (
        call: ActionContext<Parameters, Target, Auth, Calls>,
      ) => Awaitable<ActionReturnValue<Result>>
      sql?: never
    }>
  | Readonly<{
      /**
       * Writes the SQL. A pure function: it gets a bind parameter for each parameter, and for each column of the id of the resource.
       * Its rows have the columns of the id of the returned resources.
       */
      sql: Result extends { readonly meta: unknown }
        ? never
        : (parameters: { readonly [Name in keyof Parameters]: Sql }, ...id: readonly Sql[]) => Sql
      run?: never
    }>

/** The declaration of an action. */
export type ActionDeclaration<
  Target extends ActionTarget,
  Parameters extends ActionParameters,
  Result extends ActionResult | undefined,
  Auth = unknown,
  Calls = ActionCalls,
> = ActionOptions<Target, Parameters, Result> & ActionWork<Target, Parameters, Result, Auth, Calls>

/**
 * A declared action of a resource type: an operation that is not the create, the update or the deletion of one resource.
 * @typeParam Target - the option `on`
 * @typeParam Parameters - the option `parameters`
 * @typeParam Result - the option `returns`
 */
export interface Action<
  Target extends ActionTarget = ActionTarget,
  Parameters extends ActionParameters = ActionParameters,
  Result extends ActionResult | undefined = ActionResult | undefined,
> {
  readonly is: 'action'
  readonly on: Target
  readonly parameters: Parameters
  readonly returns: Result
  readonly description?: string
  readonly callable?: FieldRule
  readonly idempotency?: 'required' | 'optional'
  readonly dryRun?: boolean
  /** The SQL of the action; absent if JavaScript does it. */
  readonly sql?: (parameters: Readonly<Record<string, Sql>>, ...id: readonly Sql[]) => Sql
  /** The JavaScript of the action; absent if SQL does it. */
  readonly run?: (call: ActionContext) => unknown
}

/** Actions by name. */
export type Actions = Readonly<Record<string, Action>>

/** The parameters of an action that declares none, and of a type that a table stores. */
// biome-ignore lint/complexity/noBannedTypes: an object type without members
export type NoParameters = {}

/**
 * Repeats `run` of an action with a result: through the conditional type, the compiler knows the result while it reads `run`, and does
 * not widen a value of an enumeration to a string.
 */
type ResultOfRun<
  Target extends ActionTarget,
  Parameters extends ActionParameters,
  Result extends ActionResult | undefined,
  Auth,
  Calls,
> = undefined extends Result
  ? unknown
  : Readonly<{
      run?: (
        call: ActionContext<Parameters, Target, Auth, Calls>,
      ) => Awaitable<ActionReturnValue<Result>>
    }>

/** Declares an action whose `run` receives `auth` and `tx` with one type each. */
export type DeclareAction<Auth, Calls = ActionCalls> = <
  const Target extends ActionTarget = 'resource',
  const Parameters extends ActionParameters = NoParameters,
  const Result extends ActionResult | undefined = undefined,
>(
  declaration: ActionDeclaration<Target, Parameters, Result, Auth, Calls> &
    ResultOfRun<Target, Parameters, Result, Auth, Calls>,
) => Action<
  Inferred<Target, ActionTarget>,
  Inferred<Parameters, ActionParameters>,
  Inferred<Result, ActionResult | undefined>
>

/** A type argument as the declaration gives it: what the place of the declaration expects is not inferred through a conditional type. */
export type Inferred<Argument, Constraint> = [Argument] extends [infer Value extends Constraint]
  ? Value
  : never

/**
 * Declares an action: an operation of a resource type with typed parameters and a typed result, in one transaction. Clients call it
 * with `POST /issues/1/actions/close`.
 */
export const action: DeclareAction<unknown> = (declaration) => {
  const { on = 'resource', parameters = {}, returns, ...rest } = declaration
  // The defaults have the types of the absent type arguments, which the compiler does not evaluate here.
  return { is: 'action', on, parameters, returns, ...rest } as never
}

/** Whether the rule `callable` of an action admits an auth context. @throws what the function of the rule throws */
export function isCallable({ callable = true }: Action, auth: unknown): boolean {
  return typeof callable === 'boolean' ? callable : decide(callable, auth)
}

/** Decides by a function of the auth context; without one, nothing is allowed. */
function decide(rule: AuthValue<boolean> | ((auth: never) => boolean), auth: unknown): boolean {
  if (auth === undefined || auth === null) return false
  return computeAuthValue(isAuthValue(rule) ? rule : { is: 'auth', compute: rule }, auth) === true
}

/** The message of the response to an action that returns nothing. */
export const actionMessage = 'Action successfully completed'
