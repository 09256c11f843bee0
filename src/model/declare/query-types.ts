import type { FilterConditions, FilterValue } from '../kinds/filter-conditions.ts'
import type { Kind } from '../kinds/kinds.ts'
import type { CountOperatorName, CustomOperatorName, OperatorName } from '../kinds/operators.ts'
import type { Declarations } from '../model.ts'
import type { FieldDeclarations } from './fields.ts'
import type { DefaultParameter, NullableParameter, QueryParameters } from './parameter.ts'
import type {
  CountedName,
  Fieldsets,
  FieldsOf,
  JsonFilterName,
  JsonSortName,
  NoFieldsets,
  RelatedType,
  RelationshipName,
  StoredName,
  ToOneName,
  TypeName,
} from './resource-types.ts'
import type { TableFunction } from './table-function.ts'

/** The names by which a list can be filtered: stored attributes, `id`, relationships, and paths through relationships. */
type FilterName<Fields extends FieldDeclarations> = string extends keyof Fields
  ? string
  :
      | 'id'
      | (StoredName<Fields> & string)
      | (RelationshipName<Fields> & string)
      | `${RelationshipName<Fields>}__${string}`
      | JsonFilterName<Fields>

/**
 * The names by which a list can be sorted: stored attributes, `id`, paths through to-one relationships, and the numbers of related
 * resources.
 */
type SortName<Fields extends FieldDeclarations> = string extends keyof Fields
  ? string
  :
      | 'id'
      | (StoredName<Fields> & string)
      | `${ToOneName<Fields>}.${string}`
      | `${CountedName<Fields>}.count`
      | JsonSortName<Fields>

/** A term of the order of a list; `-` in front means descending. */
export type SortKey<Fields extends FieldDeclarations> = SortName<Fields> | `-${SortName<Fields>}`

/**
 * A filter object: a comparison, a condition on related resources, or a combination (`docs/service.md`, Filter).
 * @typeParam Name - the names by which the type can be filtered
 * @typeParam Operator - the operators of kinds that a program defines
 */
export type Filter<Name extends string = string, Operator extends string = never> =
  | FilterTerm<Name, Operator>
  | Readonly<{ and: readonly Filter<Name, Operator>[] }>
  | Readonly<{ or: readonly Filter<Name, Operator>[] }>
  | Readonly<{ not: Filter<Name, Operator> }>

/** A comparison of a field, or a condition on the resources of a relationship. */
export interface FilterTerm<Name extends string = string, Operator extends string = never> {
  readonly name: Name
  readonly op: OperatorName | 'any' | 'has' | 'call' | CountOperatorName | Operator
  /** The value, a list of values, or, for `any` and `has`, a nested filter. */
  readonly val?: unknown
  /** The field to compare with, instead of a value. */
  readonly field?: Name
}

/** Filters that must all match: filter objects as over HTTP, or conditions by name. */
export type FilterInput<Types extends Declarations, Type extends TypeName<Types>> =
  | readonly Filter<
      FilterName<FieldsOf<Types, Type>> | QueryName<Types[Type]> | ArgumentName<Types[Type]>,
      CustomOperatorName<FieldsOf<Types, Type>[keyof FieldsOf<Types, Type>]>
    >[]
  | (FilterConditions<Types, Type> & ArgumentValues<ParametersOf<Types[Type]>>)

/** The names of the declared queries of a type. */
type QueryName<Declared> = Declared extends { readonly queries?: infer Queries }
  ? keyof NonNullable<Queries> & string
  : never

/** The parameters of the table function of a type. */
type ParametersOf<Declared> = Declared extends {
  readonly table: string | TableFunction<infer Parameters>
}
  ? Parameters
  : never

/** The names of the parameters of the table function of a type. */
type ArgumentName<Declared> = keyof ParametersOf<Declared> & string

/** The values of the parameters of a table function; `unknown` if there are none, or if the compiler does not know them. */
type ArgumentValues<Parameters extends QueryParameters> = [keyof Parameters] extends [never]
  ? unknown
  : string extends keyof Parameters
    ? unknown
    : {
        readonly [Name in keyof Parameters as Parameters[Name] extends OptionalParameter
          ? never
          : Name]: ArgumentValue<Parameters[Name]>
      } & {
        readonly [Name in keyof Parameters as Parameters[Name] extends OptionalParameter
          ? Name
          : never]?: ArgumentValue<Parameters[Name]>
      }

/** A parameter that a call may omit. */
type OptionalParameter = NullableParameter | DefaultParameter

/** The value of a parameter. An object is `{ eq: value }`, because a condition by name is an object with operators. */
type ArgumentValue<Parameter> =
  Parameter extends NullableParameter<infer Value>
    ? EqualValue<Value> | null
    : Parameter extends DefaultParameter<infer Value>
      ? EqualValue<Value>
      : Parameter extends Kind<infer Value>
        ? EqualValue<Value>
        : never

type EqualValue<Value> =
  | (Value extends Readonly<Record<string, unknown>> ? never : FilterValue<Value>)
  | { readonly eq: FilterValue<Value> }

/** The names of the parameters that a list of a type has to send. */
type RequiredArgument<Parameters extends QueryParameters> = string extends keyof Parameters
  ? never
  : {
      [Name in keyof Parameters & string]: Parameters[Name] extends OptionalParameter ? never : Name
    }[keyof Parameters & string]

/** The types whose lists have required parameters. The compiler finds them once for a model, most of which have none. */
type CalledType<Types extends Declarations> = string extends keyof Types
  ? never
  : {
      [Type in keyof Types]: [RequiredArgument<ParametersOf<Types[Type]>>] extends [never]
        ? never
        : Type
    }[keyof Types]

/** The sentences that name the parameters which a list of a type has to send; `never` if it needs none. */
export type MissingArgument<Types extends Declarations, Type extends TypeName<Types>> = [
  CalledType<Types>,
] extends [never]
  ? never
  : Type extends CalledType<Types>
    ? `${Type & string} needs the parameter "${RequiredArgument<ParametersOf<Types[Type]>>}" in filter`
    : never

/** A type whose list needs no filter; for all others the sentences that name the parameters. */
export type UnfilteredType<Types extends Declarations, Type extends TypeName<Types>> = [
  MissingArgument<Types, Type>,
] extends [never]
  ? Type
  : MissingArgument<Types, Type>

/** `unknown` if the list of a type needs no filter, else the member that it needs. */
export type FilterCheck<Types extends Declarations, Type extends TypeName<Types>> = [
  CalledType<Types>,
] extends [never]
  ? unknown
  : Type extends CalledType<Types>
    ? { readonly filter: FilterBy<RequiredArgument<ParametersOf<Types[Type]>>> }
    : unknown

/** `undefined` if the list of a type needs no filter, else the sentences that name the parameters. */
export type NoQuery<Types extends Declarations, Type extends TypeName<Types>> = [
  MissingArgument<Types, Type>,
] extends [never]
  ? undefined
  : MissingArgument<Types, Type>

/** A list of filter objects, or conditions by name, some of which are required. Compiler messages show the names. */
type FilterBy<Name extends string> = readonly object[] | Readonly<Record<Name, unknown>>

/**
 * A path of relationships, joined by dots. The first is checked here, all others by `PathCheck`, so that no type enumerates
 * the paths of a model.
 */
export type IncludePath<
  Types extends Declarations,
  Type extends TypeName<Types>,
> = string extends keyof Types
  ? string
  : RelationshipName<FieldsOf<Types, Type>> | `${RelationshipName<FieldsOf<Types, Type>>}.${string}`

/** `unknown` if all paths exist, else the sentence that names the unknown relationship. */
export type PathCheck<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string,
> = [PathError<Types, Type, Path>] extends [never] ? unknown : PathError<Types, Type, Path>

type PathError<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string,
> = string extends keyof Types
  ? never
  : Path extends `${infer Name}.${infer Rest}`
    ? Name extends RelationshipName<FieldsOf<Types, Type>>
      ? PathError<Types, RelatedType<Types, FieldsOf<Types, Type>[Name]>, Rest>
      : UnknownRelationship<Type, Name, RelationshipName<FieldsOf<Types, Type>>>
    : Path extends RelationshipName<FieldsOf<Types, Type>>
      ? never
      : UnknownRelationship<Type, Path, RelationshipName<FieldsOf<Types, Type>>>

/** One sentence for each relationship that the type has. */
type UnknownRelationship<Type extends string, Name extends string, Known extends string> = [
  Known,
] extends [never]
  ? `${Type} has no relationship "${Name}"; it has none`
  : `${Type} has no relationship "${Name}"; it has "${Known}"`

/** `unknown` if all types of the fieldsets exist, else a sentence for each that does not. */
export type FieldsetCheck<Types extends Declarations, Sets> = string extends keyof Types
  ? unknown
  : {
      readonly [Type in Exclude<
        keyof Sets,
        keyof Types
      >]: `there is no resource type "${Type & string}"`
    }

/** Values by include path; a path of `include` has its beginnings, too. The server rejects any other. */
type ByPath<Value> = Readonly<Record<string, Value>>

/** The fields and related resources of a response. */
export interface ResourceQuery<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string = never,
  Sets extends Fieldsets<Types> = NoFieldsets,
> {
  /** The fields of the resources of each type; all by default. */
  readonly fields?: Sets & FieldsetCheck<Types, Sets>
  /** The paths of related resources, e.g. `['computers', 'computers.owner']`. */
  readonly include?: readonly Path[] & PathCheck<Types, Type, Path>
  /**
   * The page of members of an include path, for each resource, e.g. `{ computers: { size: 5 } }`. With `after`, a cursor, the members of
   * the only resource start behind it.
   */
  readonly includePage?: ByPath<Readonly<{ size?: number; after?: string }>>
  /** The order of the members of an include path, e.g. `{ computers: ['-serial'] }`. */
  readonly includeSort?: ByPath<readonly string[]>
  /** Which members of an include path are included: conditions by name, or filter objects. */
  readonly includeFilter?: ByPath<readonly Filter[] | Readonly<Record<string, unknown>>>
  /** The to-many relationships whose related resources are counted. They are declared with `count: true`. */
  readonly withCount?: readonly (CountedName<FieldsOf<Types, Type>> & string)[]
  /** Whether each resource has its version, which `versionOf` returns. */
  readonly withVersions?: boolean
}

/** The rows of a list, and their order. */
export interface ListSelection<Types extends Declarations, Type extends TypeName<Types>> {
  /**
   * Conditions by name, e.g. `{ name: { startswith: 'A' }, computers: { any: { serial: 'x' } } }`, or a list of filter objects.
   * All must match.
   */
  readonly filter?: FilterInput<Types, Type>
  /** The order, e.g. `['-birth_date', 'name']`. */
  readonly sort?: readonly (SortKey<FieldsOf<Types, Type>> & string)[]
}

/** A page of a list: by its number, or between cursors. */
export interface PageInput {
  /** Counted from 1. Default 1. Not with cursors. */
  readonly number?: number
  /** The number of resources. Default: that of the model. */
  readonly size?: number
  /** The cursor behind which the page starts. */
  readonly after?: string
  /** The cursor in front of which the page ends. */
  readonly before?: string
  /** How the resources on all pages are counted; makes the page one between cursors. Default: that of the declaration. */
  readonly total?: 'exact' | 'capped' | 'none'
  /** Whether each resource has its cursor, which `cursorOf` returns; makes the page one between cursors. Default false. */
  readonly cursors?: boolean
}

/** What is known of the pages beside a page between cursors. */
export interface PageCursors {
  /** The cursor of the first page, for `after`. */
  readonly first: string
  /** The cursor of the page before, for `before`; null where nothing is there. */
  readonly before: string | null
  /** The cursor of the page after, for `after`; null where nothing is there. */
  readonly after: string | null
  /** The cursor of the last page, for `before`. */
  readonly last: string
  /** The number of resources on all pages, if they were counted exactly. */
  readonly total?: number
  /** What a capped count knows of more than 10,000 resources. */
  readonly estimatedTotal?: Readonly<{ bestGuess: number }>
  /** True if more resources lie between two cursors than the page has. */
  readonly rangeTruncated?: true
}

/** The query of a list: the same parameters as over HTTP. */
export interface ListQuery<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string = never,
  Sets extends Fieldsets<Types> = NoFieldsets,
> extends ResourceQuery<Types, Type, Path, Sets>,
    ListSelection<Types, Type> {
  readonly page?: PageInput
}
