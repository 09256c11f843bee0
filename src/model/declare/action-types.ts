import type { Kind } from '../kinds/kinds.ts'
import type { Declarations } from '../model.ts'
import type { ActionParameters, ActionResult } from './action.ts'
import type { IfMatch } from './if-match.ts'
import type { NullableParameter } from './parameter.ts'
import type { FieldsetCheck, FilterInput, IncludePath, PathCheck, SortKey } from './query-types.ts'
import type {
  Fieldsets,
  FieldsOf,
  InFormat,
  ResourceObject,
  TypeName,
  UntypedInput,
  ValueFormat,
} from './resource-types.ts'

/** The declared actions of a type. */
type ActionsOf<Declared> = Declared extends { readonly actions?: infer Acts }
  ? NonNullable<Acts>
  : never

/** The names of the actions of a type. */
export type ActionName<Declared> = keyof ActionsOf<Declared> & string

/** One member of the declaration of an action, e.g. `parameters`. */
type OptionOf<Declared, Name, Option extends string> =
  ActionsOf<Declared> extends infer Acts
    ? Name extends keyof Acts
      ? Acts[Name] extends { readonly [Key in Option]: infer Value }
        ? Value
        : undefined
      : undefined
    : undefined

/** The type of the resources that an action returns; `never` for none. */
export type ReturnedType<Types extends Declarations, Type extends TypeName<Types>, Name> = Extract<
  OptionOf<Types[Type], Name, 'returns'> extends infer Result
    ? Result extends { readonly resource: infer To } | { readonly resources: infer To }
      ? To
      : never
    : never,
  TypeName<Types>
>

/** The values of parameters: those that a call must send, and those that it may omit. */
type ParameterInput<Parameters, Format extends ValueFormat> = Parameters extends ActionParameters
  ? {
      readonly [Name in keyof Parameters as Parameters[Name] extends NullableParameter
        ? never
        : Name]: Parameters[Name] extends Kind<infer Value> ? InFormat<Value, Format> : never
    } & {
      readonly [Name in keyof Parameters as Parameters[Name] extends NullableParameter
        ? Name
        : never]?: Parameters[Name] extends NullableParameter<infer Value>
        ? InFormat<Value, Format> | null | undefined
        : never
    }
  : never

/** The member `parameters` of a call; optional if no parameter is required. */
type ParametersMember<Values> =
  Record<never, never> extends Values
    ? { readonly parameters?: Values }
    : { readonly parameters: Values }

/** What a call sends: the id of the resource, and the parameters. */
export type CallInput<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Name,
  Format extends ValueFormat = 'kind',
> = string extends keyof Types
  ? UntypedInput
  : Readonly<{ ifMatch?: IfMatch | undefined; idempotencyKey?: string | undefined }> &
      (OptionOf<Types[Type], Name, 'on'> extends 'resource' ? { readonly id: string } : unknown) &
      ParametersMember<ParameterInput<OptionOf<Types[Type], Name, 'parameters'>, Format>>

/** Which of the returned resources a call gets, and with which fields and related resources. */
export interface CallQuery<
  Types extends Declarations,
  To extends TypeName<Types>,
  Path extends string,
  Sets,
> {
  readonly include?: readonly Path[] & PathCheck<Types, To, Path>
  readonly fields?: Sets & FieldsetCheck<Types, Sets>
  /** Only for an action that returns several resources. */
  readonly filter?: FilterInput<Types, To>
  /** Only for an action that returns several resources. */
  readonly sort?: readonly (SortKey<FieldsOf<Types, To>> & string)[]
}

/** The result of a call. */
export type CallResult<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Name,
  Path extends string,
  Sets extends Fieldsets<Types>,
  Format extends ValueFormat = 'kind',
> = string extends keyof Types
  ? unknown
  : OptionOf<Types[Type], Name, 'returns'> extends infer Result
    ? Result extends ActionResult
      ? Result extends { readonly meta: infer Members }
        ? {
            readonly [Member in keyof Members]: Members[Member] extends Kind<infer Value>
              ? InFormat<Value, Format> | null
              : never
          }
        : Result extends { readonly resource: infer To extends TypeName<Types> }
          ? ResourceObject<Types, To, Path, Sets, Format>
          : Result extends { readonly resources: infer To extends TypeName<Types> }
            ? Readonly<{
                data: readonly ResourceObject<Types, To, Path, Sets, Format>[]
                meta: Readonly<{ count: number }>
              }>
            : never
      : undefined
    : never

/** The include paths of a call. */
export type CallPath<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Name,
> = string extends keyof Types ? string : IncludePath<Types, ReturnedType<Types, Type, Name>>
