import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { action, attribute, createHandler, defineModel, resource, text } from 'lapidary'
import { createPages } from 'lapidary/html'
import { openSqlite } from 'lapidary/sqlite'

/** Descriptions in Markdown, and what a page shows of them. */
const descriptions: readonly (readonly [markdown: string, html: string, title?: string])[] = [
  ['Plain.', '<p>Plain.</p>', 'Plain.'],
  [
    'The *one*, **not** `other`.',
    '<p>The <em>one</em>, <strong>not</strong> <code>other</code>.</p>',
    'The one, not other.',
  ],
  ['One.\n\nTwo.', '<p>One.</p><p>Two.</p>', 'One.\nTwo.'],
  ['# Title', '<p><strong>Title</strong></p>', 'Title'],
  ['- one\n- two', '<ul><li>one</li><li>two</li></ul>', 'one\ntwo'],
  [
    'See [the list](/items).',
    '<p>See <a href="/items" rel="noreferrer">the list</a>.</p>',
    'See the list.',
  ],
  [
    'By \\*hand\\*, snake_case_name',
    '<p>By *hand*, snake_case_name</p>',
    'By *hand*, snake_case_name',
  ],
  ['`<b>` & <b>', '<p><code>&lt;b></code> &amp; &lt;b></p>', '<b> & <b>'],
  ['![a picture](https://x.test/a.png)', '<p>a picture</p>', 'a picture'],
  ['[a](javascript:attack())', '<p>a</p>', 'a'],
  ['[a](<java\tscript:attack()>)', '<p>a</p>', 'a'],
  ['<script>attack()</script>', '&lt;script>attack()&lt;/script>'],
  ['<img src=x onerror=attack()>', '&lt;img src=x onerror=attack()>'],
  ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '<p>1 &lt; 2 &amp;&amp; 3 > 2</p>', '1 < 2 && 3 > 2'],
  ['It&#39;s &#x41;&copy;&NotEqualTilde;', "<p>It's A©≂̸</p>", "It's A©≂̸"],
  ['&#0; &#xd800; &#9999999;', '<p>\ufffd \ufffd \ufffd</p>', '\ufffd \ufffd \ufffd'],
  ['AT&T &unknown; &lt', '<p>AT&amp;T &amp;unknown; &amp;lt</p>'],
  ['&amp;lt; \\&lt;', '<p>&amp;lt; &amp;lt;</p>', '&lt; &lt;'],
  ['`&lt;`', '<p><code>&amp;lt;</code></p>', '&lt;'],
  ['&#42;one&#42;', '<p>*one*</p>', '*one*'],
  ['&lt;script&gt;attack()', '<p>&lt;script>attack()</p>', '<script>attack()'],
  ['[&copy;](/x?a&amp;b)', '<p><a href="/x?a&amp;b" rel="noreferrer">©</a></p>', '©'],
  ['![a &copy;](/a.png)', '<p>a ©</p>', 'a ©'],
  [
    '<https://x.test/?a&lt;>',
    '<p><a href="https://x.test/?a&amp;lt;" rel="noreferrer">https://x.test/?a&amp;lt;</a></p>',
    'https://x.test/?a&lt;',
  ],
  ['[a](java&#115;cript&colon;attack())', '<p>a</p>', 'a'],
  [
    '[a](/x&quot; "b&quot; onclick=attack()")',
    '<p><a href="/x&quot;" rel="noreferrer">a</a></p>',
    'a',
  ],
  ['[a](/x" onclick="attack())', '<p>[a](/x&quot; onclick=&quot;attack())</p>'],
]

describe('Descriptions on pages', () => {
  const declared = descriptions.map(([markdown], index) => [
    `field_${index}`,
    attribute(text, { description: markdown }),
  ])
  const item = resource('item', {
    path: '/items',
    table: 'item',
    description: 'What is *sold*.',
    fields: Object.fromEntries(declared),
    actions: { close: action({ description: 'Ends **it**.', run: () => undefined }) },
  })
  const model = defineModel([item])
  const store = openSqlite(model, ':memory:')
  const rootMeta = { description: 'A *shop*.' }
  const handle = createHandler({ model, store, rootMeta, html: createPages() })
  const read = async (path: string) => {
    const request = new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } })
    return (await handle(request)).text()
  }

  before(async () => {
    const columns = descriptions.map((_, index) => `field_${index} text`)
    const sql = `create table item (id integer primary key, ${columns}); insert into item (id) values (1)`
    await store.migrate([{ version: 1, sql }])
  })
  after(() => store.close())

  it('given Markdown of the root document, types and actions, when pages are opened, then it is rendered', async () => {
    const root = await read('/')
    assert.match(root, /<div dir="auto"><p>A <em>shop<\/em>\.<\/p><\/div>/)
    assert.match(root, /<td><div dir="auto"><p>What is <em>sold<\/em>\.<\/p><\/div>/)
    assert.match(await read('/items'), /<\/h1><div dir="auto"><p>What is <em>sold<\/em>/)
    assert.match(await read('/items/1'), /<p>Ends <strong>it<\/strong>\.<\/p>/)
  })

  for (const [index, [markdown, html, title = markdown]] of descriptions.entries()) {
    it(`given the description ${JSON.stringify(markdown)}, when a form and a list are opened, then it is harmless HTML there and its text here`, async () => {
      const form = await read('/items/1')
      assert.ok(form.includes(`dir="auto">${html}</div>`))
      const titles = [...(await read('/items')).matchAll(/<th scope="col" title="([^"]*)"/g)]
      const escaped = title
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
      assert.equal(titles[index]?.[1], escaped)
    })
  }
})

describe('Errors on pages', () => {
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    fields: { text: attribute(text) },
  })
  const models = ['https://example.org/errors#', 'javascript:attack()//', undefined].map(
    (errorTypes) => [errorTypes, defineModel([note], { jsonapi: '1.1', errorTypes })] as const,
  )
  const expected = '<a href="https://example.org/errors#invalid_sort" rel="noreferrer">'
  for (const [errorTypes, model] of models)
    it(`given errors of the type ${errorTypes}, when a page is opened, then it links a page about it`, async () => {
      const store = openSqlite(model, ':memory:')
      await store.migrate([
        { version: 1, sql: 'create table note (id integer primary key, text text)' },
      ])
      const handle = createHandler({ model, store, html: createPages() })
      const read = (path: string) =>
        handle(new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } }))
      const page = await (await read('/notes?sort=nothing')).text()
      const [, code] = /<p class="code"><code>(.*?)<\/code>/.exec(page) ?? []
      assert.equal(
        code,
        errorTypes?.startsWith('https:') ? `${expected}invalid_sort</a>` : 'invalid_sort',
      )
      const { status } = await read('/notes?page[size]=1&page[total]=none')
      assert.equal(status, 200)
      await store.close()
    })
})
