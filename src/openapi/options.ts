import { throwDeclarationErrors } from '../model/check/declaration-error.ts'
import {
  booleanCheck,
  type Check,
  members,
  mustBe,
  oneOf,
  optional,
  stringCheck,
} from '../model/check/option-checks.ts'
import type { Awaitable } from '../model/declare/hooks.ts'
import type { SecurityDescription } from '../model/declare/security.ts'
import { isObject } from '../model/kinds/json.ts'

/** The versions of OpenAPI in which an API is described. */
export type OpenApiVersion = '3.1' | '3.2'

/** Checks a version of OpenAPI. */
export const openApiVersion: Check = oneOf('3.1', '3.2')

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
  /** The version of OpenAPI. `3.2` describes the method QUERY, too, for which 3.1 has no operation. Default `3.1`. */
  readonly openapi?: OpenApiVersion
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

/** Checks the description of the ways to authenticate. */
export const security = members({
  schemes: mustBe('an object with security schemes of OpenAPI by name', isObject),
  isOptional: booleanCheck,
} satisfies Record<keyof SecurityDescription, Check>)

const docs = members({
  path: mustBe(
    'a path such as "/docs"',
    (value) => typeof value === 'string' && /^\/[\w~/.-]*[\w~.-]$/.test(value),
  ),
  files: mustBe('the files of the result of docsPage()', Array.isArray),
} satisfies Record<keyof DocsPage, Check>)

/** The greatest delay of a timer in milliseconds: 24 days. */
const maxTimeout = 2 ** 31 - 1

/** Checks the path items of addresses of the application. */
export const pathItems = mustBe('an object with path items of OpenAPI by path', isObject)

const options = members({
  title: optional(stringCheck),
  version: optional(stringCheck),
  description: optional(stringCheck),
  security: optional(security),
  docs: optional(docs),
  examples: optional(oneOf('kinds', 'rows')),
  examplesTimeout: optional(
    mustBe(
      'a number of milliseconds above 0',
      (value) => typeof value === 'number' && value > 0 && value <= maxTimeout,
    ),
  ),
  generalMethods: optional(booleanCheck),
  openapi: optional(openApiVersion),
  paths: optional(pathItems),
} satisfies Record<keyof OpenApiOptions, Check>)

const docsOptions = members({
  path: optional(
    mustBe(
      'a slash and one segment, such as "/docs"',
      (value) => typeof value === 'string' && /^\/[\w~-]+$/.test(value),
    ),
  ),
})

/** Checks the options of `docsPage`. @throws DeclarationError */
export function checkDocsOptions(options: object): void {
  throwDeclarationErrors(docsOptions(options, 'docsPage'))
}

/** Checks the option `openapi` of an adapter: true, false or an object with options of the description. */
export const checkOpenApi: Check = (value, location) => {
  if (typeof value === 'boolean') return []
  return isObject(value)
    ? options(value, location)
    : mustBe('true, false or an object')(value, location)
}
