/** The parts of an error that depend on its code alone. */
export interface ErrorDefinition {
  readonly status: number
  /** The same for every occurrence: https://jsonapi.org/format/1.0/#error-objects */
  readonly title: string
}

/**
 * Every error that the engine reports to clients, by its stable code. A code is never reused or renamed.
 * `docs/errors.md` explains each; a test compares the two.
 */
// biome-ignore format: a table, one error a row
export const errorCodes = {
  invalid_request:        { status: 400, title: 'The request is not valid HTTP' },
  invalid_json:           { status: 400, title: 'The body is not valid JSON' },
  invalid_document:       { status: 400, title: 'The body is not a JSON:API document' },
  invalid_encoding:       { status: 400, title: 'The query string is not valid UTF-8' },
  unknown_parameter:      { status: 400, title: 'The query parameter does not exist' },
  repeated_parameter:     { status: 400, title: 'The query parameter is repeated' },
  invalid_filter:         { status: 400, title: 'The filter is not valid' },
  invalid_sort:           { status: 400, title: 'The sort order is not valid' },
  invalid_page:           { status: 400, title: 'The page number or page size is not valid' },
  invalid_cursor:         { status: 400, title: 'The cursor is not valid' },
  cursor_expired:         { status: 400, title: 'The cursor has expired' },
  invalid_include:        { status: 400, title: 'The include path is not valid' },
  invalid_fields:         { status: 400, title: 'The fieldset is not valid' },
  invalid_count:          { status: 400, title: 'The counted relationship is not valid' },
  invalid_versions:       { status: 400, title: 'The value of withVersions is not valid' },
  invalid_key:            { status: 400, title: 'The idempotency key is not valid' },
  key_required:           { status: 400, title: 'The request needs an idempotency key' },
  key_not_supported:      { status: 400, title: 'Idempotency keys are not supported here' },
  invalid_preference:     { status: 400, title: 'The preference cannot be applied' },
  invalid_operation:      { status: 400, title: 'The operation is not valid' },
  too_many_operations:    { status: 400, title: 'The request has too many operations' },
  unknown_lid:            { status: 400, title: 'The local id is not known here' },
  repeated_lid:           { status: 400, title: 'The local id is introduced twice' },
  query_too_complex:      { status: 400, title: 'The query is too complex' },
  too_many_resources:     { status: 400, title: 'The response would contain too many resources' },
  client_id_forbidden:    { status: 403, title: 'Client-generated ids are not allowed' },
  read_only:              { status: 403, title: 'The resource or relationship is read-only' },
  forbidden:              { status: 403, title: 'The access rules do not allow this' },
  refused:                { status: 403, title: 'The service rejected the request' },
  permission_denied:      { status: 403, title: 'The database denied permission' },
  foreign_origin:         { status: 403, title: 'A page of another origin may not write' },
  not_found:              { status: 404, title: 'The resource does not exist' },
  related_not_found:      { status: 404, title: 'A related resource does not exist' },
  route_not_found:        { status: 404, title: 'The path does not exist' },
  method_not_allowed:     { status: 405, title: 'The method is not allowed at this path' },
  not_acceptable:         { status: 406, title: 'The accepted media types are not available' },
  request_timeout:        { status: 408, title: 'The request took too long to arrive' },
  type_conflict:          { status: 409, title: 'The resource type does not match the path or the relationship' },
  id_conflict:            { status: 409, title: 'The id does not match the path' },
  id_taken:               { status: 409, title: 'The id is already in use' },
  relationship_conflict:  { status: 409, title: 'The relationship contradicts the path' },
  constraint_conflict:    { status: 409, title: 'The request violates a database constraint' },
  not_stored:             { status: 409, title: 'The database did not store the resource' },
  request_in_progress:    { status: 409, title: 'A request with the same key has not ended' },
  version_conflict:       { status: 412, title: 'The resource has another version' },
  already_exists:         { status: 412, title: 'The resource exists already' },
  body_too_large:         { status: 413, title: 'The body is too large' },
  url_too_long:           { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'The media type of the body is not supported' },
  expectation_failed:     { status: 417, title: 'The expectation is not supported' },
  misdirected_request:    { status: 421, title: 'The server does not serve this host' },
  missing_value:          { status: 422, title: 'A required value is missing' },
  invalid_value:          { status: 422, title: 'The value is not valid' },
  unknown_field:          { status: 422, title: 'The field does not exist' },
  too_many_affected:      { status: 422, title: 'The write affects too many rows' },
  key_reused:             { status: 422, title: 'The key belongs to another request' },
  condition_required:     { status: 428, title: 'The request needs a condition' },
  headers_too_large:      { status: 431, title: 'The header fields are too large' },
  internal_error:         { status: 500, title: 'The server failed to process the request' },
  unknown_method:         { status: 501, title: 'The method is not known' },
  not_supported_by_database: { status: 501, title: 'The database does not support the request' },
  unsupported_coding:     { status: 501, title: 'The transfer coding is not supported' },
  overloaded:             { status: 503, title: 'The server is overloaded' },
  query_timeout:          { status: 503, title: 'The query took too long' },
  unavailable:            { status: 503, title: 'The database is not available' },
} as const satisfies Record<string, ErrorDefinition>

/** The stable code of an error: a key of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes
