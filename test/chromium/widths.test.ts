import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { model as musicStore, startServer } from '../../examples/chinook/start-server.ts'
import { type RunningService, startService } from '../../service/start-service.ts'
import { long } from '../long-tests.ts'
import { takePart } from '../property/seed.ts'
import { noTimeInCi } from '../read-count.ts'
import { lacksChromium, type TestBrowser } from './browser.ts'
import { findCutContent } from './find-cut-content.ts'
import { openBrowser } from './shared-browser.ts'

const settings = { databaseUrl: 'sqlite::memory:', host: '127.0.0.1', port: 0, logLevel: 'silent' }
const widths = [320, 375, 768, 1024, 1400, 1920]

/** A page of each kind. */
const kinds = [
  '/',
  '/persons?include=computers&filter[gender]=female',
  '/computers?include=owner',
  '/persons?filter[name]=nobody',
  '/persons/2?include=computers',
  '/persons/2/computers',
  '/computers/462/owner',
  '/persons/2/relationships/computers',
  '/computers/1/relationships/owner',
  '/persons/99999',
  '/persons?sort=colour&include=cars',
  '/html.explain?url=/persons?include=computers%26sort=name',
]

describe('The width of the pages', { ...long, skip: lacksChromium }, () => {
  let service: RunningService
  let browser: TestBrowser
  before(async () => {
    service = await startService(settings, true)
    browser = await openBrowser(service.url)
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  /** Opens a page once: its layout depends on styles alone, not on the width that it had when it was loaded. */
  const check = async ({ open }: TestBrowser, path: string, ofWidths: readonly number[]) => {
    const page = await open(path)
    const panels = page.locator('details')
    await panels.evaluateAll((all) => all.map((each) => each.setAttribute('open', '')))
    if ((await panels.filter({ hasText: 'Filter' }).count()) > 0)
      await page.getByLabel('Add condition').click()
    for (const width of ofWidths) {
      await page.setViewportSize({ width, height: 900 })
      assert.deepEqual(await findCutContent(page), [], `${path} at ${width} pixels`)
    }
  }

  const some = takePart(widths, noTimeInCi ? 6 : 3)
  for (const path of kinds)
    it(`given ${path}, when the viewport is ${some.join(' and ')} pixels wide, then nothing is cut or overlaps`, () =>
      check(browser, path, some))

  // 30 pixels less than the width of a common screen, because system fonts differ in width.
  for (const number of [1, 10])
    it(`given page ${number} of persons with their computers, when the viewport is 1370 or 1920 pixels wide, then the table needs no scrolling`, async () => {
      const page = await browser.open(`/persons?include=computers&page[number]=${number}`)
      for (const width of [1370, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        const [table] = await page.locator('.scroll').all()
        assert.equal(await table?.evaluate((box) => box.scrollWidth - box.clientWidth), 0)
      }
    })

  it('given a viewport of 320 pixels, when the landing page is opened, then the table needs no scrolling', async () => {
    const page = await browser.open('/', { viewport: { width: 320, height: 640 } })
    const table = page.locator('.scroll')
    assert.equal(await table.evaluate((box) => box.scrollWidth - box.clientWidth), 0)
  })

  it('given the music store, when lists and resources of every type are opened, then nothing is cut or overlaps', async () => {
    const server = await startServer('sqlite::memory:', 0, 'silent')
    const pages = await openBrowser(server.url)
    try {
      const paths = [...musicStore.types.values()].flatMap(({ path }) => [path, `${path}/1`])
      for (const path of ['/', ...paths]) await check(pages, path, noTimeInCi ? some : widths)
    } finally {
      await pages.close()
      await server.close()
    }
  })
})
