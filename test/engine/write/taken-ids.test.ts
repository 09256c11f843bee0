import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  id: { client: 'optional' },
  fields: {
    code: attribute(text),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const served = {
  model: defineModel([thing], { maxPageSize: null }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table thing (id ${newId}, code text unique, whole_id ${id} references thing (id))`,
}

engine('Ids that clients have taken', served, (app) => {
  const create = (id?: string, attributes: object = {}, path = '/things') =>
    app.post(path, { data: { type: 'thing', ...(id !== undefined && { id }), attributes } })
  const all = async () => ids(await app.get('/things', { 'page[size]': '0' }))

  it('are not generated for new resources that are created one after the other', async () => {
    const taken = ['1', '2', '3', '5', '9223372036854775807']
    for (const id of taken) assert.equal((await create(id)).status, 201)
    const given: string[] = []
    for (const path of ['/things', '/things', '/things/2/parts', '/things']) {
      const response = await create(undefined, {}, path)
      assert.equal(response.status, 201, response.text)
      given.push(response.one.id)
    }
    assert.equal(new Set([...taken, ...given]).size, taken.length + given.length)
    assert.deepEqual((await all()).sort(), [...taken, ...given].sort())
  })

  it('are not generated for new resources that are created at the same time', async () => {
    const taken = ['1', '2', '4', '6', '7']
    await Promise.all(taken.map((id) => create(id)))
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(20).fill(201),
    )
    assert.equal(new Set(await all()).size, 25)
  })

  it('are an error of the id, and not of another unique column', async () => {
    await create('1', { code: 'a' })
    const rejected = await create(undefined, { code: 'a' })
    assert.deepEqual([rejected.status, rejected.error.code], [409, 'constraint_conflict'])
    assert.equal(rejected.error.source?.pointer, '/data/attributes/code')
    const again = await create('1', { code: 'b' })
    assert.deepEqual([again.status, again.error.code], [409, 'id_taken'])
    assert.deepEqual(await all(), ['1'])
  })
})

const word = resource('word', {
  path: '/words',
  table: 'word',
  id: { kind: text, client: 'optional' },
  fields: { note: attribute(text) },
})

engine(
  'Ids whose default is always the same',
  {
    model: defineModel([word]),
    tables: () => `create table word (id text not null primary key default 'new', note text)`,
  },
  (app) => {
    it('are taken after the first create', async () => {
      const create = () => app.post('/words', { data: { type: 'word' } })
      assert.equal((await create()).one.id, 'new')
      const { status, error } = await create()
      assert.deepEqual([status, error.code, error.source], [409, 'id_taken', { pointer: '/data' }])
      assert.equal(
        error.detail,
        'The database generated an id that another resource of type word has.',
      )
    })
  },
)
