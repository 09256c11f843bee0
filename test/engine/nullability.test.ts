import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, enumeration, integer, resource, text } from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { isObject } from '../../src/model/json.ts'
import type { ColumnTypes } from '../databases.ts'
import type { TestResponse } from '../test-response.ts'
import { engine, openStore } from './engine.ts'

const track = resource('track', {
  path: '/tracks',
  table: 'track',
  fields: {
    title: attribute(text, { required: true }),
    mood: attribute(enumeration(['calm', 'loud']), { nullable: false }),
    plays: attribute(integer, { nullable: false }),
    // Other programs may have stored null.
    label: attribute(text, { required: true, nullable: true }),
    note: attribute(text),
  },
})
const tracks = {
  model: defineModel([track]),
  tables: ({ newId }: ColumnTypes) => `
    create table track (id ${newId}, title text not null, mood text not null default 'calm' check (mood in ('calm', 'loud')),
      plays integer not null default 0, label text, note text);
    insert into track (title) values ('a')`,
}

/** The pointer and the detail of each error. */
const listErrors = ({ body }: TestResponse) =>
  body.errors?.map(({ source, detail }) => [source?.pointer, detail])

/** A schema of a description. */
function getSchema(model: typeof tracks.model, name: string, ...path: readonly string[]): unknown {
  let found: unknown = describeApi(model).components.schemas[name]
  for (const member of path) {
    assert.ok(isObject(found), `${name} has ${member}`)
    found = found[member]
  }
  return found
}

engine('Attributes that are never null but have a default', tracks, (app) => {
  const body = (attributes: object, id?: string) => ({ data: { type: 'track', id, attributes } })

  it('a create need not send them, and gets the defaults of the columns', async () => {
    const created = await app.post('/tracks', body({ title: 'b', label: 'l' }))
    assert.equal(created.status, 201)
    const { mood, plays, note } = created.one.attributes ?? {}
    assert.deepEqual([mood, plays, note], ['calm', 0, null])
  })

  it('null for each of them is an error of its own, in a create and in an update', async () => {
    const sent = { title: 'c', label: 'l', mood: null, plays: null, note: null }
    for (const response of [
      await app.post('/tracks', body(sent)),
      await app.patch('/tracks/1', body(sent, '1')),
    ]) {
      assert.equal(response.status, 422)
      assert.deepEqual(listErrors(response), [
        ['/data/attributes/mood', 'mood must be one of "calm", "loud"; it is null.'],
        [
          '/data/attributes/plays',
          'plays must be a whole number between -9007199254740991 and 9007199254740991; it is null.',
        ],
      ])
    }
  })

  it('the description says what may be sent and what is returned', () => {
    const types = (name: string) =>
      ['mood', 'plays', 'label', 'note'].map((field) => {
        const path = name === 'track' ? ['properties', 'attributes'] : []
        const schema = getSchema(tracks.model, name, ...path, 'properties', field)
        return isObject(schema) ? schema.type : undefined
      })
    const orNull = ['string', 'null']
    assert.deepEqual(types('track'), ['string', 'integer', orNull, orNull])
    assert.deepEqual(types('track.attributes'), ['string', 'integer', 'string', orNull])
    const required = getSchema(tracks.model, 'track.new', 'properties', 'attributes', 'required')
    assert.deepEqual(required, ['title', 'label'])
  })

  it('the start rejects nullable: false of a column that may be null', async () => {
    const fields = {
      title: attribute(text, { required: true }),
      note: attribute(text, { nullable: false }),
    }
    const model = defineModel([resource('track', { path: '/tracks', table: 'track', fields })])
    const store = await openStore(model, app.databaseUrl)
    try {
      await assert.rejects(store.verify(), {
        errors: ['track.fields.note.nullable: the column "note" of the table "track" is nullable'],
      })
    } finally {
      await store.close()
    }
  })
})
