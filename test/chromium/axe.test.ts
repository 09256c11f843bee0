import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type RunningService, startService } from '../../service/start-service.ts'
import { long } from '../long-tests.ts'
import { takePart } from '../property/seed.ts'
import { lacksChromium } from './browser.ts'
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser, type SharedBrowser } from './shared-browser.ts'

const settings = { databaseUrl: 'sqlite::memory:', host: '127.0.0.1', port: 0, logLevel: 'silent' }

describe('The accessibility of the pages', { ...long, skip: lacksChromium }, () => {
  let service: RunningService
  let browser: SharedBrowser
  let page: Page

  before(async () => {
    service = await startService(settings, true)
    browser = await openBrowser(service.url)
  })
  afterEach(() => browser.leave())
  after(async () => {
    await browser.close()
    await service.close()
  })

  const kinds = [
    ['the landing page', '/', []],
    [
      'a list',
      '/persons?include=computers&page[size]=4&filter[gender]=female',
      ['Filter', 'Create', 'code'],
    ],
    ['an empty list', '/persons?filter[name]=nobody', []],
    ['a resource', '/persons/2?include=computers', ['Update', 'Delete']],
    ['a related resource', '/computers/1/owner', []],
    ['no related resource', '/computers/462/owner', []],
    ['linkage', '/persons/2/relationships/computers', []],
    ['an error', '/persons?sort=colour&include=cars', []],
    ['the SQL of a read', '/html.explain?url=/persons?filter[gender]=female', []],
  ] as const
  // axe-core takes a second a page.
  for (const [kind, path, panels] of takePart(kinds, kinds.length)) {
    it(`given ${kind}, when axe-core checks it in light and in dark colours, then it finds no violation`, async () => {
      page = await browser.open(path, { colorScheme: 'light' })
      for (const panel of panels) await page.locator('summary', { hasText: panel }).click()
      if (path.includes('include=computers&')) await page.getByLabel('Add condition').click()
      assert.deepEqual(await findAxeViolations(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await findAxeViolations(page, ['color-contrast', 'link-in-text-block']), [])
      // On a phone, tables and code scroll; the page does not.
      await page.setViewportSize({ width: 360, height: 640 })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    })
  }
})
