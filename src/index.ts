/** The public API of the engine. Each database has an entry point of its own, e.g. `lapidary/sqlite`. */
export { ManyErrors } from './errors/collector.ts'
export {
  ApiError,
  BodyError,
  HeaderError,
  NotFoundError,
  ParameterError,
  RequestError,
  type RequestErrorOptions,
} from './errors/errors.ts'
export { createHandler, type HandlerOptions, type RequestInfo } from './http/adapters/fetch.ts'
export { createErrorResponse } from './http/create-error-response.ts'
export type { HttpOptions } from './http/options.ts'
export type {
  Client,
  DocumentOperations,
  EachQuery,
  ResourceList,
  ResourceOperations,
  TransactionClient,
  TypedActionCalls,
} from './in-process/client.ts'
export { type Api, type ApiOptions, type CallContext, createApi } from './in-process/create-api.ts'
export {
  type AuthValue,
  auth,
  type FieldAccess,
  type FieldRule,
  type LinkAccess,
  type LinkOperation,
  type Operation,
  type ResourceAccess,
  type RowRule,
  type RuleFilter,
  type TenantOptions,
  type TypeOperation,
} from './model/access.ts'
export {
  type Action,
  type ActionCalls,
  type ActionContext,
  type ActionDeclaration,
  type ActionParameters,
  type ActionResult,
  type ActionReturnValue,
  type Actions,
  type ActionTarget,
  type ActionValues,
  action,
  type DeclareAction,
  type Inferred,
  type NoParameters,
} from './model/action.ts'
export { type ArrayOptions, array } from './model/array-kind.ts'
export type {
  Catalog,
  ColumnOrigin,
  ForeignKey,
  RowChange,
  StoredColumn,
  StoredFunction,
  StoredParameter,
  StoredTable,
  TableTriggers,
  ViewSources,
} from './model/catalog.ts'
export type { CodecName } from './model/codec-names.ts'
export type { Codec, DefinedCodec } from './model/codecs.ts'
export type { ColumnCodec } from './model/column-codec.ts'
export {
  type ColumnUse,
  type Computed,
  type ComputedOptions,
  type ComputedValue,
  computed,
  type DeclaredColumns,
  notNull,
} from './model/computed.ts'
export { databaseJson, databaseText } from './model/database-kinds.ts'
export type { DialectName } from './model/database-names.ts'
export type { DecimalSize } from './model/decimals.ts'
export { DeclarationError } from './model/declaration-error.ts'
export { type Declare, type DeclaredContext, declare } from './model/declare.ts'
export { type ColumnKind, type DerivedKind, defineKind } from './model/define-kind.ts'
export { type Checked, type DeclarationsOf, defineModel } from './model/define-model.ts'
export type {
  ApiDocument,
  DocumentRelationship,
  DocumentResource,
  ListDocument,
  MessageDocument,
} from './model/document-types.ts'
export {
  type Access,
  type Attribute,
  type AttributeOptions,
  attribute,
  type ColumnOrThrough,
  type DefaultValue,
  type Expression,
  type ExpressionField,
  expression,
  type FieldDeclaration,
  type FieldDeclarations,
  type JoinTable,
  type KeyOptions,
  type RelationshipAccess,
  type TextIndex,
  type ThroughOptions,
  type ToMany,
  type ToOne,
  type ToOneOptions,
  toMany,
  toOne,
  type Validator,
  type WriteAccess,
} from './model/fields.ts'
export type { FilterConditions, FilterOperands } from './model/filter-conditions.ts'
export type {
  AttributeChanges,
  AttributesOf,
  Awaitable,
  BeginContext,
  CommitContext,
  CommittedChange,
  FieldValues,
  HookContext,
  Hooks,
  ModelHooks,
  RelationshipChange,
  RelationshipChanges,
  RequestDetails,
  ResourceChange,
  ResourceHookContext,
  ReturnedResource,
  StoredResource,
  ToManyName,
  ToOneIds,
} from './model/hooks.ts'
export { type IdQuery, idQuery } from './model/id-query.ts'
export type { Json, JsonValue } from './model/json.ts'
export type { JsonPaths } from './model/json-paths.ts'
export {
  boolean,
  bytes,
  type CustomOperator,
  type CustomOperators,
  date,
  datetime,
  email,
  integer,
  type JsonSchema,
  json,
  type Kind,
  number,
  type OperatorLevel,
  text,
  time,
  url,
  uuid,
  type WriteCustomOperator,
} from './model/kinds.ts'
export type { Declarations, Model, ModelOptions, Table } from './model/model.ts'
export type {
  NoOperators,
  Operands,
  OperatorsWith,
  WithOperators,
} from './model/operators.ts'
export {
  type DefaultParameter,
  type NullableParameter,
  nullable,
  type QueryParameter,
  type QueryParameters,
  withDefault,
} from './model/parameter.ts'
export { decimal, enumeration, type Integer64Options, integer64 } from './model/parametric-kinds.ts'
export type {
  Filter,
  FilterInput,
  FilterTerm,
  IncludePath,
  ListQuery,
  ListSelection,
  PageInput,
  ResourceQuery,
} from './model/query-types.ts'
export type { Logger } from './model/request-context.ts'
export {
  type ClientIds,
  type IdOptions,
  type IdQueries,
  type NoActions,
  type NoQueries,
  type ResourceDeclaration,
  type ResourceOptions,
  type ResourceValidator,
  resource,
} from './model/resource.ts'
export type {
  Fieldsets,
  Identifier,
  LinkageChange,
  NewResource,
  NewResourceOf,
  NoFieldsets,
  ResourceObject,
  ResourceOf,
  ResourceUpdate,
  ResourceUpdateOf,
  TypeName,
  UntypedInput,
  UntypedResource,
  ValueFormat,
} from './model/resource-types.ts'
export type { SessionOptions } from './model/session.ts'
export { type BoundValue, type Sql, sql } from './model/sql.ts'
export { storedAs } from './model/stored-as.ts'
export type { BooleanFormat, DatetimeFormat } from './model/stored-formats.ts'
export { type TableFunction, tableFunction } from './model/table-function.ts'
export type { InvalidElement, ReadFailure, ReadResult } from './model/value-result.ts'
export type { ErrorResponse } from './serialize/errors.ts'
/** What is read of tables to find out what their columns contain. */
export type { ColumnContent, SampledMember } from './store/column-content.ts'
/** Functions that get the name of a database. */
export { canStore, checkTables } from './store/databases.ts'
export type { ExplainedStatement, ReadExplanation, ReadWarning } from './store/explain.ts'
export type { Migration, MigrationMode } from './store/migrations.ts'
export type { ColumnSample, SampleRequest, TableSample } from './store/sample-table.ts'
export type { Store } from './store/store.ts'
export type { RuleDescription } from './tools/describe-rule.ts'
export {
  type AccessExplanation,
  type ExplainedAccessRequest,
  type ExplainedError,
  type ExplainedRule,
  explainAccess,
} from './tools/explain-access.ts'
export { type ExplainedRequest, explainRead } from './tools/explain-read.ts'
export type { RuleEffect } from './tools/explain-rules.ts'
export {
  describeAccess,
  type FieldRights,
  listAccess,
  type TypeAccess,
} from './tools/list-access.ts'
