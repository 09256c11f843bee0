import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, auth, defineModel, type ResourceAccess, resource, text, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine, openStore } from '../engine.ts'

const isAdmin = auth((user: { role: string }) => user.role === 'admin')
const own = { filter: [{ name: 'word', op: 'eq', val: auth((user: { id: string }) => user.id) }] }
const fields = { word: attribute(text) }

/** A user has notes, which have replies over a table that is not declared, and pages, which lose their user. */
function declare(
  user: ResourceAccess,
  others: Readonly<Record<'note' | 'reply' | 'page', ResourceAccess>>,
  unlink: boolean | undefined = undefined,
) {
  const rule = unlink === undefined ? {} : { unlink }
  return defineModel([
    resource('user', { path: '/users', table: 'usr', access: user, fields }),
    resource('note', { path: '/notes', table: 'note', access: others.note, fields }),
    resource('reply', { path: '/replies', table: 'reply', access: others.reply, fields }),
    resource('page', {
      ...{ path: '/pages', table: 'page', access: others.page },
      fields: { ...fields, user: toOne('user', { column: 'user_id', ...rule }) },
    }),
  ])
}
const open: ResourceAccess = { read: true, update: true, delete: true }
const allOpen = { note: open, reply: open, page: open }

const served = {
  model: declare(open, allOpen),
  tables: ({ newId, id }: ColumnTypes) => `
    create table usr (id ${newId}, word text);
    create table note (id ${newId}, word text, user_id ${id} references usr (id) on delete cascade);
    create table thread (id ${newId}, note_id ${id} references note (id) on delete cascade);
    create table reply (id ${newId}, word text, thread_id ${id} references thread (id) on delete cascade,
      kept_id ${id} references usr (id));
    create table page (id ${newId}, word text, user_id ${id} references usr (id) on delete set null);
    create index page_user on page (user_id)`,
}

engine('Foreign keys that delete or change rows of other types', served, (app) => {
  const warn = async (model: ReturnType<typeof declare>) => {
    const store = await openStore(model, app.databaseUrl)
    try {
      const { warnings } = await store.verify()
      return warnings.filter((each) => each.includes('on delete'))
    } finally {
      await store.close()
    }
  }

  it('are named with the stricter rules, also over tables without a type', async () => {
    const model = declare(open, {
      note: { ...open, delete: false },
      reply: { ...open, read: own },
      page: { ...open, update: own },
    })
    const start = 'user.access.delete: a deletion also'
    const fix =
      'to fix it: restrict user.access.delete as far, or create the foreign key with "on delete restrict"'
    assert.deepEqual((await warn(model)).filter((each) => each.startsWith('user.')).sort(), [
      `${start} changes rows of page, because of the foreign key "user_id" of "page" with "on delete set null", and does not need page.access.update (not everybody); ${fix}`,
      `${start} deletes rows of note, because of the foreign key "user_id" of "note" with "on delete cascade", and does not need note.access.delete (nobody); ${fix}`,
      `${start} deletes rows of reply, because of the foreign key "thread_id" of "reply" with "on delete cascade", and does not need reply.access.read (not everybody); ${fix}`,
    ])
  })

  it('are named by the rule of the relationship, if it has one', async () => {
    const [warning = '', ...others] = await warn(declare(open, allOpen, false))
    assert.match(warning, /does not need page\.fields\.user\.unlink \(nobody\)/)
    assert.deepEqual(others, [])
  })

  for (const [title, user, others] of [
    ['everybody may do what they do', open, allOpen],
    [
      'only those may delete who may do what they do',
      { ...open, delete: isAdmin },
      {
        note: { ...open, delete: isAdmin },
        reply: { ...open, delete: isAdmin },
        page: { ...open, update: isAdmin },
      },
    ],
    [
      'nobody may delete',
      { ...open, delete: false },
      { ...allOpen, page: { ...open, update: false } },
    ],
  ] as const)
    it(`are not named if ${title}`, async () => {
      assert.deepEqual(await warn(declare(user, others)), [])
    })
})
