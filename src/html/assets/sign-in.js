import { forgetCredentials, getCredentials, keepCredentials } from './credentials.js'
import { createButton, createElement } from './element.js'

/**
 * On the page of a 401, and on the landing page without credentials, asks for credentials and shows the page that they open. A browser sends no header field of its own when it
 * follows a link, so each address is loaded again with the credentials, and takes the place of the 401.
 */
export async function signIn() {
  const form = document.querySelector('form[data-sign-in]')
  const isKnown = Object.keys(getCredentials()).length > 0
  if (!(form instanceof HTMLFormElement)) return
  if (isKnown && (await loadPage(form))) return
  await new Promise((resolve) => {
    document.documentElement.classList.add('script')
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      const { signIn: header = '', prefix = '' } = form.dataset
      const value = form.querySelector('input')?.value.trim() ?? ''
      keepCredentials({ [header]: prefix + value })
      if (!(await loadPage(form))) return
      document.querySelector('main')?.focus()
      resolve(undefined)
    })
  })
}

/**
 * Loads the page of the address with the credentials. If they are rejected, it forgets them.
 * @param {HTMLFormElement} form
 * @returns {Promise<boolean>} true if the page is shown
 */
async function loadPage(form) {
  try {
    const headers = { Accept: 'text/html', ...getCredentials() }
    const response = await fetch(location.href, { headers })
    if (response.status !== 401) {
      showPage(await readPage(response))
      return true
    }
    showError(form, 'The server does not accept these credentials.')
  } catch {
    showError(form, 'The server cannot be reached with these credentials.')
  }
  forgetCredentials()
  return false
}

/**
 * @param {HTMLFormElement} form
 * @param {string} message
 */
function showError(form, message) {
  const place = form.querySelector('.form-error')
  if (place) place.textContent = message
}

/**
 * Reads a page, or a text that is none, e.g. the OpenAPI document.
 * @param {Response} response
 * @returns {Promise<Document>}
 */
async function readPage(response) {
  const text = await response.text()
  if (/^text\/html\b/.test(response.headers.get('content-type') ?? ''))
    return new DOMParser().parseFromString(text, 'text/html')
  const page = document.implementation.createHTMLDocument(location.pathname)
  page.body.append(createElement('pre', {}, text))
  return page
}

/** @param {Document} page - of this server; scripts in it do not run */
function showPage(page) {
  document.title = page.title
  document.body.replaceWith(page.body)
  showCredentials()
  const forget = createButton('Forget credentials', 'Forget credentials', () => {
    forgetCredentials()
    location.reload()
  })
  document.querySelector('.breadcrumb')?.append(forget)
}

/** Writes in the code of the request where the credentials belong; they themselves are in variables. */
function showCredentials() {
  const [[header = '', value = ''] = []] = Object.entries(getCredentials())
  const scheme = value.startsWith('Bearer ') ? 'Bearer ' : ''
  const member = `'${header}': ${scheme && `'${scheme}' + `}token`
  const code = {
    curl: ` -H "${header}: ${scheme}$TOKEN"`,
    token: "const token = 'your token'\n",
    fetch: `, ${member}`,
    client: `, headers: { ${member} }`,
  }
  for (const element of document.querySelectorAll('[data-credentials]'))
    element.textContent = Reflect.get(code, element.getAttribute('data-credentials') ?? '') ?? ''
}
