import { HttpError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import type { Check } from '../model/check/option-checks.ts'
import { mustBe } from '../model/check/option-checks.ts'
import type { HttpRequest } from './request.ts'

/** The options that decide whose pages may write. */
interface OriginOptions {
  readonly publicUrl?: string | undefined
  readonly allowedOrigins?: readonly string[] | undefined
}

/**
 * Creates the check that a page of another origin has not caused a write. A browser sends the cookies and the password of Basic
 * authentication along, and asks no preflight request for a form. Its field `Origin` names the page, and `Sec-Fetch-Site` compares
 * both. A client without these fields is no browser.
 *
 * The server's own origin is `publicUrl`. So is the host of the request: with the scheme of `publicUrl` if it is the same host, with
 * `https` if the connection is secure, and otherwise with either scheme, because a proxy may have ended TLS. `Origin: null`, which a
 * sandboxed frame sends, is that of another page.
 *
 * @returns a function that throws HttpError `foreign_origin` (403)
 * @see https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 * @see https://fetch.spec.whatwg.org/#origin-header
 */
export function createOriginCheck({
  publicUrl,
  allowedOrigins = [],
}: OriginOptions): (write: HttpRequest) => void {
  const allowed = new Set(allowedOrigins)
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  const isOwn = (origin: string, write: HttpRequest): boolean => {
    if (origin === publicUrl) return true
    const page = URL.parse(origin)
    if (page === null || page.host === publicHost) return false
    const hasScheme =
      page.protocol === 'https:' || (page.protocol === 'http:' && write.protocol === 'http')
    // The URL of a request of the Fetch API may have another host than its header field.
    return hasScheme && [write.host, write.header('host')].some((each) => isHostOf(page, each))
  }
  return (write) => {
    const origin = write.header('origin')
    if (origin !== undefined && allowed.has(origin)) return
    const site = write.header('sec-fetch-site')
    const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (isOtherSite || (origin !== undefined && !isOwn(origin, write)))
      throw createForeignOrigin(origin)
  }
}

/** Compares hosts as URLs, which have no default port and are in lower case. */
function isHostOf({ protocol, host }: URL, sent: string | undefined): boolean {
  return sent !== undefined && URL.parse(`${protocol}//${sent}`)?.host === host
}

function createForeignOrigin(origin: string | undefined): HttpError {
  const page = origin === undefined ? 'a page of another origin' : `a page of ${quote(origin)}`
  const detail = `The request was sent by ${page}, which may not write here; allowedOrigins (ALLOWED_ORIGINS) names the origins that may, and publicUrl (PUBLIC_URL) the one of this server.`
  return new HttpError('foreign_origin', detail)
}

/** An origin of a scheme that the URL standard does not know, such as that of a browser extension. */
const otherOrigin = /^(?!https?:)[a-z][a-z\d+.-]*:\/\/[a-z\d._-]+(:\d+)?$/

/** Whether a text is an origin as browsers send it: scheme, host in lower case, and a port that is not the default. */
function isSentOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text || otherOrigin.test(text)
}

/** Checks the option `allowedOrigins`. */
export const allowedOriginsCheck: Check = mustBe(
  'an array of origins such as "https://app.example", without a path',
  (value) =>
    Array.isArray(value) &&
    value.every((origin) => typeof origin === 'string' && isSentOrigin(origin)),
)
