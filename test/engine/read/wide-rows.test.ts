import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** More values than PostgreSQL gives a function as arguments, linkage among them. */
const many = 250
const names = Array.from({ length: many }, (_, at) => `field_${at}`)

const sheet = resource('sheet', {
  path: '/sheets',
  table: 'sheet',
  fields: {
    ...Object.fromEntries(names.map((name) => [name, attribute(text)])),
    parent: toOne('sheet', { column: 'parent_id' }),
    children: toMany('sheet', { column: 'parent_id' }),
  },
})

const served = {
  isLongOnOthers: true,
  model: defineModel([sheet], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) => `
    create table sheet (id ${newId}, ${names.map((name) => `${name} text`).join(', ')}, parent_id integer references sheet (id));
    insert into sheet (id, ${names.join(', ')}) values (1, ${names.map((_, at) => `'a ${at}'`).join(', ')});
    insert into sheet (id, ${names.join(', ')}, parent_id) values (2, ${names.map((_, at) => `'b ${at}'`).join(', ')}, 1);`,
}

engine('Types of very many fields', served, (app) => {
  const attributes = (letter: string) =>
    Object.fromEntries(names.map((name, at) => [name, `${letter} ${at}`]))

  it('are returned alone, in lists, and where they are included', async () => {
    const one = await app.get('/sheets/1', { include: 'children' })
    assert.deepEqual(one.one.attributes, attributes('a'))
    assert.deepEqual(one.one.relationships?.children?.data, [{ type: 'sheet', id: '2' }])
    assert.deepEqual(one.body.included?.[0]?.attributes, attributes('b'))
    const list = await app.get('/sheets', { include: 'parent' })
    assert.deepEqual(
      list.many.map((each) => each.attributes),
      [attributes('a'), attributes('b')],
    )
    assert.deepEqual(list.many[1]?.relationships?.parent?.data, { type: 'sheet', id: '1' })
  })

  it('are returned if all are requested', async () => {
    const list = await app.get('/sheets', { 'page[size]': '0', include: 'children' })
    assert.deepEqual(list.many[1]?.attributes, attributes('b'))
  })

  it('are written', async () => {
    const changed = { type: 'sheet', id: '2', attributes: attributes('c') }
    const response = await app.call('PATCH', '/sheets/2', { body: { data: changed } })
    assert.deepEqual(response.one.attributes, attributes('c'))
  })
})
