import { type Html, h } from './element.ts'

/** What the links of a response lead to, by their relations (RFC 8631, RFC 8288), in the order of the page. */
const texts: Readonly<Record<string, string>> = {
  'service-doc': 'Reference with requests to try',
  'service-desc': 'OpenAPI document',
  describedby: 'JSON Schema of this document',
}

/**
 * Renders links to the descriptions of a page: those that the header field `Link` of its response has.
 *
 * @param link - the value of the header field (RFC 8288)
 * @returns null if there are none
 */
export function renderDescriptionLinks(link: string | undefined): Html {
  const links = readLinks(link)
  if (links.length === 0) return null
  return h(
    'p',
    { class: 'descriptions' },
    links.map(([href, text], index) => [index > 0 && ' · ', h('a', { href }, text)]),
  )
}

function readLinks(link = ''): (readonly [href: string, text: string])[] {
  const found = [...link.matchAll(/<([^>]*)>; rel="([^"]+)"/g)]
  return Object.entries(texts).flatMap(([relation, text]) =>
    found.flatMap(([, href = '', each]) => (each === relation ? [[href, text] as const] : [])),
  )
}
