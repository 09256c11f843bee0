import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, date, datetime, defineModel, number, resource } from 'lapidary'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** Columns with values that JSON cannot express; a response has null for them. */
const columns = {
  postgres: [
    { name: 'day', kind: date, type: 'date', values: ["'infinity'", "'-infinity'", "'2024-02-29'"] },
    { name: 'at', kind: datetime, type: 'timestamptz', values: ["'infinity'", "'-infinity'", "'2024-02-29Z'"] },
    { name: 'local', kind: datetime, type: 'timestamp', values: ["'infinity'", "'-infinity'", "'2024-02-29'"] },
    { name: 'size', kind: number, type: 'double precision', values: ["'NaN'", "'-Infinity'", '0.5'] },
    { name: 'real', kind: number, type: 'real', values: ["'Infinity'", "'NaN'", '0.5'] },
    { name: 'whole', kind: number, type: 'integer', values: ['null', 'null', '5'] },
  ],
  sqlite: [{ name: 'size', kind: number, type: 'real', values: ['9e999', '-9e999', '0.5'] }],
} as const // biome-ignore format: a table, one column a row

for (const dialect of ['sqlite', 'postgres'] as const) {
  const all = columns[dialect]
  const fields = all.flatMap(({ name, kind }) => [
    [name, attribute<unknown>(kind)] as const,
    [`lenient_${name}`, attribute<unknown>(kind, { column: name, invalidValues: 'null' })] as const,
  ])
  const thing = resource('thing', {
    path: '/things',
    table: 'thing',
    access: 'read-only',
    fields: Object.fromEntries(fields),
  })
  const rows = [0, 1, 2].map((at) => `(${at + 1}, ${all.map(({ values }) => values[at])})`)
  const tables = `create table thing (id integer primary key, ${all.map(({ name, type }) => `${name} ${type}`)});
    insert into thing values ${rows}, (4, ${all.map(() => 'null')})`

  engine(
    'Values that JSON cannot express',
    { only: dialect, model: defineModel([thing]), tables },
    (app) => {
      const find = async (clause: object) => {
        const list = await app.get('/things', { filter: [clause], sort: 'id' })
        assert.equal(list.body.meta?.count, list.many.length)
        return ids(list)
      }
      for (const [name] of fields)
        it(`${name}: are returned as null, and found by null`, async () => {
          const list = await app.get('/things', { sort: 'id' })
          const values = list.many.map(({ attributes }) => attributes?.[name])
          assert.deepEqual(
            values.map((value) => value === null),
            [true, true, false, true],
          )
          for (const op of ['eq', 'is_']) {
            assert.deepEqual(await find({ name, op, val: null }), ['1', '2', '4'], op)
            assert.deepEqual(await find({ not: { name, op, val: null } }), ['3'], op)
          }
          for (const op of ['ne', 'isnot'])
            assert.deepEqual(await find({ name, op, val: null }), ['3'], op)
          if (!name.startsWith('lenient_')) return
          assert.deepEqual(ids(await app.get('/things', { sort: name })), ['3', '1', '2', '4'])
          assert.deepEqual(await find({ name, op: 'ge', val: values[2] }), ['3'])
          assert.deepEqual(await find({ name, op: 'le', val: values[2] }), ['3'])
        })
    },
  )
}
