import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { apiKeyAuth, createApiKey } from 'lapidary/auth'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { lacksChromium, launchBrowser, type TestBrowser } from '../browser.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { findAxeViolations } from './find-axe-violations.ts'

describe('The pages behind authentication by a header field', { skip: lacksChromium }, () => {
  const store = openSqlite(library, ':memory:')
  const { key, hash } = createApiKey()
  const server = createServer({
    ...{ model: library, store, logLevel: 'silent', html: createPages({ explain: true }) },
    authenticate: apiKeyAuth({ keys: [{ hash, auth: 'ada' }] }),
  })
  let browser: TestBrowser

  before(async () => {
    await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
    browser = await launchBrowser(await server.listen({ host: '127.0.0.1', port: 0 }))
  })
  after(async () => {
    await browser.close()
    await server.close()
    await store.close()
  })

  it('given no credentials, when they are entered, then every page and form works until they are forgotten', async (test) => {
    const page = await browser.open('/books')
    test.after(() => page.context().close())
    const heading = page.locator('h1')
    const enter = async (text: string) => {
      await page.getByLabel('API key (x-api-key)').fill(text)
      await page.getByRole('button', { name: 'Show the page' }).click()
    }
    assert.match(await heading.innerText(), /^401/)
    assert.deepEqual(await findAxeViolations(page), [])
    await enter('wrong')
    await page.getByText('The server does not accept these credentials.').waitFor()
    await enter(key)
    await page.locator('h1', { hasText: 'book' }).waitFor()
    assert.equal(await page.title(), '/books')

    await page.locator('summary', { hasText: 'Filter' }).click()
    await page.getByLabel('Add condition').waitFor()
    await page.locator('summary', { hasText: 'Create book' }).click()
    await page.getByLabel(/^title/).fill('Behind a key')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/books\/\d+$/)
    await page.locator('h1', { hasText: 'Behind a key' }).waitFor()
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.locator('h1', { hasText: 'Resources' }).waitFor()

    await page.getByRole('button', { name: 'Forget credentials' }).click()
    await page.locator('h1', { hasText: '401' }).waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    assert.deepEqual(browser.errors, [])
  })
})
