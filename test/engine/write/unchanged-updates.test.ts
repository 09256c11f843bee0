import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { attribute, datetime, defineModel, json, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The hooks that ran, in order. */
let ran: string[] = []
/** What `beforeUpdate` of a note returns. */
let returned: object | undefined

const notes = resource('notes', {
  path: '/notes',
  table: 'note',
  hooks: {
    beforeUpdate: () => {
      ran.push('before')
      return returned
    },
    afterUpdate: ({ id }) => void ran.push(`after ${id}`),
    afterCommit: ({ operation }) => void ran.push(operation),
  },
  fields: {
    s: attribute(text),
    at: attribute(datetime),
    data: attribute(json),
    parent: toOne('notes', { column: 'parent_id' }),
    parts: toMany('notes', { column: 'parent_id' }),
    papers: toMany('papers', { column: 'note_id' }),
    tags: toMany('tags', { through: { table: 'note_tag', from: 'note_id', to: 'tag_id' } }),
  },
})
const papers = resource('papers', {
  path: '/papers',
  table: 'paper',
  fields: { s: attribute(text), note: toOne('notes', { column: 'note_id' }) },
})
const tags = resource('tags', { path: '/tags', table: 'tag', fields: { s: attribute(text) } })

const served = {
  model: defineModel([notes, papers, tags]),
  tables: ({ newId, datetime: moment, json: document }: ColumnTypes) => `
    create table note (id ${newId}, s text, at ${moment}, data ${document}, parent_id integer references note (id));
    create table paper (id ${newId}, s text, note_id integer references note (id));
    create table tag (id ${newId}, s text);
    create table note_tag (note_id integer references note (id), tag_id integer references tag (id),
      primary key (note_id, tag_id));
    create index note_parent on note (parent_id);
    create index paper_note on paper (note_id);
    create index note_tag_tag on note_tag (tag_id);
    insert into note (s, at, data, parent_id) values ('a', '2024-01-01T00:00:00Z', '{"a":[1]}', null), ('b', null, null, 1), ('c', null, null, null);
    insert into paper (s, note_id) values ('p', 1), ('q', null);
    insert into tag (s) values ('x'), ('y');
    insert into note_tag values (1, 1)`,
}

const ids = (type: string, ...list: string[]) => list.map((id) => ({ type, id }))
const toOneId = (id: string | null) => ({ data: id === null ? null : { type: 'notes', id } })

/** The members of a PATCH of the first note. */
interface Members {
  readonly attributes?: object
  readonly relationships?: object
}

// biome-ignore format: a table, one update a row
const without: readonly (readonly [title: string, members: Members])[] = [
  ['an update without members', {}],
  ['the same text', { attributes: { s: 'a' } }],
  ['the same moment in another spelling', { attributes: { at: '2024-01-01T01:00:00+01:00' } }],
  ['the same JSON', { attributes: { data: { a: [1] } } }],
  ['the same relationship to one', { relationships: { parent: toOneId(null) } }],
  ['the same members by a join table', { relationships: { tags: { data: ids('tags', '1') } } }],
  ['the same members by their foreign keys', { relationships: { papers: { data: ids('papers', '1') } } }],
]
// biome-ignore format: a table, one update a row
const having: typeof without = [
  ['another text', { attributes: { s: 'z' } }],
  ['null instead of a text', { attributes: { s: null } }],
  ['other JSON', { attributes: { data: { a: [2] } } }],
  ['another relationship to one', { relationships: { parent: toOneId('3') } }],
  ['more members by a join table', { relationships: { tags: { data: ids('tags', '1', '2') } } }],
  ['fewer members by a join table', { relationships: { tags: { data: [] } } }],
  ['other members by their foreign keys', { relationships: { papers: { data: ids('papers', '2') } } }],
  ['no members by their foreign keys', { relationships: { papers: { data: [] } } }],
]

// biome-ignore format: a table, one request a row
const links: readonly (readonly [title: string, method: string, path: string, data: unknown, changes: readonly string[]])[] = [
  ['a member that is linked', 'POST', 'tags', ids('tags', '1'), []],
  ['a new member', 'POST', 'tags', ids('tags', '2'), ['after 1', 'update']],
  ['the removal of a member that is not linked', 'DELETE', 'tags', ids('tags', '2'), []],
  ['the removal of a member', 'DELETE', 'tags', ids('tags', '1'), ['after 1', 'update']],
  ['a replacement by the same set', 'PATCH', 'tags', ids('tags', '1'), []],
  ['a replacement by another set', 'PATCH', 'tags', ids('tags', '2'), ['after 1', 'update']],
  ['a paper that is linked', 'POST', 'papers', ids('papers', '1'), []],
  ['a new paper', 'POST', 'papers', ids('papers', '2'), ['after 1', 'update']],
  ['the removal of a paper that is not linked', 'DELETE', 'papers', ids('papers', '2'), []],
  ['the same resource of a relationship to one', 'PATCH', 'parent', null, []],
  ['another resource of a relationship to one', 'PATCH', 'parent', ids('notes', '3')[0], ['after 1', 'update']],
]

engine('Updates that change nothing', served, (app) => {
  beforeEach(() => {
    ran = []
    returned = undefined
  })
  const patch = async ({ attributes = {}, relationships = {} }: Members) => {
    const data = { type: 'notes', id: '1', attributes, relationships }
    assert.equal((await app.patch('/notes/1', { data })).status, 200)
  }
  /** Runs once `afterCommit` of the requests before has run, which do not wait for it. */
  const settled = async () => {
    await app.get('/notes/1')
    return ran
  }

  for (const [title, members] of without)
    it(`run no hook after it: ${title}`, async () => {
      await patch(members)
      assert.deepEqual(await settled(), ['before'])
    })

  for (const [title, members] of having)
    it(`do not include ${title}`, async () => {
      await patch(members)
      assert.deepEqual(await settled(), ['before', 'after 1', 'update'])
    })

  for (const [title, method, path, data, changes] of links)
    it(`follow the rule at the address of a relationship: ${title}`, async () => {
      const { status } = await app.call(method, `/notes/1/relationships/${path}`, {
        body: { data },
      })
      assert.equal(status, 200)
      assert.deepEqual(await settled(), ['before', ...changes])
    })

  it('do not include what the hook before the update changes', async () => {
    returned = { s: 'changed' }
    await patch({ attributes: { s: 'a' } })
    assert.deepEqual(await settled(), ['before', 'after 1', 'update'])
  })

  it('include what the hook before the update reverts', async () => {
    returned = { s: 'a' }
    await patch({ attributes: { s: 'z' } })
    assert.deepEqual(await settled(), ['before'])
  })

  it('run the hooks of members only if they change', async () => {
    await patch({ relationships: { parts: { data: ids('notes', '2', '3') } } })
    assert.deepEqual(await settled(), [
      'before',
      'before',
      'after 3',
      'after 1',
      'update',
      'update',
    ])
    ran = []
    await patch({ relationships: { parts: { data: ids('notes', '2', '3') } } })
    assert.deepEqual(await settled(), ['before'])
  })
})
