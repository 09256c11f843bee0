import { type Html, h } from './element.ts'

/** How credentials are sent. */
interface Credentials {
  readonly label: string
  /** The name of the header field. */
  readonly header: string
  /** What comes before the credentials in its value. */
  readonly prefix: string
}

/**
 * Renders the form for the credentials that a response asks for. The script of the page keeps them while the tab is open, and loads
 * the page with them.
 *
 * @param challenge - the value of `WWW-Authenticate`
 * @returns null for a method of authentication that needs more than a header field, e.g. a cookie
 */
export function renderSignInForm(challenge: string | undefined): Html {
  const credentials = readChallenge(challenge)
  if (credentials === undefined) return null
  const { label, header, prefix } = credentials
  return h(
    'form',
    { class: 'panel scripted', 'data-sign-in': header, 'data-prefix': prefix },
    h(
      'div',
      { class: 'field' },
      h('label', { for: 'credentials' }, label),
      h('input', { id: 'credentials', type: 'password', autocomplete: 'off', required: true }),
    ),
    h('p', { class: 'hint' }, 'It is kept in this tab until you close it.'),
    h('p', { class: 'form-error', role: 'alert' }),
    h('p', { class: 'actions' }, h('button', null, 'Show the page')),
  )
}

/** Reads a challenge of `bearerAuth` or `apiKeyAuth`; of several, the first. */
function readChallenge(challenge = ''): Credentials | undefined {
  if (/^Bearer\b/i.test(challenge))
    return { label: 'Bearer token', header: 'authorization', prefix: 'Bearer ' }
  const [, header] = /^ApiKey header="([^"]+)"/i.exec(challenge) ?? []
  return header === undefined ? undefined : { label: `API key (${header})`, header, prefix: '' }
}
