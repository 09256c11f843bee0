import assert from 'node:assert/strict'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  ConsoleMessage,
  Page,
  Request,
} from 'playwright-core'
import { findMissing } from '../installed-tools.ts'

/** The names of Chromium's command in Debian, and of Chrome. */
const commands = ['chromium', 'chromium-browser', 'google-chrome']

/** The path of Chromium: the variable `CHROMIUM` unless it is empty, or the first command that is found; `undefined` if there is none. */
const chromiumPath: string | undefined =
  process.env.CHROMIUM ||
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => commands.map((command) => join(folder, command)))
    .find(isExecutable)

/** Why the tests in a browser do not run; `false` if they do. */
export const lacksChromium: string | false =
  findMissing('chromium') ??
  (chromiumPath === undefined &&
    'Chromium is not installed; install it, or set CHROMIUM to its path')

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A browser that reaches this host only. */
export interface TestBrowser {
  /** Opens a page in a context of its own. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Requests to other origins. Those to other hosts fail. */
  readonly foreignRequests: readonly string[]
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  readonly errors: readonly string[]
  close(): Promise<void>
}

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  // A route that blocks requests would disable the cache of the browser.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** Starts Chromium. */
export async function launchChromium(): Promise<Browser> {
  assert.ok(chromiumPath)
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: chromiumPath, args })
}

/** Starts Chromium, for the pages of one origin. @param others - other allowed origins */
export async function launchBrowser(
  origin: string,
  ...others: readonly string[]
): Promise<TestBrowser> {
  const browser = await launchChromium()
  return { ...limitToOrigins(browser, origin, ...others), close: () => browser.close() }
}

/**
 * Opens the pages of one origin in a browser. Every request to another origin is recorded.
 * @param others - other allowed origins
 */
export function limitToOrigins(
  browser: Browser,
  origin: string,
  ...others: readonly string[]
): TestBrowser & PageRecords {
  const records: PageRecords = { foreignRequests: [], errors: [] }
  const contexts: BrowserContext[] = []
  return {
    ...records,
    open: async (path, options = {}) => {
      const page = await openPage(browser, options)
      contexts.push(page.context())
      recordPage(page, [origin, ...others], records)
      await page.goto(new URL(path, origin).href)
      return page
    },
    close: async () => {
      for (const context of contexts) await context.close()
    },
  }
}

/** What pages have done that a test may not expect. */
interface PageRecords {
  readonly foreignRequests: string[]
  readonly errors: string[]
}

/**
 * Records the requests of a page to other origins, its errors, and its violations of the Content-Security-Policy.
 * @returns a function that ends the records
 */
export function recordPage(
  page: Page,
  origins: readonly string[],
  { foreignRequests, errors }: PageRecords,
): () => void {
  const onRequest = (request: Request) => {
    const url = request.url()
    if (!url.startsWith('data:') && !origins.includes(new URL(url).origin))
      foreignRequests.push(url)
  }
  const onError = (error: Error) => void errors.push(error.message)
  const onMessage = (message: ConsoleMessage) => {
    // A failed request is not an error of the page: forms show it.
    const isRequest = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRequest) errors.push(message.text())
  }
  const context = page.context()
  context.on('request', onRequest)
  page.on('pageerror', onError)
  page.on('console', onMessage)
  return () => {
    context.off('request', onRequest)
    page.off('pageerror', onError)
    page.off('console', onMessage)
  }
}

/** Opens an empty page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(10_000)
  return context.newPage()
}
