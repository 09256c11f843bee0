import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import {
  array,
  attribute,
  createHandler,
  date,
  defineKind,
  defineModel,
  idQuery,
  integer,
  json,
  nullable,
  resource,
  type Store,
  sql,
  tableFunction,
  text,
  withDefault,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { lacksChromium } from '../chromium/browser.ts'
import { findAxeViolations } from '../chromium/find-axe-violations.ts'
import { openBrowser } from '../chromium/shared-browser.ts'
import { long } from '../long-tests.ts'

/** A place on a line, with an operator whose operand is of another kind, and one whose operand is JSON. */
const place = defineKind({
  name: 'place',
  schema: { type: 'integer' },
  stores: integer,
  read: (sent) => (typeof sent === 'number' ? { value: sent } : { expected: 'a number' }),
  load: (stored) => stored,
  bind: (value) => value,
  customOperators: {
    after: { takes: date, sql: { sqlite: (column, day) => sql`${column} > julianday(${day})` } },
    around: { takes: json, sql: { sqlite: (column, at) => sql`${column} = ${at} ->> '$.at'` } },
  },
})

const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  queries: {
    named: idQuery(
      { name: text, keys: nullable(array(integer)), least: withDefault(integer, 1) },
      ({ name }) => sql`select id from shop where name = ${name}`,
    ),
  },
  fields: { name: attribute(text), at: attribute(place) },
})
const sales = resource('sales', {
  path: '/sales',
  description: 'Sums since a day.',
  table: tableFunction(
    { since: date, label: text, most: withDefault(integer, 3), note: nullable(text) },
    ({ since, label }) => sql`select 1 as id, ${since} || ${label} as title`,
  ),
  access: 'read-only',
  fields: { title: attribute(text) },
})
const recent = resource('recent', {
  path: '/recent',
  table: tableFunction({ most: withDefault(integer, 3) }, ({ most }) => sql`select ${most} as id`),
  access: 'read-only',
  fields: {},
})
const model = defineModel([shop, sales, recent])

/** The module of the script that reads and writes filters. */
const filterTree = String(new URL('../../src/html/assets/filter-tree.js', import.meta.url))

describe('The pages of functions', () => {
  let folder: string
  let store: Store
  let get: (path: string, accept?: string) => Promise<Response>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'functions-'))
    const file = join(folder, 'shop.db')
    const database = new DatabaseSync(file)
    database.exec('create table shop (id integer primary key, name text, at integer)')
    database.close()
    store = openSqlite(model, file)
    const handle = createHandler({ model, store, html: createPages() })
    get = (path, accept = 'text/html') =>
      handle(new Request(new URL(path, 'http://x'), { headers: { accept } }))
  })
  after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })

  it('given a list that needs parameters, when the landing page is opened, then it has a form for them', async () => {
    const page = await (await get('/')).text()
    assert.ok(!page.includes('href="/sales"') && !page.includes('data-count-of="/sales"'))
    const [form = ''] = /<form action="\/sales".*?<\/form>/s.exec(page) ?? []
    assert.match(page, /<form action="\/recent"/)
    const names = [...form.matchAll(/<input name="([^"]*)" placeholder="([^"]*)"/g)]
    assert.deepEqual(
      names.map(([, name, kind]) => [name, kind]),
      [
        ['filter[since]', 'date'],
        ['filter[label]', 'text'],
        ['filter[most]', 'integer, optional'],
      ],
    )
    // The request of a browser without JavaScript.
    const list = await get('/sales?filter%5Bsince%5D=2024-01-01&filter%5Blabel%5D=a+b')
    assert.equal(list.status, 200)
    assert.match(await list.text(), /2024-01-01a b/)
    for (const [most, id] of [
      ['', 3],
      ['7', 7],
    ]) {
      const recent = await get(`/recent?filter%5Bmost%5D=${most}`)
      assert.equal(recent.status, 200)
      assert.match(await recent.text(), new RegExp(`href="/recent/${id}`))
    }
    for (const [, path = ''] of page.matchAll(/href="(\/[a-z]+)"/g))
      assert.equal((await get(path)).status, 200, path)
    assert.match(page, /<a href="\/recent">.*?<td class="count">1</s)
  })

  it('given a query and an operator of a kind, when a filter is built in Chromium, then it calls them', {
    skip: lacksChromium,
    ...long,
  }, async (test) => {
    const server = createServer({ model, store, html: createPages(), logLevel: 'silent' })
    const origin = await server.listen({ host: '127.0.0.1', port: 0 })
    test.after(() => server.close())
    const browser = await openBrowser(origin)
    test.after(() => browser.close())
    const page = await browser.open('/shops')
    await page.locator('summary', { hasText: 'Filter' }).click()
    await page.getByLabel('Add condition').click()
    await page.getByLabel('Field').selectOption('named')
    await page.locator('.conditions').getByLabel(/^name/).first().fill('Ace')
    await page.getByLabel('Add condition').click()
    await page.getByLabel('Field').nth(1).selectOption('at')
    await page.getByLabel('Operator').selectOption('after')
    await page.getByLabel('Value').fill('2024-01-01')
    assert.deepEqual(await findAxeViolations(page), [])
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.waitForURL(/filter=/)
    assert.deepEqual(JSON.parse(new URL(page.url()).searchParams.get('filter') ?? ''), [
      { name: 'named', op: 'call', val: { name: 'Ace' } },
      { name: 'at', op: 'after', val: '2024-01-01' },
    ])
    assert.equal(await page.locator('h1').innerText(), 'shop 0 resources')
    await page.goto(`${origin}/`)
    await page.getByRole('button', { name: 'List' }).first().waitFor()
    assert.deepEqual(await findAxeViolations(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findAxeViolations(page, ['color-contrast']), [])
    assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
  })

  it('given a client, when it reads the root document, then the lists have their parameters', async () => {
    const { meta, links } = await (await get('/', 'application/vnd.api+json')).json()
    assert.deepEqual(meta.resources.sales, {
      path: '/sales',
      description: 'Sums since a day.',
      parameters: {
        since: { kind: 'date', required: true },
        label: { kind: 'text', required: true },
        most: { kind: 'integer', required: false },
        note: { kind: 'text', required: false },
      },
      relationships: {},
    })
    assert.ok(!('parameters' in meta.resources.shop))
    for (const link of Object.values(links))
      assert.equal((await get(String(link), 'application/vnd.api+json')).status, 200)
  })

  it('given the form of a list, when it builds a filter, then queries and operators of kinds are in it', async () => {
    const page = await (await get('/shops')).text()
    const [, path = ''] = /data-model="([^"]*)"/.exec(page) ?? []
    const described = await (await get(path)).json()
    const find = (name: string) =>
      described.shop.fields.find((each: { name: string }) => each.name === name)
    const [at, named] = [find('at'), find('named')]
    assert.deepEqual(at.operators.slice(-2), ['after', 'around'])
    assert.deepEqual(at.operands, {
      after: { kind: 'date', type: 'string' },
      around: { kind: 'json', type: ['object', 'array'], hint: '{"key": "value"}' },
    })
    assert.deepEqual(named, {
      name: 'named',
      operators: ['call'],
      parameters: [
        { name: 'name', required: true, kind: 'text', type: 'string' },
        { name: 'keys', required: false, kind: 'array of integer', type: 'array', hint: '[…, …]' },
        { name: 'least', required: false, kind: 'integer', type: 'integer' },
      ],
    })
    const clauses = [
      { name: 'at', op: 'after', val: '2024-01-01' },
      { name: 'at', op: 'around', val: { at: 3 } },
      { name: 'at', op: 'eq', val: 3 },
      { name: 'named', op: 'call', val: { name: 'x', keys: [1, 2], least: 2 } },
      { name: 'named', op: 'call', val: { name: null } },
      { or: [{ not: { name: 'named', op: 'call', val: { name: 'y' } } }] },
      { name: 'named', op: 'call', val: { name: '' } },
    ]
    const filter = JSON.stringify(clauses)
    const { readFilter, writeFilter } = await import(filterTree)
    const { items } = readFilter(filter, described, 'shop')
    assert.deepEqual(
      items.map(({ is }: { is: string }) => is),
      ['condition', 'condition', 'condition', 'call', 'call', 'group', 'json'],
    )
    const written = writeFilter(readFilter(filter, described, 'shop'), described, 'shop')
    const all = [...clauses.slice(0, 5), { not: { name: 'named', op: 'call', val: { name: 'y' } } }]
    assert.deepEqual(JSON.parse(written), [...all, clauses[6]])
    const list = await get(`/shops?filter=${encodeURIComponent(written)}`, 'text/html')
    assert.equal(list.status, 200, await list.text())
  })
})
