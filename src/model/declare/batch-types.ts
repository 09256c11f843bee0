import type { Declarations } from '../model.ts'
import type { ActionName, CallInput, CallResult } from './action-types.ts'
import type { IfMatch } from './if-match.ts'
import type { FieldsetCheck } from './query-types.ts'
import type {
  ChangeableName,
  Fieldsets,
  FieldsOf,
  Identifier,
  LinkageChange,
  NewResource,
  NoFieldsets,
  ResourceObject,
  ResourceUpdate,
  TypeName,
  ValueFormat,
  WritableType,
} from './resource-types.ts'
import type { WriteRestrictions } from './restricted-writes.ts'

/** A resource that another operation of the same batch creates: it has no id yet. */
export interface LocalIdentifier<Type extends string = string> {
  readonly type: Type
  readonly lid: string
}

declare const pending: unique symbol
declare const isNew: unique symbol

/** An operation of a batch, which has no result before the batch has run. */
export interface PendingResult<Result> {
  /** It exists in types only. */
  readonly [pending]: Result
}

/** The result of an operation on a resource that the same batch creates. */
export interface PendingOfNew<Result> extends PendingResult<Result> {
  /** It exists in types only. */
  readonly [isNew]: true
}

/** A resource that a batch creates. It stands for its id in later operations of the batch. */
export interface PendingResource<Type extends string, Result>
  extends PendingOfNew<Result>,
    LocalIdentifier<Type> {}

/**
 * The results of what the function of a batch returns: of an operation, or of operations in a list or an object.
 * @typeParam Dry - whether it is a dry run, in which new resources have no id
 */
export type BatchResults<Returned, Dry extends boolean = false> =
  Returned extends PendingResult<infer Result>
    ? Returned extends PendingOfNew<unknown>
      ? NewResult<Result, Dry>
      : Result
    : Returned extends object
      ? { readonly [Name in keyof Returned]: BatchResults<Returned[Name], Dry> }
      : undefined

type NewResult<Result, Dry extends boolean> = Dry extends true ? Omit<Result, 'id'> : Result

/** A value that may name related resources: they may be new ones of the same batch. */
type WithLocalId<Value> =
  Value extends Identifier<infer Type>
    ? Value | LocalIdentifier<Type>
    : Value extends readonly (infer Member)[]
      ? [Extract<Member, Identifier>] extends [never]
        ? Value
        : readonly (Member | LocalIdentifier<Extract<Member, Identifier>['type']>)[]
      : Value

/** The fields of a write whose related resources may be new ones of the same batch. */
type WithLocalIds<Fields> = { readonly [Name in keyof Fields]: WithLocalId<Fields[Name]> }

/** What an operation depends on. */
interface OperationCondition {
  /** The version of what it changes, or a resource that was read with `withVersions: true`; `*` for any version. */
  readonly ifMatch?: IfMatch | undefined
}

/** The resource of an operation: its id, or a new one of the same batch. */
type BatchTarget<Type extends string> = string | LocalIdentifier<Type>

/** The result of an update, which in a dry run has no id if the same batch creates the resource. */
type PendingUpdate<Target, Result> = [Target] extends [string]
  ? PendingResult<Result>
  : PendingOfNew<Result>

/** Adds operations to a batch. Nothing runs before the function that gets it has returned. */
export interface Batch<
  Types extends Declarations,
  Sets = NoFieldsets,
  Format extends ValueFormat = 'kind',
> {
  /** Creates a resource. @returns what stands for it in later operations */
  create<Type extends WritableType<Types> & TypeName<Types>>(
    type: Type,
    fields: WithLocalIds<NewResource<Types, Type, Format>>,
  ): PendingResource<Type, ResourceObject<Types, Type, never, Sets, Format>>
  /** Updates a resource. */
  update<
    Type extends WritableType<Types> & TypeName<Types>,
    Target extends BatchTarget<NoInfer<Type>>,
  >(
    type: Type,
    id: Target,
    fields: WithLocalIds<ResourceUpdate<Types, Type, Format>>,
    options?: OperationCondition,
  ): PendingUpdate<Target, ResourceObject<Types, Type, never, Sets, Format>>
  /** Deletes a resource. */
  remove<Type extends WritableType<Types> & TypeName<Types>>(
    type: Type,
    id: BatchTarget<NoInfer<Type>>,
    options?: OperationCondition,
  ): PendingResult<undefined>
  /** Changes a relationship. */
  relate<
    Type extends TypeName<Types> & string,
    Name extends ChangeableName<FieldsOf<Types, Type>> & string,
  >(
    type: Type,
    id: BatchTarget<NoInfer<Type>>,
    relationship: Name,
    change: WithLocalIds<LinkageChange<FieldsOf<Types, Type>[Name]>>,
    options?: OperationCondition,
  ): PendingResult<undefined>
  /** Calls an action, in a model with `atomic: { actions: true }`. */
  call<Type extends TypeName<Types> & string, Name extends ActionName<Types[Type]>>(
    type: Type,
    action: Name,
    input: Omit<CallInput<Types, Type, Name, Format>, 'idempotencyKey'>,
  ): PendingResult<CallResult<Types, Type, Name, never, Sets & Fieldsets<Types>, Format>>
}

/** What the results of a batch contain, how it may be repeated, and how it is restricted. */
export interface BatchOptions<
  Types extends Declarations,
  Sets extends Fieldsets<Types>,
  Dry extends boolean = boolean,
> extends WriteRestrictions<Dry> {
  /** The fields of the resources of the results, by type. Default: all. */
  readonly fields?: Sets & FieldsetCheck<Types, Sets>
  /** A key such as `crypto.randomUUID()`: a call with the same operations and key gets the results of the first one. */
  readonly idempotencyKey?: string | undefined
}
