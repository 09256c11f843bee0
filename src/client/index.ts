/** The typed client of an API over HTTP, for browsers and every runtime with `fetch`. It contains no code of the server. */

/** The types of batches of operations. */
export type {
  Batch,
  BatchOptions,
  BatchResults,
  LocalIdentifier,
  PendingOfNew,
  PendingResource,
  PendingResult,
} from '../model/declare/batch-types.ts'
/** The cursor of a resource, behind which a list can start. */
export { cursorOf } from '../model/declare/cursor-of.ts'
/** The versions of resources, on which writes may depend. */
export { type IfMatch, versionOf } from '../model/declare/if-match.ts'
/** Whether a relationship has more members than a page of them. */
export { hasMore } from '../model/declare/more-members.ts'
/** Writes that are tried before they are done. */
export type {
  AffectedMembers,
  AffectedRows,
  DryRun,
  WriteRestrictions,
} from '../model/declare/restricted-writes.ts'
/** Creates a client. */
export { type ClientOptions, createClient } from './create-client.ts'
/** The types of a client and of its operations. */
export type {
  BatchClient,
  DeclarationSource,
  HttpClient,
  ReadOperations,
  ResourceClient,
  ResourcePage,
  SourceDeclarations,
  WriteOperations,
} from './http-client.ts'
/** Errors of responses. */
export {
  type ErrorObject,
  type FailedResponse,
  PreconditionFailedError,
  ResponseError,
} from './response-error.ts'
/** The root document, in which a client finds the paths. */
export type { ResourceEntry, RootDocument } from './root-document.ts'
/** The options of requests. */
export type { CallOptions, HeaderFields, TransportOptions, WriteCallOptions } from './transport.ts'
