import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import { apiKeyAuth, bearerAuth, createApiKey } from '../../src/auth/index.ts'
import { createPages } from '../../src/html/index.ts'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import { openSqlite } from '../../src/sqlite/store.ts'
import { inMemory } from '../databases.ts'
import { library, libraryTables } from '../engine/library.ts'
import { long } from '../long-tests.ts'
import { lacksChromium, type TestBrowser } from './browser.ts'
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser } from './shared-browser.ts'

const run = promisify(execFile)

describe('The pages behind authentication by a header field', {
  ...long,
  skip: lacksChromium,
}, () => {
  const store = openSqlite(library, ':memory:')
  const { key, hash } = createApiKey()
  const server = createServer({
    ...{ model: library, store, logLevel: 'silent', html: createPages({ explain: true }) },
    openapi: true,
    authenticate: apiKeyAuth({ keys: [{ hash, auth: 'ada' }] }),
  })
  const secret = 'a secret of at least 32 characters'
  const bearerServer = createServer({
    ...{ model: library, store, logLevel: 'silent', html: createPages() },
    authenticate: bearerAuth({
      ...{ key: { secret }, algorithms: ['HS256'], issuer: 'us', audience: 'them' },
      toAuth: ({ sub }) => sub,
    }),
  })
  let bearerUrl: string
  let browser: TestBrowser

  before(async () => {
    await store.migrate([{ version: 1, sql: libraryTables(inMemory.columnTypes) }])
    bearerUrl = await bearerServer.listen({ host: '127.0.0.1', port: 0 })
    browser = await openBrowser(await server.listen({ host: '127.0.0.1', port: 0 }), bearerUrl)
  })
  after(async () => {
    await browser.close()
    await server.close()
    await bearerServer.close()
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
    // The element that had the focus was removed.
    assert.equal(await page.evaluate('document.activeElement.localName'), 'main')

    await page.locator('summary', { hasText: 'code' }).click()
    const [curl = '', call, client] = await page
      .locator('details code')
      .allInnerTexts()
      .then((all) => all.slice(1))
    assert.match(curl, / -H "x-api-key: \$TOKEN" /)
    const { stdout } = await run('sh', ['-c', `${curl} --silent`], {
      env: { ...process.env, TOKEN: key },
    })
    assert.ok(Array.isArray(JSON.parse(stdout).data))
    assert.match(call ?? '', /\+json', 'x-api-key': token }/)
    const program = `${call?.replace('your token', key)}; return document`
    const fetched = await page.evaluate(`(async () => { ${program} })()`)
    assert.deepEqual(fetched, JSON.parse(stdout))
    assert.match(
      client ?? '',
      /headers: \{ 'x-api-key': token \} \}\)\nawait client\.book\.list\(\)/,
    )

    await page.locator('summary', { hasText: 'Filter' }).click()
    await page.getByLabel('Add condition').waitFor()
    await page.locator('summary', { hasText: 'Create book' }).click()
    await page.getByLabel(/^title/).fill('Behind a key')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/books\/\d+$/)
    await page.locator('h1', { hasText: 'Behind a key' }).waitFor()
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.locator('h1', { hasText: 'Resources' }).waitFor()

    // A text that is not a page is shown unchanged.
    await page.getByRole('link', { name: 'OpenAPI document' }).click()
    await page.locator('pre', { hasText: '"openapi":"3.1' }).waitFor()
    assert.equal(await page.title(), '/openapi.json')
    await page.goBack()
    await page.getByRole('button', { name: 'Forget credentials' }).click()
    // The landing page needs no credentials, but offers to enter them.
    await page.getByRole('button', { name: 'Show the page' }).waitFor()
    assert.equal(await heading.innerText(), 'Resources')
    assert.deepEqual(await findAxeViolations(page), [])
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    assert.deepEqual(browser.errors, [])
  })

  it('given a bearer token, when it is entered, then pages and forms are sent with it, on a phone in the dark too', async (test) => {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('us')
      .setAudience('them')
      .setSubject('ada')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret))
    const viewport = { width: 360, height: 640 }
    const page = await browser.open(`${bearerUrl}/books`, { viewport, colorScheme: 'dark' })
    test.after(() => page.context().close())
    assert.deepEqual(await findAxeViolations(page), [])
    const enter = async (text: string) => {
      await page.getByLabel('Bearer token').fill(text)
      await page.getByLabel('Bearer token').press('Enter')
    }
    await enter(`${token}x`)
    await page.getByText('The server does not accept these credentials.').waitFor()
    await enter(token)
    await page.locator('h1', { hasText: 'book' }).waitFor()
    await page.locator('summary', { hasText: 'Create book' }).click()
    await page.getByLabel(/^title/).fill('Behind a token')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.equal((await sent).headers().authorization, `Bearer ${token}`)
    await page.locator('h1', { hasText: 'Behind a token' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    assert.deepEqual([browser.errors, browser.foreignRequests], [[], []])
  })
})
