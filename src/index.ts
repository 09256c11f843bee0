/** The public API of the engine. Each database has an entry point of its own, e.g. `lapidary/sqlite`. */
export { ManyErrors } from './errors/collector.ts'
export {
  ApiError,
  BodyError,
  HttpError,
  NotFoundError,
  ParameterError,
  RequestError,
  type RequestErrorOptions,
  VersionConflictError,
} from './errors/errors.ts'
export { createHandler, type HandlerOptions, type RequestInfo } from './http/adapters/fetch.ts'
export { createErrorResponse } from './http/errors.ts'
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
export { DeclarationError } from './model/check/declaration-error.ts'
export type { DialectName } from './model/database-names.ts'
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
} from './model/declare/access.ts'
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
} from './model/declare/action.ts'
export type {
  Batch,
  BatchOptions,
  BatchResults,
  LocalIdentifier,
  PendingOfNew,
  PendingResource,
  PendingResult,
} from './model/declare/batch-types.ts'
export {
  type ColumnUse,
  type Computed,
  type ComputedOptions,
  type ComputedValue,
  computed,
  type DeclaredColumns,
  notNull,
} from './model/declare/computed.ts'
export { cursorOf } from './model/declare/cursor-of.ts'
export { type Declare, type DeclaredContext, declare } from './model/declare/declare.ts'
export { type ColumnKind, type DerivedKind, defineKind } from './model/declare/define-kind.ts'
export { type Checked, type DeclarationsOf, defineModel } from './model/declare/define-model.ts'
export type {
  ApiDocument,
  DocumentRelationship,
  DocumentResource,
  DryRunDocument,
  ListDocument,
  MessageDocument,
} from './model/declare/document-types.ts'
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
} from './model/declare/fields.ts'
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
} from './model/declare/hooks.ts'
export { type IdQuery, idQuery } from './model/declare/id-query.ts'
export { type IfMatch, versionOf } from './model/declare/if-match.ts'
export { hasMore } from './model/declare/more-members.ts'
export {
  type DefaultParameter,
  type NullableParameter,
  nullable,
  type QueryParameter,
  type QueryParameters,
  withDefault,
} from './model/declare/parameter.ts'
export type { Profile } from './model/declare/profile.ts'
export type {
  Filter,
  FilterInput,
  FilterTerm,
  IncludePath,
  ListQuery,
  ListSelection,
  PageCursors,
  PageInput,
  ResourceQuery,
} from './model/declare/query-types.ts'
export type { Logger } from './model/declare/request-context.ts'
export type { PageOptions } from './model/declare/resource.ts'
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
} from './model/declare/resource.ts'
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
} from './model/declare/resource-types.ts'
export type {
  AffectedMembers,
  AffectedRows,
  DryRun,
  WriteRestrictions,
} from './model/declare/restricted-writes.ts'
export type { SessionOptions } from './model/declare/session.ts'
export { storedAs } from './model/declare/stored-as.ts'
export { type TableFunction, tableFunction } from './model/declare/table-function.ts'
export { idempotencyTable } from './model/idempotency-table.ts'
export { type ArrayOptions, array } from './model/kinds/array-kind.ts'
export type { CodecName } from './model/kinds/codec-names.ts'
export type { Codec, DefinedCodec } from './model/kinds/codecs.ts'
export type { ColumnCodec } from './model/kinds/column-codec.ts'
export { databaseJson, databaseText } from './model/kinds/database-kinds.ts'
export type { DecimalSize } from './model/kinds/decimals.ts'
export type { FilterConditions, FilterOperands } from './model/kinds/filter-conditions.ts'
export type { Json, JsonValue } from './model/kinds/json.ts'
export type { JsonPaths } from './model/kinds/json-paths.ts'
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
} from './model/kinds/kinds.ts'
export type {
  NoOperators,
  Operands,
  OperatorsWith,
  WithOperators,
} from './model/kinds/operators.ts'
export {
  decimal,
  enumeration,
  type Integer64Options,
  integer64,
} from './model/kinds/parametric-kinds.ts'
export type { BooleanFormat, DatetimeFormat } from './model/kinds/stored-formats.ts'
export type { InvalidElement, ReadFailure, ReadResult } from './model/kinds/value-result.ts'
export type { Declarations, Model, ModelOptions, Table } from './model/model.ts'
export { type BoundValue, type Sql, sql } from './model/sql.ts'
export type { ErrorResponse } from './serialize/errors.ts'
export type { Migration, MigrationMode } from './sql/migrations.ts'
export type { ExplainedStatement, ReadExplanation, ReadWarning } from './sql/read/explain.ts'
export type { ColumnSample, SampleRequest, TableSample } from './sql/sample-table.ts'
export type { Store } from './sql/store.ts'
/** What is read of tables to find out what their columns contain. */
export type { ColumnContent, SampledMember } from './sql/verify/column-content.ts'
/** Functions that get the name of a database. */
export { canStore, checkTables } from './tools/databases.ts'
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
