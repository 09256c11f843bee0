import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, computed, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { Query } from '../../client.ts'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** Its id, an attribute and a key have columns with other names; some columns have no field. */
const note = resource('note', {
  path: '/notes',
  table: 'sheet',
  id: 'sheet_no',
  fields: {
    title: attribute(text),
    wording: attribute(text, { column: 'b1' }),
    secret: attribute(text, { access: 'write-only' }),
    stored: computed(text, { b1: text, secret: text }, (columns) => JSON.stringify(columns)),
    original: toOne('note', { column: 'copied_from' }),
    copies: toMany('note', { column: 'copied_from' }),
  },
})

const served = {
  model: defineModel([note]),
  tables: ({ newId }: ColumnTypes) => `create table sheet (sheet_no ${newId}, title text, b1 text,
    secret text, password text, copied_from integer references sheet (sheet_no))`,
}

/** Names of columns that no field has. */
const columns = ['password', 'b1', 'sheet_no', 'copied_from', 'rowid', 'tableoid']
/** Names that mean nothing at all, far from any that does. */
const unknownNames = ['zzzzzzzzzz', 'qqq', 'constructor', 'toString']

engine('Names that clients must not use', { ...served, isLongOnOthers: true }, (app) => {
  const post = (attributes: object, relationships: object = {}) =>
    app.post('/notes', { data: { type: 'note', attributes, relationships } })

  /** Asserts that every name is rejected in the same words, but for the name itself. */
  async function alike(
    names: readonly string[],
    ask: (name: string) => Promise<{ status: number; text: string }>,
  ): Promise<void> {
    const namesByMessage = new Map<string, string[]>()
    for (const name of names) {
      const { status, text: document } = await ask(name)
      assert.ok(status >= 400 && status < 500, `${name} → ${status} ${document}`)
      const words = `${status} ${document.replaceAll(name, '·')}`
      namesByMessage.set(words, [...(namesByMessage.get(words) ?? []), name])
      for (const hidden of [...columns, 'secret']) {
        const others = hidden !== name && new RegExp(`"${hidden}"`).test(words)
        assert.ok(!others, `${name} → ${document} contains ${hidden}`)
      }
    }
    assert.equal(namesByMessage.size, 1, JSON.stringify([...namesByMessage], null, 2))
  }

  const queries: readonly ((name: string) => Query)[] = [
    (name) => ({ [`filter[${name}]`]: 'x' }),
    (name) => ({ [`filter[original__${name}]`]: 'x' }),
    (name) => ({ filter: [{ name, op: 'eq', val: 'x' }] }),
    (name) => ({ filter: [{ name, op: 'no operator', val: [] }] }),
    (name) => ({ filter: [{ name, op: 'like', val: null }] }),
    (name) => ({ filter: [{ name, op: 'eq', field: 'title' }] }),
    (name) => ({ filter: [{ name: 'title', op: 'eq', field: name }] }),
    (name) => ({ filter: [{ name: 'title', op: 'startswith', field: name }] }),
    (name) => ({ filter: [{ name, op: 'any' }] }),
    (name) => ({ filter: [{ name: `${name}__id`, op: 'eq', val: '1' }] }),
    (name) => ({ filter: [{ name: `copies__original__${name}`, op: 'eq', val: '1' }] }),
    (name) => ({
      filter: [{ name: 'copies', op: 'any', val: { not: { name, op: 'eq', val: 1 } } }],
    }),
    (name) => ({ sort: name }),
    (name) => ({ sort: `title,-${name}` }),
    (name) => ({ sort: `original.${name}` }),
    (name) => ({ sort: `${name}.title` }),
    (name) => ({ include: name }),
    (name) => ({ include: `copies.${name}` }),
  ]

  it('filter, sort and include reject a write-only attribute with the error of an unknown name', async () => {
    await post({ secret: 'x' })
    for (const query of queries) {
      await alike(['secret', ...columns, ...unknownNames], (name) => app.get('/notes', query(name)))
    }
  })

  it('related collections and relationship URLs reject a write-only attribute with the error of an unknown name', async () => {
    await post({ secret: 'x' })
    for (const path of ['/notes/1/copies', '/notes/1/relationships/copies']) {
      for (const query of queries.slice(0, 16)) {
        await alike(['secret', ...columns, ...unknownNames], (name) => app.get(path, query(name)))
      }
    }
  })

  it('fields rejects an undeclared column with the error of an unknown name', async () => {
    await alike([...columns, ...unknownNames], (name) =>
      app.get('/notes', { 'fields[note]': name }),
    )
  })

  it('a body with an undeclared column is rejected with the error of an unknown name', async () => {
    const names = [...columns, ...unknownNames]
    await alike(names, (name) => post({ [name]: 'x' }))
    await alike([...names, 'secret'], (name) => post({}, { [name]: { data: null } }))
    assert.equal((await app.get('/notes')).body.meta?.count, 0)
  })

  it('the name of the table is not a type, and the name of a column not a path', async () => {
    await post({})
    await alike(['sheet', 'xyzzy'], (type) => app.post('/notes', { data: { type } }))
    await alike(['sheet', 'xyzzy'], (type) => app.get('/notes', { [`fields[${type}]`]: 'id' }))
    await alike(['sheet', 'xyzzy'], (name) => app.get(`/${name}`))
    await alike([...columns, 'secret', 'xyzzy'], (name) => app.get(`/notes/1/${name}`))
    await alike([...columns, 'secret', 'xyzzy'], (name) => {
      return app.get(`/notes/1/relationships/${name}`)
    })
  })

  it('a write-only attribute is stored, and no response contains it', async () => {
    const { one } = await post({ title: 'a', secret: 'hush hush' })
    assert.deepEqual(JSON.parse(String(one.attributes?.stored)), { b1: null, secret: 'hush hush' })
    await post({ title: 'b' }, { original: { data: { type: 'note', id: one.id } } })
    const show = { 'fields[note]': 'title,secret,original,copies' }
    for (const response of [
      await app.get('/notes', show),
      await app.get('/notes/1', { ...show, include: 'copies' }),
      await app.get('/notes/2', { ...show, include: 'original' }),
      await app.get('/notes/1/copies', { ...show, include: 'original' }),
    ]) {
      assert.equal(response.status, 200, response.text)
      assert.ok(!response.text.includes('hush'), response.text)
    }
  })
})

engine('Columns with other names than their fields', served, (app) => {
  const post = (attributes: object, original?: string) =>
    app.post('/notes', {
      data: {
        type: 'note',
        attributes,
        ...(original !== undefined && {
          relationships: { original: { data: { type: 'note', id: original } } },
        }),
      },
    })

  it('an attribute is written to, returned from, filtered and sorted by its own column', async () => {
    const { one } = await post({ wording: 'b' })
    assert.equal(one.attributes?.wording, 'b')
    assert.equal(one.attributes?.stored, '{"b1":"b","secret":null}')
    await post({ wording: 'a' })
    assert.deepEqual(ids(await app.get('/notes', { sort: 'wording' })), ['2', '1'])
    assert.deepEqual(ids(await app.get('/notes', { 'filter[wording]': 'b' })), ['1'])
    const field = [{ name: 'title', op: 'isnot', field: 'wording' }]
    assert.deepEqual(ids(await app.get('/notes', { filter: field })), ['1', '2'])
    const changed = await app.patch('/notes/1', {
      data: { type: 'note', id: '1', attributes: { wording: 'c' } },
    })
    assert.equal(changed.one.attributes?.stored, '{"b1":"c","secret":null}')
  })

  it('ids are read, written, filtered, sorted, linked and deleted by their own column', async () => {
    for (const original of [undefined, '1', '1', '2']) await post({}, original)
    const identifier = (id: string) => ({ type: 'note', id })
    assert.deepEqual(ids(await app.get('/notes', { sort: '-id' })), ['4', '3', '2', '1'])
    assert.deepEqual(ids(await app.get('/notes', { 'filter[original__id]': '1' })), ['2', '3'])
    assert.deepEqual(ids(await app.get('/notes', { sort: '-original.id,id' })), [
      '1',
      '4',
      '2',
      '3',
    ])
    const below = [{ name: 'copies', op: 'any', val: { name: 'id', op: 'ge', val: 4 } }]
    assert.deepEqual(ids(await app.get('/notes', { filter: below })), ['2'])
    assert.deepEqual(ids(await app.get('/notes/1/copies')), ['2', '3'])
    assert.equal((await app.get('/notes/4/original')).one.id, '2')
    const one = await app.get('/notes/1', { include: 'copies.copies' })
    assert.deepEqual(
      one.body.included?.map(({ id }) => id),
      ['2', '3', '4'],
    )
    const linkage = '/notes/1/relationships/copies'
    await app.patch(linkage, { data: [identifier('4')] })
    assert.deepEqual(ids(await app.get(linkage)), ['4'])
    await app.post(linkage, { data: [identifier('3')] })
    await app.delete(linkage, { data: [identifier('4')] })
    assert.deepEqual(ids(await app.get(linkage)), ['3'])
    await app.patch('/notes/3/relationships/original', { data: null })
    assert.equal((await app.delete('/notes/1')).status, 200)
    assert.deepEqual(ids(await app.get('/notes')), ['2', '3', '4'])
    assert.match((await app.get('/notes/1')).error.detail, /note with id "1"/)
  })
})
