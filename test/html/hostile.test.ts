import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { attribute, defineModel, integer, json, resource, text, toMany, toOne, url } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'
import { lacksChromium, type TestBrowser } from '../chromium/browser.ts'
import { openBrowser } from '../chromium/shared-browser.ts'
import { type Client, connect } from '../client.ts'
import { long } from '../long-tests.ts'
import { takePart } from '../property/seed.ts'

/** Values that break out of a page which does not escape them. */
const hostile: readonly string[] = [
  '<script>window.attacked = true</script>',
  '"><img src=x onerror="window.attacked = true">',
  "'><svg onload='window.attacked=true'>",
  '</title></pre></textarea><script>window.attacked = true</script>',
  '</script><!--',
  '&lt;b&gt; &amp;',
  'javascript:window.attacked=true',
  'data:text/html,<script>window.attacked=true</script>',
  '\u202Eevil\u202C \u2066isolated\u2069 \u200F',
  'line\nbreak\ttab',
  '{{constructor.constructor("window.attacked=true")()}}',
  `$\{window.attacked=true}`,
]
const megabyte = '<b>'.repeat(340_000)
const manyNames = Array.from({ length: 1500 }, (_, at) => `a_long_name_of_a_column_${at}`)

const note = resource('note', {
  path: '/notes',
  table: 'note',
  description: '<script>window.attacked = true</script>',
  fields: {
    title: attribute(text),
    link: attribute(url),
    data: attribute(json),
    parent: toOne('note', { column: 'parent_id' }),
    children: toMany('note', { column: 'parent_id' }),
  },
})
const wide = resource('wide', {
  path: '/wide',
  table: 'wide',
  fields: Object.fromEntries(manyNames.map((name) => [name, attribute(text)])),
})
const longName = `${'very_long_name_'.repeat(16)}x`
const named = resource('named', {
  path: '/named',
  table: 'named',
  fields: {
    [longName]: attribute(text),
    size: attribute(integer),
    other: toOne('named', { column: 'other_id' }),
  },
})
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    name: attribute(text),
    whole: toOne('item', { column: 'whole_id' }),
    parts: toMany('item', { column: 'whole_id' }),
  },
})
const items = 700
const model = defineModel([note, wide, named, item], { maxPageSize: null })

const accept = { Accept: 'text/html,*/*;q=0.8' }

describe('Pages of hostile data', () => {
  const store = openSqlite(model, ':memory:')
  const app = createServer({ model, store, html: createPages(), logLevel: 'silent' })
  let origin: string
  let client: Client

  before(async () => {
    await store.migrate([
      {
        version: 1,
        sql: `create table note (id integer primary key, title text, link text, data text, parent_id integer references note (id));
          create table wide (id integer primary key, ${manyNames.map((name) => `${name} text`).join(', ')});
          create table named (id integer primary key, ${longName} text, size integer, other_id integer);
          insert into named values (1, 'a value', 123456789, 1);
          create table item (id integer primary key, name text, whole_id integer);
          create index item_whole on item (whole_id);
          with recursive n (id) as (select 1 union all select id + 1 from n limit ${items})
            insert into item select id, 'Item ' || id, 1 + (id > ${items} - 10) from n`,
      },
    ])
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    client = connect(origin)
    for (const title of [...hostile, megabyte]) {
      const attributes = { title, data: { key: title.slice(0, 100) } }
      const { status } = await client.send('POST', '/notes', {
        body: { data: { type: 'note', attributes } },
      })
      assert.equal(status, 201)
    }
    await client.send('POST', '/wide', { body: { data: { type: 'wide', attributes: {} } } })
  })
  after(async () => {
    client.close()
    await app.close()
    await store.close()
  })

  const read = (path: string) => client.send('GET', path, { headers: accept })

  it('given a megabyte of text, when its page is read, then the resource has all of it and the list has its beginning', async () => {
    const one = await read('/notes/13')
    assert.equal(one.status, 200)
    assert.ok(one.text.includes('&lt;b>'.repeat(340_000)))
    assert.match(one.text, /The document has 1,0\d\d,\d\d\d characters/)
    const list = await read('/notes?page[size]=20&fields[note]=title')
    assert.ok(list.text.length < 100_000 + 1000 * hostile.length, String(list.text.length))
  })

  for (const [path, rows, omissions] of [
    ['/items?page[size]=0', 500, ['200 more']],
    ['/items?page[size]=600&sort=-id&include=whole', 502, ['100 more']],
    ['/items?page[size]=10&sort=id&include=parts', 500, ['200 more']],
    ['/items/1/relationships/parts', 500, ['190 more']],
  ] as const) {
    it(`given more than 500 resources, when ${path} is read, then the page has ${rows} and the number of the others`, async () => {
      const { status, text } = await read(path)
      assert.equal(status, 200)
      const shown = text.match(
        /<th scope="row"|<li><a href="\/items\/\d+"><bdi class="short">item /g,
      )
      assert.equal(shown?.length, rows)
      const left = [...text.matchAll(/<p>(\d+ more) are not shown/g)].map(([, count]) => count)
      assert.deepEqual(left, omissions)
    })
  }

  it('given a document of more than 2 MB, when its page is read, then it says that it is too long', async () => {
    for (let count = 0; count < 8; count += 1) {
      const body = { data: { type: 'note', attributes: { title: megabyte } } }
      await client.send('POST', '/notes', { body })
    }
    const { status, text } = await read('/notes?page[size]=0')
    assert.equal(status, 200)
    assert.match(text, /longer than 2 MB/)
  })

  it('given 1,500 fields, when a list is read, then the table has 40 of them and a form names the others', async () => {
    const { text } = await read('/wide')
    assert.equal(text.match(/<th scope="col"/g)?.length, 41)
    assert.match(text, /The table has 40 of 1500 fields/)
    // Up to 100 fields are offered one by one.
    assert.match(text, /<input name="fields\[wide\]"[^>]* placeholder="all"/)
    const chosen = await read('/wide?fields[wide]=a_long_name_of_a_column_1400')
    assert.match(chosen.text, /<bdi class="long">a_long_name_of_a_column_1400<\/bdi>/)
  })

  it('given a resource with 690 related ones, when a list is read, then its cell has 5 links and the number of the others', async () => {
    const { text } = await read('/items?fields[item]=parts&page[size]=1')
    const [, cell = ''] = /<ul class="links">(.*?)<\/ul>/s.exec(text) ?? []
    assert.equal(cell.match(/<li>/g)?.length, 6)
    assert.match(cell, /and 685 more/)
  })

  it('given a value with 10,000 names, when its page is read, then all of them are text', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `a_name_${at}`)
    const attributes = { data: Object.fromEntries(names.map((name) => [name, '<b>'])) }
    const body = { data: { type: 'note', attributes } }
    const created = await client.send('POST', '/notes', { body })
    const { text } = await read(String(created.headers.location))
    assert.ok(names.every((name) => text.includes(`&quot;${name}&quot;`)))
    assert.ok(!text.includes('<b>'))
  })

  const longValue = 'x'.repeat(140)
  const listIds = (count: number) =>
    encodeURI(
      JSON.stringify([{ name: 'id', op: 'in_', val: Array.from({ length: count }, () => '1') }]),
    )
  const manyIds = listIds(3000)
  for (const [name, path, status, maxLength] of [
    ['a path of 16,000 segments', `/${'a/'.repeat(16_000)}`, 404, 150_000],
    ['a path that is not UTF-8', `/%FF${'/a'.repeat(16_000)}`, 400, 150_000],
    ['2,900 filters', `/notes?${'filter[a]=&'.repeat(2900)}`, 400, 300_000],
    ['199 filters', `/notes?${`filter[title]=${longValue}&`.repeat(199)}`, 200, 600_000],
    ['a long filter and 40 columns', `/wide?filter=${manyIds}`, 200, 1_600_000],
  ] as const) {
    it(`given ${name}, when its page is read, then it repeats the request a few times only`, async () => {
      const page = await read(path)
      assert.equal(page.status, status)
      assert.ok(page.text.length < maxLength, String(page.text.length))
      assert.match(page.text, /<\/html>$/)
      const head = await client.send('HEAD', path, { headers: accept })
      assert.equal(Number(head.headers['content-length']), Buffer.byteLength(page.text))
    })
  }

  it('given a path without a route, when its page is read, then it has no links to what is above it', async () => {
    const { text } = await read('/nowhere/1')
    const [, breadcrumb = ''] = /<nav class="breadcrumb"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
    assert.deepEqual(breadcrumb.match(/href="[^"]*"/g), ['href="/"'])
  })

  it('given a query that is rejected, when its page is read, then it shows the errors and no filters', async () => {
    const { status, text } = await read('/notes?filter[nothing]=1')
    assert.equal(status, 400)
    assert.doesNotMatch(text, /class="filters"|<form/)
  })

  it('given 30 filters, when a list is read, then 20 of them are shown, each with a link, and the number of the others', async () => {
    const { text } = await read(`/notes?${'filter[title]=a&'.repeat(30)}`)
    const [, filters = ''] = /<ul class="filters"[^>]*>(.*?)<\/ul>/s.exec(text) ?? []
    assert.equal(filters.match(/<a href=/g)?.length, 20)
    assert.match(filters, /<li>and 10 more<\/li>/)
  })

  it('given a query of more than 2,000 characters, when a list is read, then filters and columns have no links that repeat it', async () => {
    const short = await read(`/named?filter=${listIds(2)}&filter[size]=123456789`)
    assert.match(short.text, /aria-sort="none"><a href=/)
    const { text } = await read(`/named?filter=${listIds(1000)}&filter[size]=123456789`)
    assert.match(text, /aria-sort="none"><bdi/)
    const [, filters = ''] = /<ul class="filters"[^>]*>(.*?)<\/ul>/s.exec(text) ?? []
    // Without the long filter, the rest is short.
    assert.deepEqual(filters.match(/<a href="[^"]*"/g), [
      '<a href="/named?filter%5Bsize%5D=123456789"',
    ])
  })

  it('given a document whose page would be longer than 8 MB, when it is read, then the page says so', async () => {
    const attributes = { title: '&'.repeat(1_000_000) }
    const body = { data: { type: 'note', attributes } }
    const created = await client.send('POST', '/notes', { body })
    assert.equal(created.status, 201)
    const { status, text } = await read(String(created.headers.location))
    assert.equal(status, 200)
    assert.match(text, /The page would be longer than 8 MB/)
    assert.ok(text.length < 10_000)
  })

  it('given a value with 90 levels, when its page is read, then deep members are indented no further', async () => {
    let data: unknown = Array.from({ length: 3000 }, () => 1)
    for (let level = 0; level < 90; level += 1) data = [data]
    const body = { data: { type: 'note', attributes: { data } } }
    const created = await client.send('POST', '/notes', { body })
    const { text } = await read(String(created.headers.location))
    assert.ok(text.length < 400_000, String(text.length))
  })

  it('given every file of a page, when they are compressed, then they have less than 60 KB', async () => {
    const { text } = await read('/')
    const [, folder = ''] = /src="(\/html\.[^/]+)\/pages\.js"/.exec(text) ?? []
    const pending = [`${folder}/pages.css`, `${folder}/pages.js`]
    const sizes = new Map<string, number>()
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (sizes.has(path)) continue
      const file = await client.send('GET', path)
      assert.equal(file.status, 200, path)
      sizes.set(path, gzipSync(file.text).length)
      for (const [, name = ''] of file.text.matchAll(/from '\.\/([^']+)'/g))
        pending.push(`${folder}/${name}`)
    }
    assert.ok(sizes.size > 5)
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    assert.ok(total < 60_000, String(total))
  })

  describe('in Chromium', { ...long, skip: lacksChromium }, () => {
    let browser: TestBrowser
    before(async () => {
      browser = await openBrowser(origin)
    })
    after(() => browser.close())

    it(
      'given hostile values, names in the address and descriptions, when pages show them, then all is text',
      long,
      async () => {
        const page = await browser.open('/')
        for (const [index, value] of takePart(hostile.entries(), 4)) {
          await page.goto(`${origin}/notes/${index + 1}?include=parent,children`)
          const title = page.locator('.attributes dd .text').first()
          assert.equal(await title.textContent(), value)
        }
        const filters = hostile.map((value) => ['filter[title]', value])
        await page.goto(`${origin}/notes?${new URLSearchParams(filters)}`)
        const chips = await page.locator('.filters li').allTextContents()
        assert.deepEqual(
          chips,
          hostile.map((value) => `title eq ${JSON.stringify(value)} ✕`),
        )
        const sort = hostile.join(',')
        await page.goto(`${origin}/notes?${new URLSearchParams({ sort, include: sort })}`)
        assert.match(await page.locator('h1').innerText(), /^400 /)
        await page.goto(`${origin}/notes?page[size]=12`)
        await page.locator('summary', { hasText: 'Filter' }).click()
        await page.locator('summary', { hasText: 'Create' }).click()
        assert.equal(await page.evaluate('window.attacked'), undefined)
        assert.equal(await page.locator('main img, main svg, body script').count(), 0)
        const protocols: string[] = await page.evaluate(
          '[...document.links].map((link) => link.protocol)',
        )
        assert.deepEqual([...new Set(protocols)], ['http:'])
        assert.deepEqual([browser.foreignRequests, browser.errors], [[], []])
      },
    )

    it(
      'given long names and values on a phone, when pages show them, then only tables and code scroll sideways',
      long,
      async () => {
        const page = await browser.open('/', { viewport: { width: 360, height: 640 } })
        const name = 'a'.repeat(2000)
        const { headers } = await client.send('POST', '/notes', {
          body: { data: { type: 'note', attributes: { title: name, data: { [name]: name } } } },
        })
        const longest = String(headers.location)
        const filter = `/notes?filter[title]=${name}`
        for (const path of [
          '/',
          '/wide',
          '/wide/1',
          '/notes/1',
          longest,
          filter,
          `/notes?sort=${name}`,
        ]) {
          await page.goto(origin + path)
          // The forms and the JSON too.
          await page.evaluate(
            'for (const each of document.querySelectorAll("details")) each.open = true',
          )
          const width = await page.evaluate('document.scrollingElement.scrollWidth')
          assert.equal(width, 360, path.slice(0, 40))
        }
      },
    )

    it(
      'given a long name, when its list and its resource are shown, then it covers no other, and leaves room for values',
      long,
      async () => {
        const page = await browser.open('/named')
        const measure = (
          selector: string,
        ): Promise<Record<'x' | 'y' | 'width' | 'height', number>[]> =>
          page.evaluate(
            `[...document.querySelectorAll('${selector}')].map((each) => each.getBoundingClientRect().toJSON())`,
          )
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 700 })
          await page.goto(`${origin}/named`)
          const [, name, size] = await measure('thead bdi')
          assert.ok(name && size && name.x + name.width < size.x, JSON.stringify([name, size]))
          const [number] = await measure('td .number')
          assert.ok(number && number.height < 30, 'the number is on one line')
          await page.goto(`${origin}/named/1`)
          const [value] = await measure('dl dd')
          assert.ok(value && value.width > width / 4, JSON.stringify(value))
          const [link] = await measure('dd a')
          const [box] = await measure('dd:has(a)')
          const room = link && box && [link.x - box.x, link.y - box.y]
          assert.ok(
            room?.every((each) => each >= 3),
            `the outline of the link has room: ${room}`,
          )
        }
      },
    )

    it(
      'given a form over hostile values, when an update sends it, then it changes nothing else',
      long,
      async () => {
        const page = await browser.open('/notes/4')
        await page.locator('summary', { hasText: 'Update' }).click()
        assert.equal(await page.getByLabel('title (text)').inputValue(), hostile[3])
        await page.getByLabel('link (url)').fill('https://example.org/')
        const sent = page.waitForRequest((request) => request.method() === 'PATCH')
        await page.getByRole('button', { name: 'Update' }).click()
        const attributes = { link: 'https://example.org/' }
        assert.deepEqual((await sent).postDataJSON(), {
          data: { type: 'note', id: '4', attributes },
        })
        await page.getByRole('link', { name: 'https://example.org/', exact: true }).waitFor()
      },
    )
  })
})
