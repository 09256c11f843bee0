/** The entry of the session storage: it lasts as long as the tab, no other site can read it, and no request sends it by itself. */
const entry = 'lapidary.credentials'

/**
 * Returns the header field with the credentials that the user has entered; empty if there are none.
 * @returns {Record<string, string>}
 */
export function getCredentials() {
  const text = sessionStorage.getItem(entry)
  return text === null ? {} : JSON.parse(text)
}

/** @param {Record<string, string>} header */
export function keepCredentials(header) {
  sessionStorage.setItem(entry, JSON.stringify(header))
}

/** Forgets the credentials. */
export function forgetCredentials() {
  sessionStorage.removeItem(entry)
}
