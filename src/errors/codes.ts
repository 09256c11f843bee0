/** What one kind of fault is always told with. A `title` never varies between occurrences (JSON:API 1.0, Error Objects). */
export interface FaultRow {
  readonly status: number
  readonly title: string
}

/**
 * Every fault a client can be told about, by its stable code. A code is never reused or renamed.
 * `docs/errors.md` explains each; a test compares the two.
 */
// biome-ignore format: a table, one fault a row
export const faults = {
  invalid_request:        { status: 400, title: 'The request is not valid HTTP' },
  invalid_json:           { status: 400, title: 'The body is not JSON' },
  invalid_document:       { status: 400, title: 'The body is not a JSON:API document' },
  invalid_encoding:       { status: 400, title: 'The query string is not UTF-8' },
  unknown_parameter:      { status: 400, title: 'There is no such query parameter' },
  repeated_parameter:     { status: 400, title: 'A query parameter is repeated' },
  invalid_filter:         { status: 400, title: 'The filter cannot be applied' },
  invalid_sort:           { status: 400, title: 'The sort order cannot be applied' },
  invalid_page:           { status: 400, title: 'There is no such page' },
  invalid_include:        { status: 400, title: 'The path cannot be included' },
  invalid_fields:         { status: 400, title: 'The fieldset names what does not exist' },
  query_too_complex:      { status: 400, title: 'The query is too complex' },
  too_many_resources:     { status: 400, title: 'The response would hold too many resources' },
  client_id_forbidden:    { status: 403, title: 'Ids are given by the server' },
  read_only:              { status: 403, title: 'This is not for writing' },
  refused:                { status: 403, title: 'The service refuses it' },
  permission_denied:      { status: 403, title: 'The database does not permit it' },
  not_found:              { status: 404, title: 'The resource does not exist' },
  related_not_found:      { status: 404, title: 'A related resource does not exist' },
  route_not_found:        { status: 404, title: 'There is nothing at this path' },
  method_not_allowed:     { status: 405, title: 'The method is not allowed here' },
  not_acceptable:         { status: 406, title: 'The accepted media types cannot be served' },
  request_timeout:        { status: 408, title: 'The request took too long to arrive' },
  type_conflict:          { status: 409, title: 'The type does not belong here' },
  id_conflict:            { status: 409, title: 'The id is not that of the path' },
  id_taken:               { status: 409, title: 'The id is taken' },
  relationship_conflict:  { status: 409, title: 'The relationship contradicts the path' },
  constraint_conflict:    { status: 409, title: 'A constraint of the database forbids it' },
  body_too_large:         { status: 413, title: 'The body is too large' },
  url_too_long:           { status: 414, title: 'The URL is too long' },
  unsupported_media_type: { status: 415, title: 'The media type of the body is not supported' },
  expectation_failed:     { status: 417, title: 'The expectation cannot be met' },
  misdirected_request:    { status: 421, title: 'The host is not served here' },
  missing_value:          { status: 422, title: 'A required value is missing' },
  invalid_value:          { status: 422, title: 'The value is not valid' },
  unknown_field:          { status: 422, title: 'There is no such field' },
  headers_too_large:      { status: 431, title: 'The header fields are too large' },
  internal_error:         { status: 500, title: 'The server failed' },
  unsupported_coding:     { status: 501, title: 'The transfer coding is not supported' },
  overloaded:             { status: 503, title: 'The server has too much to do' },
  query_timeout:          { status: 503, title: 'The query takes too long' },
  unavailable:            { status: 503, title: 'The database is not available' },
} as const satisfies Record<string, FaultRow>

/** The stable code of a fault: a key of the table. */
export type FaultCode = keyof typeof faults
