import { createHash } from 'node:crypto'
import { accessSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { DocsFile, DocsPage } from '../openapi/options.ts'
import { checkDocsOptions } from '../openapi/options.ts'
import { startScript } from './start-script.ts'

/** The options of `docsPage`. */
export interface DocsPageOptions {
  /** The path of the page behind the prefix: a slash and one segment. Default `/docs`. */
  readonly path?: string
}

/** The styles of the form for credentials, and the colours of Scalar that have too little contrast (WCAG 2.2, 1.4.3). */
const style = `
html { background: light-dark(#ffffff, #0f0f0f); }
body { margin: 0; }
.credentials { font: 15px / 1.5 system-ui, sans-serif; color: light-dark(#1b1f27, #e4e7ec); max-width: 26rem; margin: 12vh auto; padding: 0 1.5rem; }
.credentials label { display: block; margin-bottom: 0.25rem; }
.credentials :is(input, button) { box-sizing: border-box; font: inherit; border: 1px solid light-dark(#59616e, #a4adbb); border-radius: 6px; padding: 0.4rem 0.8rem; }
.credentials input { width: 100%; color: inherit; background: transparent; margin-bottom: 0.75rem; }
.credentials button { cursor: pointer; color: light-dark(#ffffff, #10141a); background: light-dark(#0b57b7, #8ab8ff); border-color: transparent; }
.credentials .error { color: light-dark(#a8201a, #ff9c94); }
.light-mode {
  --scalar-color-2: #5c5c5c !important; --scalar-color-3: #666666 !important; --scalar-sidebar-search-color: #666666 !important;
  --scalar-color-green: #04704b !important; --scalar-color-red: #c40005 !important; --scalar-color-yellow: #7a5b00 !important;
  --scalar-color-blue: #005fa3 !important; --scalar-color-orange: #a83a00 !important; --scalar-color-accent: #005fa3 !important;
}
.dark-mode { --scalar-color-3: #9a9a9a !important; --scalar-sidebar-search-color: #9a9a9a !important; --scalar-color-red: #ff7b72 !important; }
`

/** Scalar writes its styles into the page. Everything else comes from the server itself. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Creates the reference page of an API, for the option `openapi.docs` of every adapter. It shows the description by Scalar
 * (`@scalar/api-reference`), an optional peer dependency, which the server serves itself. Requests can be tried on the page.
 *
 * @throws DeclarationError for an unknown or wrong option; Error when the package is not installed
 * @see docs/guides/describing.md
 */
export function docsPage(options: DocsPageOptions = {}): DocsPage {
  checkDocsOptions(options)
  const { path = '/docs' } = options
  const { file, version } = findScalar()
  const folder = path.slice(1)
  const name = `scalar-${version}.js`
  const startName = `start-${createHash('sha256').update(startScript).digest('hex').slice(0, 12)}.js`
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>API reference</title>
<style>${style}</style>
</head>
<body>
<div id="reference"></div>
<script src="${folder}/${name}"></script>
<script src="${folder}/${startName}"></script>
</body>
</html>
`
  const html = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  }
  return {
    path,
    files: [
      { path: '', headers: html, read: () => page },
      { path: `/${startName}`, headers: javascript, read: () => startScript },
      { path: `/${name}`, headers: javascript, read: () => readFile(file, 'utf8') },
    ] satisfies DocsFile[],
  }
}

/** The names of the scripts contain a version or a hash, so a browser may keep them. */
const javascript = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
} as const

function findScalar(): Readonly<{ file: string; version: string }> {
  const require = createRequire(import.meta.url)
  try {
    // The package exports neither its bundle for browsers nor its manifest.
    const folder = dirname(require.resolve('@scalar/api-reference'))
    const file = join(folder, 'browser', 'standalone.js')
    accessSync(file)
    const manifest: unknown = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'))
    return { file, version: String(Object(manifest).version) }
  } catch (cause) {
    const message =
      'lapidary/docs needs the package @scalar/api-reference; install it with "npm install @scalar/api-reference"'
    throw new Error(message, { cause })
  }
}
