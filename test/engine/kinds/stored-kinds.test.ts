import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, number, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeText, attributeTexts } from '../things.ts'

/** Numbers of each size, with a to-many relationship to itself. */
const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    integer: attribute(integer),
    number: attribute(number),
    text: attribute(text),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const served = {
  model: defineModel([thing], { maxPageSize: null }),
  tables: ({ newId, integer, number }: ColumnTypes) => `
    create table thing (id ${newId}, "integer" ${integer}, "number" ${number},
    text text, whole_id integer references thing (id))`,
}

engine('Stored values of kinds', served, (app) => {
  it('integers beyond 2^53 are exact in lists, single resources, included resources and after an update', async () => {
    const stored = [
      '-9223372036854775808',
      '-9007199254740993',
      '9007199254740993',
      '9223372036854775807',
    ]
    const rows = stored.map((value, index) => `(${value}, ${index === 0 ? 'null' : 1})`)
    await app.execute(`insert into thing ("integer", whole_id) values ${rows.join(', ')}`)
    for (const query of [{}, { sort: 'integer' }, { 'page[size]': '0' }]) {
      assert.deepEqual(attributeTexts(await app.get('/things', query), 'integer'), stored)
    }
    assert.deepEqual(
      attributeTexts(await app.get('/things', { sort: '-integer' }), 'integer'),
      stored.toReversed(),
    )
    const alone = await app.get('/things/1', { include: 'parts' })
    assert.equal(attributeText(alone, 'integer'), stored[0])
    for (const value of stored) assert.ok(alone.text.includes(`"integer":${value}`), value)
    const patched = await app.patch('/things/4', {
      data: { type: 'thing', id: '4', attributes: { text: 'x' } },
    })
    assert.equal(attributeText(patched, 'integer'), stored[3])
    const field = { name: 'integer', op: 'eq', field: 'integer' }
    assert.equal((await app.get('/things', { filter: [field] })).many.length, 4)
    const above = { name: 'integer', op: 'gt', val: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(ids(await app.get('/things', { filter: [above] })), ['3', '4'])
  })

  it('a number that JSON cannot express is null; minus zero is zero', async () => {
    const strange = {
      sqlite: '(9e999), (-9e999), (-0.0)',
      postgres: "('Infinity'), ('-Infinity'), ('-0')",
    }
    await app.execute(
      `insert into thing ("number") values ${strange[app.dialect]}, (1e308), (4.9e-324)`,
    )
    const response = await app.get('/things')
    assert.deepEqual(attributeTexts(response, 'number'), ['null', 'null', '0', '1e+308', '5e-324'])
  })

  it('integers and numbers are compared and sorted as numbers, not as text', async () => {
    await app.execute(
      'insert into thing ("integer", "number") values (10, 10), (9, 9.5), (-1, -1.5), (100, 1e3)',
    )
    for (const name of ['integer', 'number']) {
      const query = { sort: `-${name}`, 'fields[thing]': name }
      assert.deepEqual(ids(await app.get('/things', query)), ['4', '1', '2', '3'])
      const filter = [{ name, op: 'ge', val: 10 }]
      assert.deepEqual(ids(await app.get('/things', { filter })), ['1', '4'])
    }
  })
})

/** Another model in the same process, with the same names in documents and another table. */
const amount = resource('thing', {
  path: '/things',
  table: 'amount',
  fields: { number: attribute(number), text: attribute(text, { required: true }) },
})
const loose = {
  model: defineModel([amount], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) =>
    `create table amount (id ${newId}, number numeric, text text)`,
  hasForeignValues: true,
}

engine('Columns that allow more than their kinds', loose, (app) => {
  it('numbers that the column converts to integers are exact, beyond 2^53 too', async () => {
    await app.execute('insert into amount (number) values (1e18), (9007199254740994), (0.5), (7)')
    const response = await app.get('/things', { sort: '-number', 'fields[thing]': 'number' })
    assert.equal(response.status, 200, response.text)
    const numbers = response.many.map(({ attributes }) => attributes?.number)
    assert.deepEqual(numbers, [1e18, 9007199254740994, 7, 0.5])
  })

  it('a required attribute may be null in the table: it is returned and sorted like any null', async () => {
    await app.execute("insert into amount (text) values (null), ('a'), (null), ('b')")
    assert.deepEqual(ids(await app.get('/things', { sort: 'text,id' })), ['2', '4', '1', '3'])
    assert.deepEqual(ids(await app.get('/things', { sort: '-text,id' })), ['1', '3', '4', '2'])
    assert.equal((await app.get('/things/1')).one.attributes?.text, null)
  })
})
