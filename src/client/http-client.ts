import type {
  ActionName,
  CallInput,
  CallPath,
  CallQuery,
  CallResult,
  ReturnedType,
} from '../model/declare/action-types.ts'
import type { Batch, BatchOptions, BatchResults } from '../model/declare/batch-types.ts'
import type {
  FilterCheck,
  IncludePath,
  ListQuery,
  MissingArgument,
  NoQuery,
  ResourceQuery,
} from '../model/declare/query-types.ts'
import type {
  ChangeableName,
  Fieldsets,
  FieldsOf,
  LinkageChange,
  NewResource,
  NoFieldsets,
  RelatedType,
  RelationshipName,
  ResourceObject,
  ResourceUpdate,
  TypeName,
} from '../model/declare/resource-types.ts'
import type { WriteResult } from '../model/declare/restricted-writes.ts'
import type { Declarations } from '../model/model.ts'
import type { CallOptions, WriteCallOptions } from './transport.ts'

/** A page of a list. */
export interface ResourcePage<Resource> {
  readonly data: readonly Resource[]
  /** `count`: the number of resources on all pages. */
  readonly meta: Readonly<{ count: number }>
  /** The links of the document, e.g. `next`, which the last page does not have. */
  readonly links: Readonly<Record<string, string | null | undefined>>
}

/**
 * A resource of a response: its attributes, and the relationships that are included, with the related objects, or in a fieldset,
 * with identifiers.
 */
type ClientResource<
  Types extends Declarations,
  Type extends TypeName<Types>,
  Path extends string = never,
  Sets = NoFieldsets,
> = ResourceObject<Types, Type, Path, Sets, 'json'>

/** `unknown` if the list of a type needs no filter, else the sentences that name the parameters, which no client is. */
type CallContext<Types extends Declarations, Type extends TypeName<Types>> = [
  MissingArgument<Types, Type>,
] extends [never]
  ? unknown
  : MissingArgument<Types, Type>

/** The query of the related resources of a relationship. */
type RelatedQuery<
  Types extends Declarations,
  Field,
  To extends TypeName<Types>,
  Path extends string,
  Sets extends Fieldsets<Types>,
> = Field extends { readonly is: 'toOne' }
  ? ResourceQuery<Types, To, Path, Sets>
  : ListQuery<Types, To, Path, Sets>

/** The related resources of a relationship: a page, or one resource or null. */
type RelatedResult<Field, Resource> = Field extends { readonly is: 'toOne' }
  ? Resource | null
  : ResourcePage<Resource>

/** The operations on the resources of a type that clients can read. */
export interface ReadOperations<Types extends Declarations, Type extends TypeName<Types> & string> {
  /** Reads the first page of the list: `GET /persons`. */
  list(this: CallContext<Types, Type>): Promise<ResourcePage<ClientResource<Types, Type>>>
  /** Reads a page of the list: `GET /persons`. */
  list<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    query: (ListQuery<Types, Type, Path, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
    options?: CallOptions,
  ): Promise<ResourcePage<ClientResource<Types, Type, Path, Sets>>>
  /** Reads the pages of the list, one request each, when the loop asks for them. */
  pages(
    this: CallContext<Types, Type>,
  ): AsyncGenerator<ResourcePage<ClientResource<Types, Type>>, void, undefined>
  /** Reads the pages of a list in the same way, with a query. */
  pages<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    query: (ListQuery<Types, Type, Path, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
    options?: CallOptions,
  ): AsyncGenerator<ResourcePage<ClientResource<Types, Type, Path, Sets>>, void, undefined>
  /** Reads the resources of all pages, one after the other. */
  each(this: CallContext<Types, Type>): AsyncGenerator<ClientResource<Types, Type>, void, undefined>
  /** Reads the resources of all pages in the same way, with a query. */
  each<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    query: (ListQuery<Types, Type, Path, Sets> & FilterCheck<Types, Type>) | NoQuery<Types, Type>,
    options?: CallOptions,
  ): AsyncGenerator<ClientResource<Types, Type, Path, Sets>, void, undefined>
  /** Reads a resource: `GET /persons/1`. @throws ResponseError with status 404 when it does not exist */
  get<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    id: string,
    query?: ResourceQuery<Types, Type, Path, Sets>,
    options?: CallOptions,
  ): Promise<ClientResource<Types, Type, Path, Sets>>
  /** Reads the related resources of a relationship, `GET /persons/1/computers`: a page, or one resource or null. */
  related<
    Name extends RelationshipName<FieldsOf<Types, Type>> & string,
    Path extends IncludePath<Types, RelatedType<Types, FieldsOf<Types, Type>[Name]>> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
  >(
    id: string,
    relationship: Name,
    query?: RelatedQuery<
      Types,
      FieldsOf<Types, Type>[Name],
      RelatedType<Types, FieldsOf<Types, Type>[Name]>,
      Path,
      Sets
    >,
    options?: CallOptions,
  ): Promise<
    RelatedResult<
      FieldsOf<Types, Type>[Name],
      ClientResource<Types, RelatedType<Types, FieldsOf<Types, Type>[Name]>, Path, Sets>
    >
  >
  /** Changes a relationship: `POST`, `DELETE` or `PATCH /persons/1/relationships/computers`. */
  relate<Name extends ChangeableName<FieldsOf<Types, Type>> & string, Dry extends boolean = false>(
    id: string,
    relationship: Name,
    change: LinkageChange<FieldsOf<Types, Type>[Name]>,
    options?: WriteCallOptions<Dry>,
  ): Promise<WriteResult<Dry, void, undefined>>
}

/** The operations on the resources of a type that clients can write. */
export interface WriteOperations<
  Types extends Declarations,
  Type extends TypeName<Types> & string,
> {
  /** Creates a resource: `POST /persons`. @returns the created resource */
  create<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    fields: NewResource<Types, Type, 'json'>,
    query?: ResourceQuery<Types, Type, Path, Sets>,
    options?: WriteCallOptions<Dry>,
  ): Promise<
    WriteResult<
      Dry,
      ClientResource<Types, Type, Path, Sets>,
      Omit<ClientResource<Types, Type, Path, Sets>, 'id'>
    >
  >
  /** Updates a resource: `PATCH /persons/1`. @returns the updated resource */
  update<
    Path extends IncludePath<Types, Type> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    id: string,
    fields: ResourceUpdate<Types, Type, 'json'>,
    query?: ResourceQuery<Types, Type, Path, Sets>,
    options?: WriteCallOptions<Dry>,
  ): Promise<WriteResult<Dry, ClientResource<Types, Type, Path, Sets>>>
  /** Deletes a resource: `DELETE /persons/1`. */
  remove<Dry extends boolean = false>(
    id: string,
    options?: WriteCallOptions<Dry>,
  ): Promise<WriteResult<Dry, void, undefined>>
}

/** The calls of the actions of a type. */
interface CallOperations<Types extends Declarations, Type extends TypeName<Types> & string> {
  /**
   * Calls an action: `POST /issues/1/actions/close`.
   * @returns the resource, the list of resources or the members of `meta` that the action returns; `undefined` if it returns nothing
   */
  call<
    Name extends ActionName<Types[Type]>,
    Path extends CallPath<Types, Type, Name> = never,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    action: Name,
    input: CallInput<Types, Type, Name, 'json'> &
      CallQuery<Types, ReturnedType<Types, Type, Name>, Path, Sets>,
    options?: WriteCallOptions<Dry>,
  ): Promise<WriteResult<Dry, CallResult<Types, Type, Name, Path, Sets, 'json'>>>
}

/** The operations on a resource type. A read-only type has no `create`, `update` and `remove`. */
export type ResourceClient<
  Types extends Declarations,
  Type extends TypeName<Types> & string,
> = Types[Type] extends { readonly access?: infer Rights }
  ? [Extract<Rights, 'read-write'>] extends [never]
    ? ReadOperations<Types, Type>
    : ReadOperations<Types, Type> & WriteOperations<Types, Type>
  : never

/** The calls of a type with actions; nothing for a type without. */
type CallsOf<Types extends Declarations, Type extends TypeName<Types> & string> = [
  ActionName<Types[Type]>,
] extends [never]
  ? unknown
  : CallOperations<Types, Type>

/** A client of an API over HTTP: the operations on each resource type, by its name. */
export type HttpClient<Types extends Declarations = Declarations> = BatchClient<Types> & {
  readonly [Type in TypeName<Types>]: ResourceClient<Types, Type> & CallsOf<Types, Type>
}

/** Several writes in one request. */
export interface BatchClient<Types extends Declarations> {
  /**
   * Writes several resources in one transaction: `POST /operations`, of a model with `atomic: true`. The function adds operations, which
   * are sent after it has returned: `atomic((batch) => { const a = batch.create('author', {…}); return batch.create('book', { author: a }) })`.
   *
   * @returns the results of the operations that the function returns: of one, or of those in a list or an object
   * @throws ResponseError whose pointers lead to the operation that failed; nothing is stored then
   */
  readonly atomic: <
    const Returned,
    const Sets extends Fieldsets<Types> = NoFieldsets,
    Dry extends boolean = false,
  >(
    work: (batch: Batch<Types, Sets, 'json'>) => Returned,
    options?: BatchOptions<Types, Sets, Dry> & Omit<CallOptions, 'ifMatch'>,
  ) => Promise<WriteResult<Dry, BatchResults<Returned>, BatchResults<Returned, true>>>
}

/** A type with the declarations of an API: that of a model, or of the result of `createApi`. */
export type DeclarationSource =
  | Readonly<{ declarations: Declarations }>
  | Readonly<{ model: Readonly<{ declarations: Declarations }> }>

/** The declarations of an API, from `typeof model` or `typeof api`. */
export type SourceDeclarations<Source extends DeclarationSource> = Source extends {
  readonly declarations: infer Types extends Declarations
}
  ? Types
  : Source extends { readonly model: { readonly declarations: infer Types extends Declarations } }
    ? Types
    : never
