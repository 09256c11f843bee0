import type { AuthValue } from './access.ts'

/**
 * The role and the settings under which PostgreSQL runs every read and every transaction of a request, so that its own privileges and
 * row-level security apply to the identity of the request. They are set for the transaction only.
 */
export interface SessionOptions {
  /**
   * The role, as for `set role`. The role of the connection must be a member of it. A request for which the function returns null
   * or undefined is denied with 403. Default: the role of the connection.
   */
  readonly role?: string | AuthValue
  /** The role of requests without an auth context. Default: `role`; if that is a function, they are denied with 403. */
  readonly anonymousRole?: string
  /**
   * Custom settings by name, e.g. `app.user_id`, which policies read by `current_setting`. Null, and every `auth(…)` of a request
   * without an auth context, is the empty text.
   */
  readonly settings?: Readonly<Record<string, string | AuthValue>>
  /**
   * The schema, or the schemas in their order, in which PostgreSQL looks for tables that are declared without one. Requests for which
   * the function returns null or undefined are denied with 403.
   */
  readonly searchPath?: string | readonly string[] | AuthValue
}
