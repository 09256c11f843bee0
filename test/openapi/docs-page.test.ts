import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { createHandler, defineModel, RequestError, type Store } from 'lapidary'
import { apiKeyAuth, createApiKey } from 'lapidary/auth'
import { docsPage } from 'lapidary/docs'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { migrations } from '../../service/migrations.ts'
import { resources } from '../../service/resources/index.ts'
import { lacksChromium, launchBrowser, type TestBrowser } from '../chromium/browser.ts'
import { findAxeViolations } from '../chromium/find-axe-violations.ts'
import { withScalar } from '../chromium/scalar.ts'
import { long } from '../long-tests.ts'

const model = defineModel(resources)
const { key, hash } = createApiKey()

/** A rule that only Scalar can obey: the list of languages is a `tablist` with a button for further ones, which is not a tab. */
const rulesOfScalar = ['aria-required-children']

/** Milliseconds: on a busy machine it takes long until Scalar has rendered a page. */
const timeout = 120_000

describe('The reference page', withScalar, () => {
  let store: Store
  before(async () => {
    store = openSqlite(model, ':memory:')
    await store.migrate(migrations.sqlite)
  })
  after(() => store.close())

  it('is served without authentication, with a strict policy, and is linked from the root', async () => {
    const authenticate = apiKeyAuth({ keys: [{ hash, auth: 'ada' }] })
    const openapi = { docs: docsPage() }
    const handle = createHandler({ model, store, prefix: '/api', authenticate, openapi })
    const get = (path: string, headers = {}) => handle(new Request(`http://x${path}`, { headers }))
    const page = await get('/api/docs')
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /default-src 'none'; script-src 'self'/,
    )
    const scripts = [...(await page.text()).matchAll(/src="([^"]+)"/g)].map(([, src = '']) => src)
    assert.equal(scripts.length, 2)
    for (const script of scripts) {
      const response = await get(`/api/${script}`)
      assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
      assert.ok((await response.text()).length > 1000)
    }
    assert.equal((await get('/api/openapi.json')).status, 401)
    const root = await get('/api/', { 'x-api-key': key })
    assert.match(root.headers.get('link') ?? '', /<\/api\/docs>; rel="service-doc"/)
  })

  it('may have another path of one segment', () => {
    assert.equal(docsPage({ path: '/reference' }).path, '/reference')
    assert.throws(
      () => docsPage({ path: '/a/b' }),
      /docsPage\.path: must be a slash and one segment/,
    )
  })

  describe('in a browser', { ...long, skip: lacksChromium }, () => {
    let browser: TestBrowser
    let server: ReturnType<typeof createServer>

    before(async () => {
      const authenticate = apiKeyAuth({ keys: [{ hash, auth: 'ada' }] })
      const openapi = { title: 'Persons', docs: docsPage() }
      server = createServer({
        model,
        store,
        prefix: '/api',
        authenticate,
        openapi,
        logLevel: 'silent',
      })
      browser = await launchBrowser(await server.listen({ host: '127.0.0.1', port: 0 }))
    })
    after(async () => {
      await browser.close()
      await server.close()
    })

    it('asks for credentials, shows every type, sends a request, and asks no other host', async () => {
      const page = await browser.open('/api/docs')
      page.setDefaultTimeout(timeout)
      await page.getByLabel('API key (x-api-key)').fill('guessed')
      await page.getByRole('button').click()
      await page.getByText('These credentials are not valid.').waitFor()
      await page.getByLabel('API key (x-api-key)').fill(key)
      await page.getByRole('button', { name: 'Show the reference' }).click()
      await page.getByRole('heading', { name: 'Persons' }).waitFor()
      await page.getByText('A person, who may own computers.').first().waitFor()
      await page.getByText('A computer, which a person may own.').first().waitFor()
      await page.locator('button', { hasText: 'Test Request(get /persons)' }).first().click()
      const responded = page.waitForResponse(
        (each) => new URL(each.url()).pathname === '/api/persons',
      )
      await page.getByRole('button', { name: /^Send/ }).first().click()
      assert.equal((await responded).status(), 200)
      assert.deepEqual(browser.foreignRequests, [])
      assert.deepEqual(browser.errors, [])
    })

    it('violates no rule of axe-core, in light and in dark colours, but for one of Scalar', async () => {
      const page = await browser.open('/api/docs', { colorScheme: 'light' })
      page.setDefaultTimeout(timeout)
      assert.deepEqual(await findAxeViolations(page), [])
      await page.getByLabel('API key (x-api-key)').fill(key)
      await page.getByRole('button', { name: 'Show the reference' }).click()
      await page.getByText('A computer, which a person may own.').first().waitFor()
      const find = async () =>
        (await findAxeViolations(page)).filter(
          (violation) => !rulesOfScalar.some((rule) => violation.startsWith(`${rule}:`)),
        )
      assert.deepEqual(await find(), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('.dark-mode').first().waitFor()
      assert.deepEqual(await find(), [])
      await page.setViewportSize({ width: 360, height: 640 })
      assert.ok(Number(await page.evaluate('document.scrollingElement.scrollWidth')) <= 360)
    })

    it('sends a token as a function of the application reads it, though the description does not say how', async (test) => {
      const authenticate = ({ headers }: FastifyRequest) => {
        if (headers.authorization === 'Bearer abc') return 'ada'
        const challenge = { 'www-authenticate': 'Bearer' }
        throw new RequestError({ status: 401, detail: 'Sign in.', headers: challenge })
      }
      const openapi = { title: 'Persons', docs: docsPage() }
      const other = createServer({ model, store, authenticate, openapi, logLevel: 'silent' })
      const otherBrowser = await launchBrowser(await other.listen({ host: '127.0.0.1', port: 0 }))
      test.after(async () => {
        await otherBrowser.close()
        await other.close()
      })
      const page = await otherBrowser.open('/docs')
      page.setDefaultTimeout(timeout)
      await page.getByLabel('Bearer token').fill('abc')
      await page.keyboard.press('Enter')
      await page.locator('button', { hasText: 'Test Request(get /persons)' }).first().click()
      const responded = page.waitForResponse((each) => new URL(each.url()).pathname === '/persons')
      await page.getByRole('button', { name: /^Send/ }).first().click()
      assert.equal((await responded).status(), 200)
      assert.deepEqual([otherBrowser.foreignRequests, otherBrowser.errors], [[], []])
    })
  })
})
