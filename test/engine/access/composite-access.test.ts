import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, declare, integer, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

const { resource, defineModel, auth } = declare<{ auth: Readonly<{ user: string }> }>()

const ifOpen = { filter: [{ name: 'open', op: 'eq', val: 1 }] }

/** Boxes with composite ids, and things in them: users read their own boxes, and link things to those that are open. */
const ownBoxes = {
  model: defineModel([
    resource('box', {
      path: '/boxes',
      table: 'box',
      id: { column: ['room', 'label'], kind: [integer, text], client: 'required' },
      access: {
        read: { filter: [{ name: 'owner', op: 'eq', val: auth(({ user }) => user) }] },
      },
      fields: {
        owner: attribute(text),
        open: attribute(integer),
        things: toMany('thing', {
          column: ['box_room', 'box_label'],
          ...{ link: ifOpen, unlink: ifOpen },
        }),
      },
    }),
    resource('thing', {
      path: '/things',
      table: 'thing',
      fields: {
        name: attribute(text),
        box: toOne('box', { column: ['box_room', 'box_label'] }),
      },
    }),
  ]),
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) => ({
      user: String(headers['x-user']),
    }),
  },
  tables: ({ newId, id, integer: whole }: ColumnTypes) => `
    create table box (room ${id} not null, label text not null, owner text, open ${whole}, primary key (room, label));
    create table thing (id ${newId}, name text, box_room ${id}, box_label text,
      foreign key (box_room, box_label) references box (room, label));
    create index thing_box on thing (box_room, box_label);
    insert into box values (1, 'a,b', 'ada', 1), (1, 'c', 'ben', 1), (2, 'd', 'ada', 0);
    insert into thing (name, box_room, box_label) values ('x', 1, 'a,b'), ('y', 1, 'c'), ('z', 2, 'd'), ('w', null, null)`,
}

engine('Access rules of types with composite ids', ownBoxes, (app) => {
  const headers = { 'x-user': 'ada' }
  const get = (path: string, query = {}) => app.call('GET', path, { query, headers })
  const link = (thing: number, id: string | null) =>
    app.call('PATCH', `/things/${thing}/relationships/box`, {
      headers,
      body: { data: id === null ? null : { type: 'box', id } },
    })

  it('hide rows in collections, linkage, filters and documents', async () => {
    assert.deepEqual(
      (await get('/boxes')).many.map(({ id }) => id),
      ['1,a~1b', '2,d'],
    )
    assert.equal((await get('/boxes/1,c')).status, 404)
    const things = await get('/things', { include: 'box' })
    assert.deepEqual(
      things.many.map(({ relationships }) => Object(relationships?.box?.data).id),
      ['1,a~1b', undefined, '2,d', undefined],
    )
    assert.deepEqual(
      things.body.included?.map(({ id }) => id),
      ['1,a~1b', '2,d'],
    )
    const found = await get('/things', { filter: [{ name: 'box__id', op: 'in_', val: ['1,c', '2,d'] }] }) // biome-ignore format: one line
    assert.deepEqual(
      found.many.map(({ id }) => id),
      ['3'],
    )
  })

  it('reject links, from either side', async () => {
    assert.equal((await link(4, '1,c')).status, 404)
    assert.equal((await link(4, '2,d')).status, 403)
    assert.equal((await link(3, '1,a~1b')).status, 403)
    assert.equal((await link(4, '1,a~1b')).status, 200)
    const members = { data: [{ type: 'thing', id: '3' }] }
    const things = (id: string) => `/boxes/${id}/relationships/things`
    // The thing is in the box already.
    assert.equal((await app.call('POST', things('2,d'), { headers, body: members })).status, 200)
    const others = { data: [{ type: 'thing', id: '4' }] }
    assert.equal((await app.call('POST', things('2,d'), { headers, body: others })).status, 403)
    assert.equal((await app.call('POST', things('1,c'), { headers, body: members })).status, 404)
    assert.equal((await app.call('POST', things('1,a~1b'), { headers, body: members })).status, 403)
  })
})
