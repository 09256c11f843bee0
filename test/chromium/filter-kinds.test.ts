import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createPages } from '../../src/html/index.ts'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import {
  array,
  attribute,
  boolean,
  date,
  datetime,
  decimal,
  defineModel,
  email,
  enumeration,
  integer,
  integer64,
  json,
  number,
  resource,
  text,
  time,
  toMany,
  toOne,
  url,
  uuid,
} from '../../src/index.ts'
import { Cleanup } from '../cleanup.ts'
import { type ColumnTypes, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'
import { long } from '../long-tests.ts'
import { takePart } from '../property/seed.ts'
import { skipInCi } from '../read-count.ts'
import { lacksChromium, type TestBrowser } from './browser.ts'
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser } from './shared-browser.ts'

const sample = resource('sample', {
  path: '/samples',
  table: 'sample',
  fields: {
    label: attribute(text),
    count: attribute(integer),
    total: attribute(integer64()),
    weight: attribute(number),
    price: attribute(decimal({ precision: 10, scale: 2 })),
    done: attribute(boolean),
    state: attribute(enumeration(['open', 'on hold', 'closed'])),
    day: attribute(date),
    moment: attribute(datetime),
    hour: attribute(time),
    code: attribute(uuid),
    mail: attribute(email),
    site: attribute(url),
    data: attribute(json, { paths: { size: integer } }),
    tags: attribute(array(text)),
    parent: toOne('sample', { column: 'parent_id' }),
    children: toMany('sample', { column: 'parent_id', count: true }),
  },
})
const model = defineModel([sample])
const tables = (types: ColumnTypes, dialect: string) => `
  create table sample (id ${types.newId}, label text, count ${types.integer}, total bigint, weight ${types.number}, price ${types.decimal},
    done ${types.boolean}, state text, day ${types.date}, moment ${types.datetime}, hour ${types.time}, code ${types.uuid},
    mail text, site text, data ${types.json}, tags ${dialect === 'postgres' ? 'text[]' : 'text'}, parent_id integer references sample (id));
  insert into sample (label, state, parent_id) values ('A', 'open', null), ('B', 'closed', 1), ('C', 'on hold', 1)`

/** A value of each attribute. An attribute without one has choices. */
const values: Readonly<Record<string, string>> = {
  ...{ id: '1', label: 'A"<b>', count: '-12', total: '9007199254740993', weight: '1.5e3' },
  ...{ price: '12.50', day: '2024-02-29', moment: '2024-02-29T12:30:00Z', hour: '12:30:00' },
  ...{ code: '0f7e6d5c-0000-4000-8000-000000000001', mail: 'a@example.org', tags: '["x"]' },
  ...{ site: 'https://example.org', data__size: '3', 'children.count': '1' },
}

for (const database of databases)
  describe(`Filters of every kind · ${database.name}`, {
    skip: lacksChromium || skipInCi(database.dialect),
    ...long,
  }, () => {
    const cleanup = new Cleanup()
    let browser: TestBrowser
    before(async () => {
      const sql = tables(database.columnTypes, database.dialect)
      const store = await openStore(model, await filled(cleanup, database, sql))
      cleanup.after(() => store.close())
      const app = createServer({ model, store, html: createPages(), logLevel: 'silent' })
      cleanup.after(() => app.close())
      browser = await openBrowser(await app.listen({ host: '127.0.0.1', port: 0 }))
      cleanup.after(() => browser.close())
    })
    after(() => cleanup.run())

    const openBuilder = async (path: string) => {
      const page = await browser.open(path)
      await page.locator('summary', { hasText: 'Filter' }).click()
      await page.getByLabel('Add condition').first().waitFor()
      return page
    }
    const apply = async (page: Page) => {
      const reloaded = page.waitForEvent('load')
      await page.getByRole('button', { name: 'Apply', exact: true }).click()
      await reloaded
      assert.doesNotMatch(await page.locator('h1').innerText(), /^4/, page.url())
      return new URL(page.url()).searchParams.get('filter') ?? ''
    }
    const ids = (page: Page) => page.locator('main tbody th').allInnerTexts()

    it('given in_ on an enumeration or a boolean, when its filter is built, then its values are chosen', async () => {
      const page = await openBuilder('/samples')
      await page.getByLabel('Add condition').click()
      await page.getByLabel('Field').selectOption('state')
      await page.getByLabel('Operator').selectOption('in_')
      const choices = page.getByRole('group', { name: 'Values' })
      assert.deepEqual(await choices.locator('bdi').allInnerTexts(), ['open', 'on hold', 'closed'])
      await choices.getByLabel('open').check()
      await choices.getByLabel('closed').check()
      await choices.getByLabel('on hold').check()
      await choices.getByLabel('closed').uncheck()
      assert.deepEqual(await findAxeViolations(page), [])
      const filter = await apply(page)
      assert.deepEqual(JSON.parse(filter), [{ name: 'state', op: 'in_', val: ['open', 'on hold'] }])
      assert.deepEqual(await ids(page), ['1', '3'])
      await page.locator('summary', { hasText: 'Filter' }).click()
      await choices.getByLabel('on hold').waitFor()
      const checked = await choices.locator(':checked + bdi').allInnerTexts()
      assert.deepEqual(checked, ['open', 'on hold'])
      await page.getByLabel('Field').selectOption('done')
      await page.getByLabel('Operator').selectOption('notin_')
      await choices.getByLabel('false').check()
      assert.deepEqual(JSON.parse(await apply(page)), [
        { name: 'done', op: 'notin_', val: [false] },
      ])
    })

    it('given every operator of a field, when the filter is built, then the server accepts it and the builder shows it again', async () => {
      const page = await openBuilder('/samples')
      await page.getByLabel('Add condition').click()
      const fields = await page.getByLabel('Field').locator('option').evaluateAll(readOptions)
      assert.ok(fields.length > 15)
      for (const field of takePart(fields.filter(isAttribute), 4)) {
        await page.goto(new URL('/samples', page.url()).href)
        await page.locator('summary', { hasText: 'Filter' }).click()
        await page.getByLabel('Match').selectOption('or')
        await buildConditions(page, field)
        const filter = await apply(page)
        await page.locator('summary', { hasText: 'Filter' }).click()
        await page.getByLabel('Operator').first().waitFor()
        assert.equal(await apply(page), filter, field)
      }
      assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
    })
  })

const isAttribute = (field: string) => field !== 'parent' && field !== 'children'

const readOptions = (options: readonly Element[]) =>
  options.map((option) => option.getAttribute('value') ?? '')

/** Adds a condition for each operator of a field. */
async function buildConditions(page: Page, field: string): Promise<void> {
  for (let index = 0, count = 1; index < count; index += 1) {
    await page.getByLabel('Add condition').first().click()
    const row = page.locator('.conditions > li').nth(index)
    await row.getByLabel('Field').selectOption(field)
    const operators = await row.getByLabel('Operator').locator('option').evaluateAll(readOptions)
    count = operators.length
    await row.getByLabel('Operator').selectOption(operators[index] ?? '')
    for (const input of await row.locator('input, textarea').all())
      await ((await input.getAttribute('type')) === 'checkbox'
        ? input.check()
        : input.fill(values[field] ?? ''))
    for (const select of await row.getByLabel('Value', { exact: true }).all())
      if ((await select.locator('option').count()) > 0) await select.selectOption({ index: 1 })
  }
}
