import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createPages } from '../../src/html/index.ts'
import { createServer } from '../../src/http/adapters/fastify/index.ts'
import {
  action,
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
  nullable,
  number,
  RequestError,
  resource,
  sql,
  text,
  toOne,
} from '../../src/index.ts'
import { openSqlite } from '../../src/sqlite/store.ts'
import { long } from '../long-tests.ts'
import { lacksChromium, type TestBrowser } from './browser.ts'
import { findAxeViolations } from './find-axe-violations.ts'
import { openBrowser } from './shared-browser.ts'

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
    mail: attribute(email),
    large: attribute(integer64({ largeValuesAs: 'string' })),
  },
})

const task = resource('task', {
  path: '/tasks',
  table: 'task',
  id: { kind: text, client: 'required' },
  fields: {
    label: attribute(text, { required: true }),
    state: attribute(enumeration(['open', 'closed'])),
    level: attribute(integer, { required: true, default: 1 }),
  },
  actions: {
    relabel: action({
      description: 'Gives it another <b>label</b>.',
      parameters: { label: text, state: nullable(enumeration(['open', 'closed'])) },
      returns: { resource: 'task' },
      async run({ id, parameters: { label, state }, tx }) {
        if (label === 'taken') throw new RequestError({ status: 409, detail: 'It is taken.' })
        await tx.update('task', id, { label, state })
        return id
      },
    }),
    discard: action({ run: ({ id, tx }) => tx.remove('task', id) }),
    sum: action({
      on: 'collection',
      parameters: {
        ...{ total: integer64(), weight: nullable(number), done: boolean, day: date },
        ...{ tags: array(text), data: nullable(json), note: nullable(text) },
      },
      returns: { meta: { total: integer64(), text } },
      run: ({ parameters: { total, ...others } }) => ({
        total: total + 1n,
        text: JSON.stringify(others),
      }),
    }),
    labelled: action({
      on: 'collection',
      parameters: { label: text },
      returns: { resources: 'task' },
      sql: ({ label }) => sql`select id from task where label = ${label}`,
    }),
  },
})

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  id: { column: ['floor', 'label'], kind: [integer, text], client: 'required' },
  fields: { next: toOne('shelf', { column: ['next_floor', 'next_label'] }) },
})
const model = defineModel([sample, task, shelf])

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

describe('The forms for attributes of every kind', { ...long, skip: lacksChromium }, () => {
  const store = openSqlite(model, ':memory:')
  const app = createServer({ model, store, html: createPages(), logLevel: 'silent' })
  let browser: TestBrowser

  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: `create table sample (id text primary key not null, label text not null, note text, count integer, total integer,
          weight real, price text, done integer, state text, day text, moment text, data text, tags text, made text, shown text, mail text, large integer);
          insert into sample (id, label, state, data, mail, large, day) values
            ('odd', char(10) || 'A', 'lost', '{"n":12345678901234567890}', ' a@example.org ', 9007199254740993, '2024-02-29');
          insert into sample (id, label, note, count, done) values ('s 3', 'A', 'B', -12, 0);
          create table shelf (floor integer not null, label text not null, next_floor integer, next_label text,
            primary key (floor, label), foreign key (next_floor, next_label) references shelf (floor, label));
          create table task (id text primary key not null, label text not null, state text, level integer not null);
          insert into task values ('t 1/2', 'A', 'closed', 1)`,
      },
    ])
    browser = await openBrowser(await app.listen({ host: '127.0.0.1', port: 0 }))
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
    const page = await browser.open('/samples/s%203')
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

  it('given stored values that inputs show differently, when a form changes others, then it sends only the others', async () => {
    const page = await browser.open('/samples/odd')
    await page.locator('summary', { hasText: 'Update' }).click()
    assert.equal(await page.locator('[name=label]').inputValue(), '\nA')
    assert.equal(await page.locator('[name=large]').inputValue(), '"9007199254740993"')
    await page.locator('[name=data]').fill('{"n":12345678901234567891}')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const attributes = '"attributes":{"data":{"n":12345678901234567891}}'
    const body = (await sent).postData()
    assert.equal(body, `{"data":{"type":"sample","id":"odd",${attributes}}}`)
    await page.locator('dd', { hasText: '12345678901234567891' }).waitFor()
  })

  it('given ids over several columns, when forms create, link and unlink resources, then each leads to the other', async () => {
    const page = await browser.open('/shelves')
    const create = async (id: string, next: string) => {
      await page.locator('summary', { hasText: 'Create' }).click()
      await page.getByLabel('id (id of floor, label, required)').fill(id)
      await page.getByLabel('next (id of shelf)').fill(next)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
    }
    await create('1,A~1/~0"', '')
    await page.waitForURL(/\/shelves\/1/)
    await page.goto(new URL('/shelves', page.url()).href)
    await create('2,B', '1,A~1/~0"')
    await page.waitForURL(/\/shelves\/2/)
    await page.locator('summary', { hasText: 'Update' }).click()
    const next = page.locator('[data-pointer="/data/relationships/next"] input:enabled')
    assert.equal(await next.inputValue(), '1,A~1/~0"')
    await page.getByRole('link', { name: 'related resource', exact: true }).click()
    assert.equal(await page.locator('h1').innerText(), 'shelf 1,A~1/~0"')
    await page.goBack()
    await page.locator('summary', { hasText: 'Update' }).click()
    await next.fill('')
    const reloaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await reloaded
    await page.getByRole('link', { name: 'related resource', exact: true }).click()
    await page.getByText('No resource is related.').waitFor()
  })

  it('given parameters of every kind, when an action is called, then its result has their values', async () => {
    const page = await browser.open('/tasks')
    await page.locator('summary', { hasText: 'sum' }).click()
    const form = page.locator('form[data-call=sum]')
    await form.getByLabel('total (integer64, required)').fill('9007199254740992')
    await form.getByLabel('done (boolean, required)').selectOption('true')
    await form.getByLabel('tags (array of text, as JSON, required)').fill('["a"]')
    await form.getByLabel('data (json)').fill('{"deep":[1]}')
    await form.getByRole('button', { name: 'Call sum' }).press('Enter')
    await form.locator('[name=day][aria-invalid]').waitFor()
    assert.match(await form.locator('.field-error').allInnerTexts().then(String), /"day"/)
    await form.getByLabel('day (date, required)').fill('2024-02-29')
    await form.getByRole('button', { name: 'Call sum' }).press('Enter')
    const result = page.getByRole('region', { name: 'Result of sum' })
    await result.waitFor()
    assert.deepEqual(await result.locator('dd').allInnerTexts(), [
      '9007199254740993',
      '{"weight":null,"done":true,"day":"2024-02-29","tags":["a"],"data":{"deep":[1]},"note":null}',
    ])
    assert.equal(await page.evaluate('document.activeElement.className'), 'result')
    await result.locator('summary').click()
    assert.match(await result.locator('pre').innerText(), /"total": 9007199254740993,/)
    assert.deepEqual(await findAxeViolations(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findAxeViolations(page, ['color-contrast']), [])
    await page.setViewportSize({ width: 360, height: 640 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  })

  it('given a required attribute with a default, when a form creates a resource, then the attribute may be empty', async () => {
    const page = await browser.open('/tasks')
    await page.locator('summary', { hasText: 'Create' }).click()
    await page.getByLabel('id (text, required)').fill('d')
    await page.locator('form[data-type] [name=label]').fill('D')
    assert.equal(await page.getByLabel('level (integer)').inputValue(), '')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/tasks\/d$/)
    await page.locator('summary', { hasText: 'Update' }).click()
    assert.equal(await page.getByLabel('level (integer, required)').inputValue(), '1')
    await page.locator('summary', { hasText: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL(/\/tasks$/)
  })

  it('given an action of a resource, when it is called, then the page shows its error, its result and what it changed', async () => {
    const page = await browser.open('/tasks/t%201%2F2')
    await page.locator('summary', { hasText: 'relabel' }).click()
    const form = page.locator('form[data-call=relabel]')
    await form.getByText('Gives it another <b>label</b>.').waitFor()
    await form.getByLabel('label (text, required)').fill('taken')
    await form.getByRole('button', { name: 'Call relabel' }).click()
    await form.locator('.form-error', { hasText: 'It is taken.' }).waitFor()
    await form.getByLabel('label (text, required)').fill('B')
    await form.getByLabel('state (enumeration)').selectOption('open')
    await form.getByRole('button', { name: 'Call relabel' }).click()
    const result = page.getByRole('region', { name: 'Result of relabel' })
    await result.waitFor()
    assert.deepEqual(await result.getByRole('link').allInnerTexts(), ['task t 1/2'])
    assert.match(await page.locator('h1').innerText(), /B$/)

    await page.goto(new URL('/tasks', page.url()).href)
    await page.locator('summary', { hasText: 'labelled' }).click()
    await page.locator('form[data-call=labelled] [name=label]').fill('B')
    await page.getByRole('button', { name: 'Call labelled' }).click()
    await page.getByText('1 resource', { exact: true }).last().waitFor()
    await page.getByRole('region').getByRole('link', { name: 'task t 1/2' }).click()

    await page.locator('summary', { hasText: 'discard' }).click()
    await page.getByRole('button', { name: 'Call discard' }).click()
    await page.getByText('Action successfully completed', { exact: true }).waitFor()
    assert.match(await page.locator('h1').innerText(), /^404/)
  })

  it('given invalid texts, when a form sends them, then each field has its error', async () => {
    const page = await browser.open('/samples')
    await page.locator('summary', { hasText: 'Create' }).click()
    assert.equal(
      await page.locator('[name=moment]').getAttribute('placeholder'),
      '2024-02-29T12:30:00Z',
    )
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
