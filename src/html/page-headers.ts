/**
 * The header fields of every page. It loads nothing from other hosts, runs no inline script, and is in no frame.
 * @see https://www.w3.org/TR/CSP3/
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const
