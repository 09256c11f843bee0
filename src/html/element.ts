import { type ComponentChildren, h as createElement } from 'preact'

/** A part of a page: elements, texts, or a list of both. Texts are escaped when the page is rendered. */
export type Html = ComponentChildren

/** The attributes of an element; `undefined` and `false` leave one out. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * Creates an element of a page, e.g. `h('a', { href }, 'Next')`. It is the function of Preact with types for HTML elements
 * only.
 */
export function h(name: string, attributes: Attributes | null, ...children: Html[]): Html {
  return createElement(name, attributes, ...children)
}
