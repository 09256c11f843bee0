import type { Browser, CDPSession, Page } from 'playwright-core'
import {
  launchChromium,
  limitToOrigins,
  openPage,
  recordPage,
  type TestBrowser,
} from './browser.ts'

/** Pages of one origin in the shared browser. */
export interface SharedBrowser extends TestBrowser {
  /** Leaves the page that was opened last, so that nothing of it follows: requests, errors, history, storage. */
  leave(): Promise<void>
}

/** The browser that the suites of this process share: a start takes as long as several tests. */
let shared: Promise<Browser> | undefined
let users = 0
let idle: NodeJS.Timeout | undefined

/** The page that the tests of this process share: a new one is a new process, which takes as long as most tests. */
let sharedPage: SharedPage | undefined

/** Ends the records of the test that uses the shared page. */
let stopRecords: (() => void) | undefined

/** A page, and its connection for what Playwright has no method for. */
type SharedPage = Readonly<{ page: Page; session: CDPSession }>

const defaultViewport = { width: 1280, height: 720 }

/** Milliseconds after which a browser that no suite uses is closed. Between two suites of pages are some without a browser. */
const idleTime = 5000

/**
 * Opens the pages of one origin in the shared browser. To close the result closes its pages. Each call of `open` leaves the page
 * before it. With other options than a viewport and a colour scheme, and with `others`, a page has a context of its own: the session
 * storage of an origin can be cleared only by a page of it.
 * @param others - other allowed origins
 */
export async function openBrowser(
  origin: string,
  ...others: readonly string[]
): Promise<SharedBrowser> {
  users += 1
  clearTimeout(idle)
  shared ??= launchChromium()
  const browser = await shared
  const own = limitToOrigins(browser, origin, ...others)
  const open: TestBrowser['open'] = async (path, options = {}) => {
    const { viewport, colorScheme = 'light', ...rest } = options
    await leavePage()
    if (others.length > 0 || Object.keys(rest).length > 0) return own.open(path, options)
    sharedPage ??= await openSharedPage(browser)
    const { page } = sharedPage
    stopRecords = recordPage(page, [origin], own)
    await page.setViewportSize(viewport ?? defaultViewport)
    await page.emulateMedia({ colorScheme })
    await page.goto(new URL(path, origin).href)
    return page
  }
  const close = async () => {
    await leavePage()
    await own.close()
    users -= 1
    // A hook after all suites does not run as long as the browser runs, if a filter leaves out a whole suite.
    idle = setTimeout(closeIfIdle, idleTime)
  }
  return { ...own, open, leave: leavePage, close }
}

async function openSharedPage(browser: Browser): Promise<SharedPage> {
  const page = await openPage(browser, { viewport: defaultViewport })
  return { page, session: await page.context().newCDPSession(page) }
}

/** Leaves the shared page. If this is impossible, after a test that failed, the page is closed. */
async function leavePage(): Promise<void> {
  if (stopRecords === undefined || sharedPage === undefined) return
  const left = sharedPage
  sharedPage = undefined
  try {
    await emptyPage(left)
    sharedPage = left
  } catch {
    await left.page.context().close()
  }
  stopRecords()
  stopRecords = undefined
}

/** Makes a page as a new one: an empty document without history, cached files, cookies and stored entries. */
async function emptyPage({ page, session }: SharedPage): Promise<void> {
  await page.evaluate('sessionStorage.clear(); localStorage.clear()')
  await page.goto('about:blank')
  await page.mouse.move(-1, -1)
  await session.send('Network.clearBrowserCookies')
  await session.send('Network.clearBrowserCache')
  await session.send('Page.resetNavigationHistory')
}

async function closeIfIdle(): Promise<void> {
  if (users > 0 || shared === undefined) return
  const closing = shared
  shared = undefined
  sharedPage = undefined
  await (await closing).close()
}
