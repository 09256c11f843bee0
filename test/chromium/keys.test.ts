import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createPages } from '../../src/html/index.ts'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import {
  action,
  attribute,
  createApi,
  defineModel,
  idempotencyTable,
  resource,
  type Store,
  text,
  toMany,
  toOne,
} from '../../src/index.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { long } from '../long-tests.ts'
import type { OpenDatabase } from '../open-database.ts'
import { skipInCi } from '../read-count.ts'
import { lacksChromium } from './browser.ts'
import { openBrowser, type SharedBrowser } from './shared-browser.ts'

/** A type whose writes need a key. */
const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  idempotency: 'required',
  actions: {
    repeat: action({ run: async ({ tx }) => void (await tx.create('order', { title: 'again' })) }),
  },
  fields: { title: attribute(text), lines: toMany('line', { column: 'order_id' }) },
})
const line = resource('line', {
  path: '/lines',
  table: 'line',
  fields: { order: toOne('order', { column: 'order_id' }) },
})
const model = defineModel([order, line], { principal: () => 'everybody' })

for (const database of databases) {
  const skip = lacksChromium || skipInCi(database.dialect)
  const options = { skip, ...(database.dialect !== 'sqlite' && long) }
  describe(`Forms whose writes need a key, in Chromium · ${database.name}`, options, () => {
    let opened: OpenDatabase
    let store: Store
    let server: ReturnType<typeof createServer>
    let browser: SharedBrowser
    let page: Page

    const client = () => createApi({ model, store }).with({})
    const count = async () => (await client().list('order')).meta.count
    const openPanel = (name: string) => page.locator('summary', { hasText: name }).click()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const openForm = async (path: string, name: string) => {
      page = await browser.open(path)
      await openPanel(name)
    }
    /** Presses a button, and waits until the page has been loaded again. */
    const reloaded = async (name: string) => {
      const loading = page.waitForEvent('load')
      await button(name).click()
      await loading
    }

    before(async () => {
      opened = await database.create()
      store = await openStore(model, opened.url)
      const { newId, id } = database.columnTypes
      const sql = `create table purchase (id ${newId}, title text);
        create table line (id ${newId}, order_id ${id} references purchase (id)); ${idempotencyTable}`
      await store.migrate([{ version: 1, sql }])
      server = createServer({ model, store, html: createPages(), logLevel: 'silent' })
      browser = await openBrowser(await server.listen({ host: '127.0.0.1', port: 0 }))
    })
    afterEach(() => browser.leave())
    after(async () => {
      await browser.close()
      await server.close()
      await store.close()
      await opened.remove()
    })

    it('a create whose response is lost, and that is sent again, writes once', async () => {
      const before = await count()
      await openForm('/orders', 'Create order')
      await page.getByLabel('title (text)', { exact: true }).fill('Pens')
      const keys: (string | undefined)[] = []
      await page.route('**/orders', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        keys.push(route.request().headers()['idempotency-key'])
        const response = await route.fetch()
        assert.equal(response.status(), 201)
        return keys.length === 1 ? route.abort() : route.fulfill({ response })
      })
      await button('Create').click()
      await page.locator('[role=alert]', { hasText: 'cannot be reached' }).waitFor()
      const loading = page.waitForURL('**/orders/*')
      await button('Create').click()
      await loading
      await page.unroute('**/orders')
      assert.equal(await count(), before + 1)
      assert.equal(keys.length, 2)
      assert.equal(keys[0], keys[1])
    })

    it('a double click writes once, and a further call is another one', async () => {
      const { id } = await client().create('order', { title: 'Ink' })
      const before = await count()
      await openForm(`/orders/${id}`, 'repeat')
      await button('Call repeat').dblclick()
      await page.waitForLoadState()
      const isDone = async () => (await count()) > before
      while (!(await isDone())) await page.waitForTimeout(20)
      await page.locator('form[data-call=repeat]:not([aria-busy])').waitFor({ state: 'attached' })
      assert.equal(await count(), before + 1)
      await button('Call repeat').press('Enter')
      while ((await count()) < before + 2) await page.waitForTimeout(20)
    })

    it('resources are updated and deleted, and members are added and removed', async () => {
      const { id } = await client().create('order', { title: 'Paper' })
      const { id: member } = await client().create('line', {})
      await openForm(`/orders/${id}`, 'Update order')
      await page.getByLabel('title (text)', { exact: true }).fill('Card')
      await reloaded('Update')
      assert.equal((await client().get('order', id)).title, 'Card')
      page = await browser.open(`/orders/${id}/relationships/lines`)
      await page.getByLabel(/Add line by id/).fill(member)
      await reloaded('Add')
      const read = async () => (await client().get('order', id, { include: ['lines'] })).lines
      assert.equal((await read()).length, 1)
      await reloaded(`Remove line ${member} from lines`)
      assert.equal((await read()).length, 0)
      await openForm(`/orders/${id}`, 'Delete order')
      const loading = page.waitForURL('**/orders')
      await button('Delete').click()
      await loading
      const left = await client().list('order', { filter: [{ name: 'id', op: 'eq', val: id }] })
      assert.equal(left.meta.count, 0)
    })
  })
}
