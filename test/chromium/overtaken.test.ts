import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createPages } from '../../src/html/index.ts'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import {
  attribute,
  createApi,
  defineModel,
  enumeration,
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
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser, type SharedBrowser } from './shared-browser.ts'

/** A type whose writes need a condition. */
const order = resource('order', {
  path: '/orders',
  table: 'purchase',
  conditions: 'required',
  fields: {
    title: attribute(text),
    note: attribute(text),
    secret: attribute(text, { access: 'write-only' }),
    state: attribute(enumeration(['open', 'sent'])),
    customer: toOne('customer', { column: 'customer_id' }),
    lines: toMany('line', { column: 'order_id' }),
  },
})
const customer = resource('customer', { path: '/customers', table: 'customer', fields: {} })
const line = resource('line', {
  path: '/lines',
  table: 'line',
  fields: { order: toOne('order', { column: 'order_id' }) },
})
const model = defineModel([order, customer, line])

for (const database of databases) {
  const skip = lacksChromium || skipInCi(database.dialect)
  const options = { skip, ...(database.dialect !== 'sqlite' && long) }
  describe(`Forms that were overtaken, in Chromium · ${database.name}`, options, () => {
    let opened: OpenDatabase
    let store: Store
    let server: ReturnType<typeof createServer>
    let browser: SharedBrowser
    let path: string
    let id: string
    let page: Page

    const client = () => createApi({ model, store }).with({})
    /** Writes what another user writes meanwhile. */
    const change = (values: Parameters<ReturnType<typeof client>['update']>[2]) =>
      client().update('order', id, values as object, { ifMatch: '*' })
    const read = () => client().get('order', id, { include: ['customer', 'lines'] })
    const open = async (at = path) => {
      page = await browser.open(at)
    }
    const openPanel = (name: string) => page.locator('summary', { hasText: name }).click()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const field = (name: string) => page.getByLabel(name, { exact: true })
    const alert = async (button: string) => {
      const place = page.locator('[role=alert]', { hasText: `press ${button} again` })
      await place.waitFor()
      return place.innerText()
    }
    /** Waits until the page has been loaded again. */
    const reloaded = async (name: string) => {
      const loading = page.waitForEvent('load')
      await press(name)
      await loading
    }

    before(async () => {
      opened = await database.create()
      store = await openStore(model, opened.url)
      const { newId, id } = database.columnTypes
      await store.migrate([
        {
          version: 1,
          sql: `create table customer (id ${newId});
            create table purchase (id ${newId}, title text, note text, secret text, state text,
              customer_id ${id} references customer (id));
            create table line (id ${newId}, order_id ${id} references purchase (id));
            insert into customer (id) values (1), (2);
            insert into line (id) values (1), (2), (3)`.replaceAll(
            /\(id\) values/g,
            database.dialect === 'sqlite' ? '(id) values' : '(id) overriding system value values',
          ),
        },
      ])
      server = createServer({ model, store, html: createPages(), logLevel: 'silent' })
      browser = await openBrowser(await server.listen({ host: '127.0.0.1', port: 0 }))
    })
    beforeEach(async () => {
      const created = await client().create('order', {
        ...{ title: 'Pens', note: null, state: 'open' as const },
        ...{ customer: '1', lines: ['1'] },
      })
      id = created.id
      path = `/orders/${id}`
    })
    after(async () => {
      await browser.leave()
      await browser.close()
      await server.close()
      await store.close()
      await opened.remove()
    })

    it('a type that requires conditions is updated, its forms send the version', async () => {
      await open()
      await openPanel('Update order')
      await field('title (text)').fill('Pencils')
      await reloaded('Update')
      assert.equal((await read()).title, 'Pencils')
      // The page that was loaded again has the new version.
      await openPanel('Update order')
      await field('note (text)').fill('Blue ones')
      await reloaded('Update')
      assert.deepEqual([(await read()).title, (await read()).note], ['Pencils', 'Blue ones'])
    })

    it('an update that was overtaken says what changed, keeps what was typed, and can be sent again', async () => {
      await open()
      await openPanel('Update order')
      await field('note (text)').fill('Typed here')
      await change({ title: 'Paper\n and <b>ink</b>', state: 'sent', note: 'Typed there' })
      await press('Update')
      const shown = await alert('Update')
      assert.match(shown, /title: .“Pens”. is now .“Paper and <b>ink<\/b>”/)
      assert.match(shown, /state: .“open”. is now .“sent”/)
      assert.match(shown, /note: .“null”. is now .“Typed there”/)
      assert.equal(await page.evaluate('document.activeElement.role'), 'alert')
      assert.equal(await field('note (text)').inputValue(), 'Typed here')
      assert.equal(await field('title (text)').inputValue(), 'Paper\n and <b>ink</b>')
      assert.equal(await page.locator('[name=state]').inputValue(), '"sent"')
      assert.deepEqual(await findAxeViolations(page), [])
      assert.equal((await read()).note, 'Typed there')
      await reloaded('Update')
      const { title, note, state } = await read()
      assert.deepEqual([title, note, state], ['Paper\n and <b>ink</b>', 'Typed here', 'sent'])
    })

    it('an update is overtaken as often as somebody is quicker, also by what no page shows', async () => {
      await open()
      await openPanel('Update order')
      await field('title (text)').fill('Mine')
      await change({ secret: 'new' })
      await press('Update')
      assert.match(await alert('Update'), /something that the page does not show/)
      await change({ title: 'Theirs' })
      await press('Update')
      await page.getByText('is now').waitFor()
      assert.match(await alert('Update'), /title: .“Pens”. is now .“Theirs”/)
      assert.equal(await field('title (text)').inputValue(), 'Mine')
      await reloaded('Update')
      assert.equal((await read()).title, 'Mine')
    })

    it('relationships in a form are overtaken: the one of the row, and members, which its version lacks', async () => {
      await open()
      await openPanel('Update order')
      const lines = field('lines (ids of line, one per line)')
      await page.locator('[name=lines]:enabled').waitFor()
      await lines.fill('1\n2')
      await client().update('line', '3', { order: id })
      await press('Update')
      assert.match(await alert('Update'), /lines: .“1”. is now .“1 3”/)
      assert.equal(await lines.inputValue(), '1\n2')
      await change({ customer: '2' })
      await press('Update')
      await page.getByText('customer:').waitFor()
      assert.match(await alert('Update'), /customer: .“1”. is now .“2”/)
      await reloaded('Update')
      const written = await read()
      assert.deepEqual(
        [written.customer?.id, written.lines.map((each) => each.id).sort()],
        ['2', ['1', '2']],
      )
    })

    it('a deletion that was overtaken says what changed, and deletes when it is confirmed', async () => {
      await open()
      await openPanel('Delete order')
      await change({ title: 'Needed', lines: [] })
      await press('Delete')
      assert.match(await alert('Delete'), /title: .“Pens”. is now .“Needed”/)
      assert.equal((await read()).title, 'Needed')
      await press('Delete')
      await page.waitForURL(/\/orders$/)
      await assert.rejects(read(), { code: 'not_found' })
    })

    it('what was deleted meanwhile is reported, and what was typed stays', async () => {
      await open()
      await openPanel('Update order')
      await field('title (text)').fill('Typed')
      await change({ lines: [] })
      await client().remove('order', id, { ifMatch: '*' })
      await press('Update')
      await page.locator('[role=alert]', { hasText: /no resource of type order/ }).waitFor()
      assert.equal(await field('title (text)').inputValue(), 'Typed')
    })

    it('the forms of a relationship to one send its version, and say who was set meanwhile', async () => {
      await open(`${path}/relationships/customer`)
      await change({ customer: '2' })
      await field('Set customer by id').fill('1')
      await press('Set')
      const shown = await alert('Set')
      assert.match(shown, /added: .“customer 2”/)
      assert.match(shown, /removed: .“customer 1”/)
      assert.equal(await field('Set customer by id').inputValue(), '1')
      await reloaded('Set')
      assert.equal((await read()).customer?.id, '1')
      await change({ customer: null })
      await press('Remove customer 1 from customer')
      assert.match(await alert('Remove'), /removed: .“customer 1”/)
    })

    it('the forms of a relationship to many add and remove, also where a part of it is shown', async () => {
      await open(`${path}/relationships/lines`)
      await field('Add line by id').fill('2')
      await reloaded('Add')
      await client().update('line', '3', { order: id })
      await press('Remove line 1 from lines')
      assert.match(await alert('Remove'), /added: .“line 3”/)
      await reloaded('Remove line 1 from lines')
      await open(`${path}/relationships/lines?page[size]=1`)
      await reloaded('Remove line 2 from lines')
      assert.deepEqual(
        (await read()).lines.map((each) => each.id),
        ['3'],
      )
    })

    it('without JavaScript the page shows the resource, and no form that could not be sent', async () => {
      const plain = await browser.open(path, { javaScriptEnabled: false })
      assert.equal(await plain.locator('dd', { hasText: 'Pens' }).count(), 1)
      for (const name of ['Update order', 'Delete order'])
        assert.equal(await plain.locator('summary', { hasText: name }).isVisible(), false)
      await plain.goto(new URL(`${path}/relationships/lines`, plain.url()).href)
      assert.equal(await plain.getByRole('link', { name: 'line 1', exact: true }).count(), 1)
      assert.equal(await plain.getByRole('button').count(), 0)
    })
  })
}
