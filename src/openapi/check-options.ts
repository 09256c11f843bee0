import { throwDeclarationErrors } from '../model/declaration-error.ts'
import { isObject } from '../model/json.ts'
import {
  booleanCheck,
  type Check,
  members,
  mustBe,
  oneOf,
  optional,
  stringCheck,
} from '../model/option-checks.ts'
import type { SecurityDescription } from '../model/security.ts'
import type { DocsPage, OpenApiOptions } from './options.ts'

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
