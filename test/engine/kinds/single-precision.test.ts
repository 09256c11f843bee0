import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, number, resource } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { attributeText, attributeTexts, create } from '../things.ts'

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: { size: attribute(number), exact: attribute(number) },
})
const served = {
  model: defineModel([thing]),
  tables: ({ newId }: ColumnTypes) => `
    create table thing (id ${newId}, size real, exact double precision);
    insert into thing (size, exact) values (21.35, 21.35), (0.1, 0.2), (-2.5, 0), (1e-20, 1e-20), (null, null)`,
}

engine('Numbers of four bytes', served, (app) => {
  const expected = ['21.35', '0.1', '-2.5', '1e-20', 'null']

  it('are returned as the shortest text that reads back', async () => {
    assert.deepEqual(attributeTexts(await app.get('/things'), 'size'), expected)
    const made = await create(app, { size: '0.3', exact: '0.30000000000000004' })
    assert.deepEqual(
      [attributeText(made, 'size'), attributeText(made, 'exact')],
      ['0.3', '0.30000000000000004'],
    )
  })

  it('are found and compared by the number that is returned', async () => {
    const found = async (clause: object) => ids(await app.get('/things', { filter: [clause] }))
    for (const [at, text] of expected.entries()) {
      if (text === 'null') continue
      const val = Number(text)
      assert.deepEqual(await found({ name: 'size', op: 'eq', val }), [String(at + 1)])
      assert.deepEqual(await found({ name: 'size', op: 'in_', val: [val] }), [String(at + 1)])
      const ordered = expected
        .map((other, index) => [Number(other), String(index + 1)] as const)
        .filter(([other]) => other >= val)
        .map(([, id]) => id)
      assert.deepEqual(await found({ name: 'size', op: 'ge', val }), ordered, text)
    }
    assert.deepEqual(await found({ name: 'size', op: 'eq', val: 21.350000381469727 }), [])
    assert.deepEqual(await found({ name: 'size', op: 'lt', val: 1e300 }), ['1', '2', '3', '4'])
    assert.deepEqual(await found({ name: 'size', op: 'eq', field: 'exact' }), ['1', '4'])
  })

  it('are sorted by their number', async () => {
    assert.deepEqual(ids(await app.get('/things', { sort: 'size' })), ['3', '4', '2', '1', '5'])
  })
})
