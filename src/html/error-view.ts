import type { PageDocument } from '../http/html.ts'
import type { ShownDocument, ShownError } from './document.ts'
import { type Html, h } from './element.ts'
import { renderSignInForm } from './sign-in-form.ts'

/** Renders the errors of a document, with the words of the JSON. */
export function renderErrors(
  { errors = [] }: ShownDocument,
  { status, challenge }: PageDocument,
): Html {
  const [first] = errors
  return [
    h('h1', null, `${status} ${first?.title ?? ''}`),
    h('ul', { class: 'errors' }, errors.map(renderError)),
    renderSignInForm(challenge),
  ]
}

function renderError({ title, detail, code, source }: ShownError): Html {
  const where = source?.parameter ?? source?.pointer
  return h(
    'li',
    null,
    h('p', null, h('bdi', null, detail ?? title)),
    h(
      'p',
      { class: 'code' },
      h('code', null, code),
      where !== undefined && [' at ', h('code', null, h('bdi', null, where))],
    ),
  )
}
