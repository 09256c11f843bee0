import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, declare, integer, sql, text, toMany } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The identity of a request has the organization 1 and the name ada. */
const { auth, defineModel, resource } = declare<{ auth: { org: number; name: string } }>()
const me = auth((user) => user.name)

const ward = resource('ward', {
  path: '/wards',
  table: 'ward',
  id: { column: ['org_id', 'code'], kind: [integer, text], client: 'required' },
  fields: {
    title: attribute(text),
  },
})
/** Its rows are those of one kind, and their names are unique. */
const bed = resource('bed', {
  path: '/beds',
  table: 'bed',
  tenant: false,
  scope: (column) => sql`${column('kind')} = 'bed'`,
  fields: {
    name: attribute(text),
    kind: attribute(text),
    wards: toMany('ward', {
      through: { table: 'placed', from: 'bed_id', to: ['org_id', 'code'] },
    }),
  },
})
/** Everybody writes what is their own; the names of each owner are unique. */
const tool = resource('tool', {
  path: '/tools',
  table: 'tool',
  tenant: false,
  access: { read: true, update: { filter: [{ name: 'owner', op: 'eq', val: me }] } },
  fields: { owner: attribute(text), name: attribute(text) },
})

const served = {
  model: defineModel([ward, bed, tool], {
    tenant: { column: 'org_id', value: auth((user) => user.org) },
  }),
  tables: ({ newId }: ColumnTypes) => `
    create table ward (org_id integer not null, code varchar(20) not null, title text, primary key (org_id, code));
    create table bed (id ${newId}, name text unique, kind text);
    create table placed (org_id integer not null, code varchar(20) not null, bed_id integer not null, primary key (org_id, code, bed_id));
    create table tool (id ${newId}, owner text, name text, unique (owner, name));
    insert into ward (org_id, code, title) values (1, 'A', 'mine'), (2, 'A', 'hidden');
    insert into bed (id, name, kind) values (1, 'b', 'bed'), (2, 'taken', 'chair');
    insert into tool (id, owner, name) values (1, 'ada', 'saw'), (2, 'bob', 'axe')`,
  server: { authenticate: () => ({ org: 1, name: 'ada' }) },
}

engine('Writes whose values decide that they are denied', served, (app) => {
  const create = (id: string) =>
    app.post('/wards', { data: { type: 'ward', id, attributes: { title: 't' } } })
  const patch = (type: string, attributes: object) =>
    app.patch(`/${type}s/1`, { data: { type, id: '1', attributes } })

  it('a create with an id of another tenant is 403, whether the row exists or not', async () => {
    const answers = await Promise.all(['2,A', '2,Q'].map(create))
    const [taken = '', free] = answers.map(({ status, text: body }) => {
      return `${status} ${body.replaceAll(/2,[AQ]/g, 'id')}`
    })
    assert.equal(taken, free)
    const { status, detail, source } = answers[0]?.error ?? {}
    assert.deepEqual(
      { status, detail, source },
      {
        status: '403',
        detail:
          'You cannot create a resource of type ward with the id "2,A", because it would belong to another tenant.',
        source: { pointer: '/data/id' },
      },
    )
  })

  it('a create with an id of the own tenant is stored, and 409 if it is taken', async () => {
    assert.equal((await create('1,Q')).status, 201)
    assert.equal((await create('1,A')).error.code, 'id_taken')
  })

  it('a member of another tenant is one that does not exist, whether it does or not', async () => {
    const link = async (id: string) => {
      const { status, text: body } = await app.post('/beds/1/relationships/wards', {
        data: [{ type: 'ward', id }],
      })
      return `${status} ${body.replaceAll(id, 'id')}`
    }
    assert.match(await link('2,A'), /^404 .*related_not_found/)
    assert.equal(await link('2,A'), await link('2,Q'))
  })

  for (const [title, send] of [
    [
      'a create',
      (name: string) =>
        app.post('/beds', { data: { type: 'bed', attributes: { name, kind: 'chair' } } }),
    ],
    ['an update', (name: string) => patch('bed', { name, kind: 'chair' })],
  ] as const)
    it(`${title} of a row outside of the scope is answered alike, whether a unique value is taken or not`, async () => {
      const [taken, free] = [await send('taken'), await send('free')]
      assert.equal(taken.text, free.text)
      assert.equal(
        taken.error.detail,
        'The change would make this resource no longer match the type bed.',
      )
    })

  it('an update that gives a row away is 403, whether its owner has such a row or not', async () => {
    const [taken, free] = [
      await patch('tool', { owner: 'bob', name: 'axe' }),
      await patch('tool', { owner: 'bob', name: 'new' }),
    ]
    assert.equal(taken.text, free.text)
    assert.equal(taken.error.code, 'forbidden')
  })

  it('an update that the rule allows gets the error of the constraint', async () => {
    const { status } = await app.post('/tools', {
      data: { type: 'tool', attributes: { owner: 'ada', name: 'axe' } },
    })
    assert.equal(status, 201)
    assert.equal((await patch('tool', { name: 'axe' })).error.code, 'constraint_conflict')
    assert.equal((await patch('tool', { name: 'drill' })).status, 200)
  })
})
