import type { Awaitable } from '../model/hooks.ts'
import type { SecurityDescription } from '../model/security.ts'

/** What the description of an API says, and how it is shown. */
export interface OpenApiOptions {
  /** The name of the API. Default `API`. */
  readonly title?: string
  /** The version of the API. Default: `version` of `rootMeta`, or `1.0.0`. */
  readonly version?: string
  /** In Markdown. Default: `description` of `rootMeta`. */
  readonly description?: string
  /** How requests are authenticated. Default: what `authenticate` carries, as the functions of `lapidary/auth` do. */
  readonly security?: SecurityDescription
  /** The page that shows the description, e.g. `docsPage()` of `lapidary/docs`. Default: none. */
  readonly docs?: DocsPage
  /**
   * `rows` for examples from the database: the first resource of each type that the identity of the request may read. `kinds` for
   * values that are made up. Default `kinds`.
   */
  readonly examples?: 'kinds' | 'rows'
  /** Milliseconds for all reads of examples from rows; what is not read by then is made by kind. Default 1000. */
  readonly examplesTimeout?: number
  /**
   * True to describe also what clients of the API do not need, for gateways that reject what is not described: HEAD and OPTIONS of each
   * path, the pages that browsers get, and the files of these pages. It makes the document a fifth longer. Default false.
   */
  readonly generalMethods?: boolean
  /** Path items of OpenAPI for further addresses of the application, by path, e.g. for routes of its own. Default: none. */
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A page that shows the description of an API to people. Its files are served without authentication. */
export interface DocsPage {
  /** The path of the page behind the prefix, e.g. `/docs`. */
  readonly path: string
  readonly files: readonly DocsFile[]
}

/** A file of a page. */
export interface DocsFile {
  /** Its path behind the path of the page: empty for the page itself, `/start.js` for a script. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Reads the content; called when it is first requested. */
  readonly read: () => Awaitable<string>
}
