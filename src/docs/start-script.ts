/**
 * The script of the page. It loads the description, asks for credentials if the server rejects it without, and shows it by
 * Scalar with those credentials. It is JavaScript for browsers, served as it is.
 */
export const startScript = `'use strict'
const address = new URL('openapi.json', location.href)
const container = document.getElementById('reference')

/** What a challenge of WWW-Authenticate asks for: the name of the header field, and how its value is written. */
function readChallenge(challenge) {
  const [, header] = /ApiKey header="([^"]+)"/.exec(challenge) ?? []
  return header && !/\\bBearer\\b/.test(challenge)
    ? { label: 'API key (' + header + ')', header, prefix: '' }
    : { label: 'Bearer token', header: 'authorization', prefix: 'Bearer ' }
}

function askForCredentials(challenge, isWrong) {
  const { label, header, prefix } = readChallenge(challenge)
  const form = document.createElement('form')
  const text = document.createElement('label')
  const input = document.createElement('input')
  const button = document.createElement('button')
  const title = document.createElement('h1')
  const error = document.createElement('p')
  form.className = 'credentials'
  title.textContent = 'API reference'
  error.className = 'error'
  error.setAttribute('role', 'alert')
  text.textContent = label
  text.htmlFor = input.id = 'credentials'
  input.type = 'password'
  input.autocomplete = 'off'
  button.textContent = 'Show the reference'
  form.append(title, text, input, error, button)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    load({ [header]: prefix + input.value }, input.value)
  })
  const main = document.createElement('main')
  main.append(form)
  container.replaceChildren(main)
  error.textContent = isWrong ? 'These credentials are not valid.' : ''
  input.focus()
}

/** The credentials as Scalar takes them, for each scheme that a header field holds. Of an API key it takes the whole value. */
function toAuthentication(description, headers, secret) {
  const schemes = Object.entries(description.components.securitySchemes ?? {})
  return {
    preferredSecurityScheme: schemes[0]?.[0],
    securitySchemes: Object.fromEntries(
      schemes.map(([id, { type, name = '' }]) => [
        id,
        type === 'http' ? { token: secret } : { value: headers[name.toLowerCase()] ?? secret },
      ]),
    ),
  }
}

/** What Scalar's elements lack for assistive technology: a selector, an attribute, and its value or null to remove it. */
const corrections = [
  ['.scalar-code-copy:not([aria-label])', 'aria-label', 'Copy'],
  ['button[role="search"]', 'title', 'Search'],
  ['.cm-content:not([aria-label])', 'aria-label', 'Value'],
  ['button[role="search"]', 'role', null],
  ['button[aria-selected]:not([role])', 'aria-selected', null],
  ['aside[role="navigation"]', 'role', null],
  ['.response-card[role="region"]', 'aria-label', null],
  ['.response-card[role="region"]', 'role', null],
  ['.show-more[aria-label]', 'aria-label', null],
]

function correctElements() {
  for (const [selector, attribute, value] of corrections)
    for (const element of container.querySelectorAll(selector))
      if (value === null) element.removeAttribute(attribute)
      else element.setAttribute(attribute, value)
}

async function load(headers, secret) {
  const response = await fetch(address, { headers })
  if (response.status === 401)
    return askForCredentials(response.headers.get('www-authenticate') ?? '', secret !== undefined)
  if (!response.ok) {
    container.textContent = 'The description cannot be loaded: ' + response.status
    return
  }
  const description = await response.json()
  document.title = description.info.title
  container.replaceChildren()
  new MutationObserver(correctElements).observe(container, {
    ...{ childList: true, subtree: true },
    attributeFilter: ['aria-label', 'aria-selected', 'role'],
  })
  // The requests go to the server of this page, whatever its public address is.
  description.servers = [{ url: new URL('.', address).href.replace(/\\/$/, '') }]
  Scalar.createApiReference(container, {
    content: description,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    ...(secret !== undefined && { authentication: toAuthentication(description, headers, secret) }),
  })
}

load({}, undefined)
`
