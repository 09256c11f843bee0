import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, computed, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** Unusual member names that are allowed: beyond ASCII, JavaScript's own, with every allowed character. */
const piece = resource('größe', {
  path: '/gr~o_-ss3',
  table: 'piece',
  fields: {
    constructor: attribute(text),
    'Toll-es_Wort': attribute(text, { column: 'word' }),
    hasOwnProperty: computed(text, { word: text }, ({ word }) => word),
    proto: computed(text, { ['__proto__']: text }, ({ ['__proto__']: stored }) => stored),
    名: toOne('größe', { column: 'whole_id' }),
    größen: toMany('größe', { column: 'whole_id' }),
  },
})

const wire = {
  model: defineModel([piece]),
  tables: ({ newId }: ColumnTypes) => `create table piece (id ${newId}, constructor text, word text,
    "__proto__" text default 'stored', whole_id integer references piece (id))`,
  server: { prefix: '/v1.0' },
  beyondAscii: true,
}

engine('Unusual names in documents', wire, (app) => {
  const collection = '/v1.0/gr~o_-ss3'
  const fill = async () => {
    for (const word of ['b', 'a', 'c']) {
      await app.post(collection, {
        data: { type: 'größe', attributes: { constructor: word, 'Toll-es_Wort': word } },
      })
    }
    const data = ['2', '3'].map((id) => ({ type: 'größe', id }))
    const path = `${collection}/1/relationships/${encodeURIComponent('größen')}`
    assert.equal((await app.post(path, { data })).status, 200)
  }

  it('every link of a resource works', async () => {
    await fill()
    const { one } = await app.get(`${collection}/2`)
    assert.equal(one.attributes?.hasOwnProperty, 'a')
    assert.equal(one.attributes?.proto, 'stored')
    const links = Object.values(one.relationships ?? {}).flatMap(({ links: each = {} }) => {
      return Object.values(each)
    })
    assert.equal(links.length, 4)
    for (const link of [...links, one.links?.self ?? '']) {
      const response = await app.get(link)
      assert.equal(response.status, 200, link)
      assert.equal(response.body.links?.self?.replace(/^https?:\/\/[^/]+/, ''), link)
    }
    const complete = await app.get(`${collection}/2/${encodeURIComponent('名')}`)
    assert.equal(complete.one.id, '1')
  })

  it('filter, sort, include and fields accept them', async () => {
    await fill()
    for (const query of [
      { 'filter[名__constructor]': 'b', sort: '-constructor' },
      { 'filter[名__Toll-es_Wort]': 'b', sort: '-名.constructor,-Toll-es_Wort' },
      { filter: [{ name: '名', op: 'has', val: { name: 'größen', op: 'any' } }], sort: '-id' },
    ]) {
      assert.deepEqual(ids(await app.get(collection, query)), ['3', '2'])
    }
    const shown = await app.get(`${collection}/1`, {
      include: 'größen.名',
      'fields[größe]': 'constructor,größen,名',
    })
    assert.deepEqual(
      shown.body.included?.map(({ id }) => id),
      ['2', '3'],
    )
    assert.deepEqual(shown.one.attributes, { constructor: 'b' })
  })

  it('an error of such a field points to it', async () => {
    const { error } = await app.post(collection, {
      data: { type: 'größe', attributes: { 'Toll-es_Wort': 5 } },
    })
    assert.deepEqual(error.source, { pointer: '/data/attributes/Toll-es_Wort' })
  })
})

/** Names that SQL would misread unless they are quoted, one for each field. */
const columns = {
  a: 'group',
  b: 'Select From',
  c: 'say "hi"',
  d: "it's",
  e: 'schema.column',
  f: 't0',
  g: '?1',
  h: '$1 :x @y',
  i: 'größe',
  j: '[j]',
  k: '`k`; --',
}
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const table = 'order "by"; drop'

const odd = resource('odd', {
  path: '/odds',
  table,
  id: 'the id.',
  fields: {
    ...Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, attribute(text, { column })]),
    ),
    all: computed(
      text,
      Object.fromEntries(Object.values(columns).map((column) => [column, text])),
      (values) =>
        Object.values(columns)
          .map((column) => values[column])
          .join(' '),
    ),
    up: toOne('odd', { column: 'up-key' }),
    down: toMany('odd', { column: 'up-key' }),
  },
})

const stored = {
  model: defineModel([odd]),
  tables: ({ newId }: ColumnTypes) => `create table ${quoted(table)} ("the id." ${newId},
    ${Object.values(columns)
      .map((column) => `${quoted(column)} text`)
      .join(', ')},
    "up-key" integer references ${quoted(table)} ("the id."))`,
}

engine('Unusual names in the database', stored, (app) => {
  it('tables and columns with any name are written, read, filtered, sorted and linked', async () => {
    const names = Object.keys(columns)
    for (const value of ['y', 'x']) {
      const attributes = Object.fromEntries(names.map((name) => [name, name + value]))
      const made = await app.post('/odds', { data: { type: 'odd', attributes } })
      assert.equal(made.status, 201, made.text)
      const all = names.map((name) => name + value).join(' ')
      assert.deepEqual(made.one.attributes, { ...attributes, all })
    }
    const linked = await app.patch('/odds/1/relationships/down', {
      data: [{ type: 'odd', id: '2' }],
    })
    assert.equal(linked.status, 200)
    for (const name of names) {
      assert.deepEqual(ids(await app.get('/odds', { sort: name })), ['2', '1'], name)
      assert.deepEqual(ids(await app.get('/odds', { sort: `-up.${name}` })), ['1', '2'], name)
      assert.deepEqual(ids(await app.get('/odds', { [`filter[${name}]`]: `${name}x` })), ['2'])
      assert.deepEqual(ids(await app.get('/odds', { [`filter[up__${name}]`]: `${name}y` })), ['2'])
      const patched = await app.patch('/odds/1', {
        data: { type: 'odd', id: '1', attributes: { [name]: null } },
      })
      assert.equal(patched.one.attributes?.[name], null)
    }
    const shown = await app.get('/odds', { include: 'up,down', 'page[size]': '1' })
    assert.deepEqual(
      shown.body.included?.map(({ id }) => id),
      ['2'],
    )
    assert.equal((await app.delete('/odds/2')).status, 200)
  })
})
