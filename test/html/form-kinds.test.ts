import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  array,
  attribute,
  boolean,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  integer,
  integer64,
  json,
  number,
  resource,
  text,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { lacksChromium, launchBrowser, type TestBrowser } from '../browser.ts'

const sample = resource('sample', {
  path: '/samples',
  table: 'sample',
  id: { kind: text, client: 'required' },
  fields: {
    label: attribute(text, { required: true }),
    note: attribute(text),
    count: attribute(integer),
    total: attribute(integer64()),
    weight: attribute(number),
    price: attribute(decimal({ precision: 10, scale: 2 })),
    done: attribute(boolean),
    state: attribute(enumeration(['open', 'closed'])),
    day: attribute(date),
    moment: attribute(datetime),
    data: attribute(json),
    tags: attribute(array(text)),
    made: attribute(text, { access: 'immutable' }),
    shown: attribute(text, { access: 'read-only' }),
  },
})
const model = defineModel([sample])

/** The texts that are typed, and the values that the form sends. */
const typed: readonly (readonly [field: string, text: string, value: unknown])[] = [
  ['label (text, required)', 'A', 'A'],
  ['note (text)', 'a\nb', 'a\nb'],
  ['count (integer)', '-12', -12],
  ['weight (number)', '1.5e3', 1500],
  ['price (decimal)', '12.50', '12.50'],
  ['day (date)', '2024-02-29', '2024-02-29'],
  ['moment (datetime)', '2024-02-29T12:30:00Z', '2024-02-29T12:30:00Z'],
  ['data (json)', '{"deep":[1]}', { deep: [1] }],
  ['made (text)', 'once', 'once'],
]

describe('The forms for attributes of every kind', { skip: lacksChromium }, () => {
  const store = openSqlite(model, ':memory:')
  const app = createServer({ model, store, html: createPages(), logLevel: 'silent' })
  let browser: TestBrowser

  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: `create table sample (id text primary key not null, label text not null, note text, count integer, total integer,
          weight real, price text, done integer, state text, day text, moment text, data text, tags text, made text, shown text)`,
      },
    ])
    browser = await launchBrowser(await app.listen({ host: '127.0.0.1', port: 0 }))
  })
  after(async () => {
    await browser.close()
    await app.close()
    await store.close()
  })

  it('given values of every kind, when a form creates a resource, then it sends the JSON of each kind', async () => {
    const page = await browser.open('/samples')
    await page.locator('summary', { hasText: 'Create' }).click()
    await page.getByLabel('id (text, required)').fill('s 1/2')
    for (const [label, value] of typed) await page.getByLabel(label, { exact: true }).fill(value)
    await page.locator('[name=total]').fill('9007199254740993')
    await page.locator('[name=done]').selectOption('false')
    await page.locator('[name=state]').selectOption('closed')
    await page.locator('[name=tags]').fill('["x","y"]')
    assert.equal(await page.locator('form [name=shown]').count(), 0)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const body = (await sent).postData() ?? ''
    await page.waitForURL(/\/samples\/s%201%2F2$/)
    const { data } = JSON.parse(body)
    assert.equal(data.id, 's 1/2')
    for (const [label, , value] of typed)
      assert.deepEqual(data.attributes[label.split(' ')[0] ?? ''], value, label)
    assert.deepEqual([data.attributes.done, data.attributes.state], [false, 'closed'])
    assert.deepEqual(data.attributes.tags, ['x', 'y'])
    assert.match(body, /"total":"?9007199254740993"?/)
    assert.match(await page.locator('main').innerText(), /9007199254740993/)
  })

  it('given stored values, when a form opens and changes three of them, then it sends these three', async () => {
    const page = await browser.open('/samples/s%201%2F2')
    await page.locator('summary', { hasText: 'Update' }).click()
    assert.equal(await page.locator('form [name=made]').count(), 0)
    await page.locator('[name=done]').selectOption('true')
    await page.locator('[name=count]').fill('')
    await page.locator('[name=note]').fill('')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    assert.deepEqual((await sent).postDataJSON().data.attributes, {
      note: '',
      count: null,
      done: true,
    })
    await page.locator('dd', { hasText: 'true' }).waitFor()
  })

  it('given texts that are no values, when a form sends them, then each field has its error', async () => {
    const page = await browser.open('/samples')
    await page.locator('summary', { hasText: 'Create' }).click()
    for (const name of ['count', 'weight', 'price', 'moment', 'data', 'tags'])
      await page.locator(`[name=${name}]`).fill('x y')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('[name=count][aria-invalid]').waitFor()
    for (const name of ['label', 'count', 'weight', 'price', 'moment', 'data', 'tags']) {
      const error = page.locator(`[data-pointer="/data/attributes/${name}"] .field-error`)
      assert.notEqual(await error.innerText(), '', name)
    }
    assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
  })
})
