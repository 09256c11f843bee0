/** The type of the option `html`. */
export type { HtmlPages } from '../http/html.ts'
/** Pages for browsers. */
export { createPages } from './create-pages.ts'
