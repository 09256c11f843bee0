import type { Browser } from 'playwright-core'
import { launchChromium, limitToOrigins, type TestBrowser } from '../browser.ts'

/** The browser that the suites of this process share: a start takes as long as several tests. */
let shared: Promise<Browser> | undefined
let users = 0

/** Milliseconds after which a browser that no suite uses is closed. Between two suites of pages are some without a browser. */
const idleTime = 5000

/** Opens the pages of one origin in the shared browser. To close the result closes its pages. @param others - other allowed origins */
export async function openBrowser(
  origin: string,
  ...others: readonly string[]
): Promise<TestBrowser> {
  users += 1
  shared ??= launchChromium()
  const pages = limitToOrigins(await shared, origin, ...others)
  return {
    ...pages,
    close: async () => {
      await pages.close()
      users -= 1
      // A hook after all suites does not run as long as the browser runs, if a filter leaves out a whole suite.
      setTimeout(closeIfIdle, idleTime)
    },
  }
}

async function closeIfIdle(): Promise<void> {
  if (users > 0 || shared === undefined) return
  const closing = shared
  shared = undefined
  await (await closing).close()
}
