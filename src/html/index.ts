/** The type of the option `html`. */
export type { HtmlPages } from '../http/html.ts'
/** Pages for browsers. */
export { createPages, type PagesOptions } from './create-pages.ts'
