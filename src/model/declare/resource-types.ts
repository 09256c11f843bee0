import type { ReturnedNull, SentNull } from '../kinds/nullability.ts'
import type { Declarations, Model } from '../model.ts'
import type { Computed } from './computed.ts'
import type {
  Access,
  Attribute,
  ExpressionField,
  FieldDeclaration,
  FieldDeclarations,
} from './fields.ts'

// The types of resources are lookups in the declarations of one resource type. No type enumerates the types of a model, so a
// model of a hundred types costs the compiler only the types that are used.
//
// Where names are expected, `& string` makes the compiler list them in its messages, instead of the name of a type alias.

/** The name of a resource type. */
export type TypeName<Types extends Declarations> = keyof Types & string

/** The declared fields of a type. */
export type FieldsOf<
  Types extends Declarations,
  Type extends TypeName<Types>,
> = Types[Type]['fields']

/** A resource identifier: https://jsonapi.org/format/1.0/#document-resource-identifier-objects */
export interface Identifier<Type extends string = string> {
  readonly type: Type
  readonly id: string
}

/** The names of the fields that clients can read: all but write-only attributes and relationships. */
type ReadableName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly is: 'toOne' | 'toMany' }
    ? never
    : Fields[Name] extends Attribute<infer _, boolean, infer Rights>
      ? 'write-only' extends Rights
        ? never
        : Name
      : Name
}[keyof Fields] &
  string

/** The names of the relationships. */
export type RelationshipName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly is: 'toOne' | 'toMany' } ? Name : never
}[keyof Fields] &
  string

/** The names of the relationships that clients can change: not those that are read-only or immutable. */
export type ChangeableName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends {
    readonly is: 'toOne' | 'toMany'
    readonly access?: infer Rights
  }
    ? [Exclude<Rights, 'read-only' | 'immutable' | undefined>] extends [never]
      ? never
      : Name
    : never
}[keyof Fields] &
  string

/** The names of the to-one relationships. */
export type ToOneName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly is: 'toOne' } ? Name : never
}[keyof Fields] &
  string

/** The names of the relationships whose related resources can be counted. */
export type CountedName<Fields extends FieldDeclarations> = string extends keyof Fields
  ? string
  : {
      [Name in keyof Fields]: Fields[Name] extends {
        readonly is: 'toMany'
        readonly count?: infer IsCounted
      }
        ? [Extract<IsCounted, true>] extends [never]
          ? never
          : Name
        : never
    }[keyof Fields] &
      string

/** The names of the attributes that are stored or computed by the database. */
export type StoredName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly is: 'attribute' | 'expression' }
    ? Name
    : never
}[keyof Fields] &
  string

/** The names by which values inside JSON are sorted, e.g. `meta.address.city`. */
export type JsonSortName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields & string]: Fields[Name] extends { readonly paths: infer Paths }
    ? `${Name}.${keyof Paths & string}`
    : never
}[keyof Fields & string]

/** The names by which values inside JSON are filtered, e.g. `meta__address__city`. */
export type JsonFilterName<Fields extends FieldDeclarations> = JoinNames<JsonSortName<Fields>>

type JoinNames<Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? `${Name}__${JoinNames<Rest>}`
  : Path

/** The related type of a relationship. */
export type RelatedType<
  Types extends Declarations,
  Field extends FieldDeclaration | undefined,
> = Field extends { readonly to: infer To extends TypeName<Types> } ? To : never

/** Where the values of attributes are: in process those of their kinds, over HTTP those of parsed JSON. */
export type ValueFormat = 'kind' | 'json'

/**
 * A value of a kind. JSON has one type of numbers: a 64-bit integer is a number, and beyond 2^53 a bigint, or a text if its kind
 * says so.
 */
export type InFormat<Value, Format extends ValueFormat> = Format extends 'json'
  ? Value extends bigint
    ? number | bigint | string
    : [Value] extends [readonly (bigint | null)[]]
      ? readonly InFormat<Value[number], Format>[]
      : Value
  : Value

/** The value of an attribute in a response. One that is computed may be null. */
type AttributeValue<Field extends FieldDeclaration, Format extends ValueFormat> =
  Field extends Attribute<infer Value>
    ? InFormat<Value, Format> | ReturnedNull<Field>
    : Field extends ExpressionField<infer Value> | Computed<infer Value>
      ? InFormat<Value, Format> | null
      : never

/** The fields of a request by resource type: `fields`. */
export type Fieldsets<Types extends Declarations> = {
  readonly [Type in TypeName<Types>]?: readonly (FieldName<FieldsOf<Types, Type>> & string)[]
}

/** The name of a field that a response can have. */
type FieldName<Fields extends FieldDeclarations> = string extends keyof Fields
  ? string
  : (ReadableName<Fields> & string) | (RelationshipName<Fields> & string)

/** The first relationship of a path. */
type Head<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path
/** The paths that follow a relationship. */
type Tail<Path extends string, Name extends string> = Path extends `${Name}.${infer Rest}`
  ? Rest
  : never

/**
 * The names in a fieldset; without one, every readable attribute and the included relationships. The client over HTTP adds the
 * included relationships to a fieldset.
 */
type PresentName<
  Fields extends FieldDeclarations,
  Type extends string,
  Path extends string,
  Sets,
  Format extends ValueFormat,
> = Sets extends { readonly [Key in Type]: readonly (infer Name)[] }
  ?
      | (Name & FieldName<Fields>)
      | (Format extends 'json' ? Head<Path> & RelationshipName<Fields> : never)
  : ReadableName<Fields> | (Head<Path> & RelationshipName<Fields>)

/** A relationship: related resources if it is included, else identifiers. */
type RelationshipValue<
  Types extends Declarations,
  Field extends FieldDeclaration,
  Name extends string,
  Path extends string,
  Sets,
  Format extends ValueFormat,
> =
  RelatedType<Types, Field> extends infer To extends TypeName<Types>
    ? Many<
        Field,
        Name extends Head<Path>
          ? ResourceObject<Types, To, Tail<Path, Name>, Sets, Format>
          : Identifier<To>
      >
    : never

type Many<Field extends FieldDeclaration, Value> = Field extends { readonly is: 'toOne' }
  ? Value | ReturnedNull<Field>
  : readonly Value[]

/**
 * A resource as a plain object: `type`, `id`, the attributes, and the relationships that are included or in a fieldset.
 *
 * @typeParam Types - the declarations of a model
 * @typeParam Path - the union of the included paths, e.g. `'computers' | 'computers.owner'`
 * @typeParam Sets - the fieldsets by type, e.g. `{ person: readonly ['name'] }`
 * @typeParam Format - `json` for the client over HTTP
 */
export type ResourceObject<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string = never,
  Sets = NoFieldsets,
  Format extends ValueFormat = 'kind',
> = string extends keyof Types
  ? UntypedResource
  : {
      readonly [Name in
        | 'type'
        | 'id'
        | PresentName<FieldsOf<Types, Type>, Type, Path, Sets, Format>]: Name extends 'type'
        ? Type
        : Name extends 'id'
          ? string
          : FieldsOf<Types, Type>[Name] extends { readonly is: 'toOne' | 'toMany' }
            ? RelationshipValue<Types, FieldsOf<Types, Type>[Name], Name, Path, Sets, Format>
            : AttributeValue<FieldsOf<Types, Type>[Name], Format>
    } & NumbersOfRelated<CountedName<FieldsOf<Types, Type>>>

/** The numbers of related resources that the query counts, e.g. `computers.count`. */
type NumbersOfRelated<Name extends string> = [Name] extends [never]
  ? unknown
  : { readonly [Counted in Name as `${Counted}.count`]?: number }

/** No fieldset: all fields of every type. */
// biome-ignore lint/complexity/noBannedTypes: an object type without members
export type NoFieldsets = {}

/** A resource of a model whose declarations are not known to the compiler. */
export interface UntypedResource {
  readonly type: string
  readonly id: string
  readonly [field: string]: unknown
}

/** The names of the fields that a write may or must send. */
type WritableName<Fields extends FieldDeclarations, Ignored> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly is: 'attribute' | 'toOne' | 'toMany' }
    ? Fields[Name] extends { readonly access?: infer Rights }
      ? [Extract<Rights, Ignored>] extends [never]
        ? Name
        : never
      : never
    : never
}[keyof Fields]

/** The names of the fields that a create must send: the required ones without a default. */
type RequiredName<Fields extends FieldDeclarations> = {
  [Name in keyof Fields]: Fields[Name] extends
    | Attribute<infer _, true, Access, false>
    | Readonly<{ is: 'toOne'; required: true }>
    ? Name
    : never
}[keyof Fields]

/** The value that a write sends for a field. A related resource is an id, or an object with `type` and `id`. */
type InputValue<Field extends FieldDeclaration, Format extends ValueFormat> = Field extends {
  readonly is: 'toOne' | 'toMany'
  readonly to: infer To extends string
}
  ? Field extends { readonly is: 'toOne' }
    ? string | Identifier<To> | SentNull<Field>
    : readonly (string | Identifier<To>)[]
  : Field extends Attribute<infer Value>
    ? InFormat<Value, Format> | SentNull<Field>
    : never

/**
 * The attributes and relationships of a new resource, and its id if clients can send it.
 * @typeParam Ignored - the access of the fields that are not among them; `never` for what the server writes
 */
export type NewResource<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Format extends ValueFormat = 'kind',
  Ignored extends Access = 'read-only',
> = string extends keyof Types
  ? UntypedInput
  : {
      readonly [Name in RequiredName<FieldsOf<Types, Type>>]: InputValue<
        FieldsOf<Types, Type>[Name],
        Format
      >
    } & {
      readonly [Name in Exclude<
        WritableName<FieldsOf<Types, Type>, Ignored>,
        RequiredName<FieldsOf<Types, Type>>
      >]?: InputValue<FieldsOf<Types, Type>[Name], Format> | undefined
    } & NewId<IdRule<Types[Type]>>

type IdRule<Declared> = Declared extends { readonly id?: infer Id }
  ? Exclude<Id, string | readonly string[] | undefined> extends {
      readonly client?: infer FromClient
    }
    ? FromClient
    : undefined
  : undefined

// Equal, not only assignable: without `strictNullChecks`, `undefined` is assignable to everything.
type NewId<FromClient> = [FromClient, 'required'] extends ['required', FromClient]
  ? { readonly id: string }
  : [Extract<FromClient, string>] extends [never]
    ? unknown
    : { readonly id?: string | undefined }

/**
 * The attributes and relationships that an update changes. Immutable ones are not among them.
 * @typeParam Ignored - as of `NewResource`
 */
export type ResourceUpdate<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Format extends ValueFormat = 'kind',
  Ignored extends Access = 'read-only' | 'immutable',
> = string extends keyof Types
  ? UntypedInput
  : {
      readonly [Name in WritableName<FieldsOf<Types, Type>, Ignored>]?:
        | InputValue<FieldsOf<Types, Type>[Name], Format>
        | undefined
    }

/** A change of a relationship. A related resource is an id, or an object with `type` and `id`. */
export type LinkageChange<Field> = Field extends {
  readonly is: 'toMany'
  readonly to: infer To extends string
}
  ?
      | Readonly<{ add: readonly (string | Identifier<To>)[] }>
      | Readonly<{ remove: readonly (string | Identifier<To>)[] }>
      | Readonly<{ replace: readonly (string | Identifier<To>)[] }>
  : Field extends { readonly is: 'toOne'; readonly to: infer To extends string }
    ? Readonly<{ replace: string | Identifier<To> | SentNull<Field> }>
    : UntypedInput

/** The values that a write of a model without known declarations sends. */
export type UntypedInput = Readonly<Record<string, unknown>>

/** The names of the types that clients can write. */
export type WritableType<Types extends Declarations> = string extends keyof Types
  ? string
  : {
      [Type in TypeName<Types>]: [Extract<Types[Type]['access'], 'read-only'>] extends [never]
        ? Type
        : [Extract<Types[Type]['access'], 'read-write'>] extends [never]
          ? never
          : Type
    }[TypeName<Types>]

/**
 * A resource of a model as a plain object, e.g. `ResourceOf<typeof model, 'person', 'computers'>`.
 * @typeParam Path - the union of the included paths; none by default
 */
export type ResourceOf<
  M extends Model,
  Type extends TypeName<M['declarations']>,
  Path extends string = never,
> = ResourceObject<M['declarations'], Type, Path>

/** The input of a create, e.g. `NewResourceOf<typeof model, 'person'>`. */
export type NewResourceOf<M extends Model, Type extends TypeName<M['declarations']>> = NewResource<
  M['declarations'],
  Type
>

/** The input of an update, e.g. `ResourceUpdateOf<typeof model, 'person'>`. */
export type ResourceUpdateOf<
  M extends Model,
  Type extends TypeName<M['declarations']>,
> = ResourceUpdate<M['declarations'], Type>
