/** How requests are authenticated. */
export type { SecurityDescription, SecurityScheme } from '../model/declare/security.ts'
/** The description of an API: an OpenAPI document, and a JSON Schema for each resource type. */
export {
  type DescriptionOptions,
  describeApi,
  type ListedOperation,
  listOperations,
  type OpenApiDocument,
} from './describe-api.ts'
/** A path with its operations. */
export type { PathItem } from './operations.ts'
/** The options of an adapter. */
export type { DocsFile, DocsPage, OpenApiOptions, OpenApiVersion } from './options.ts'
/** The resources that a description shows as examples. */
export type { ExampleResource, Examples } from './read-examples.ts'
