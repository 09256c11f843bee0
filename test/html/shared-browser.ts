import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium, limitToOrigins, type TestBrowser } from '../browser.ts'

/** The browser that the suites of this process share: a start takes as long as several tests. */
let shared: Promise<Browser> | undefined
after(async () => (await shared)?.close())

/** Opens the pages of one origin in the shared browser. To close the result closes its pages. @param others - other allowed origins */
export async function openBrowser(
  origin: string,
  ...others: readonly string[]
): Promise<TestBrowser> {
  shared ??= launchChromium()
  return limitToOrigins(await shared, origin, ...others)
}
