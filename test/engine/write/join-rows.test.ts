import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text),
    clubs: toMany('club', { through: { table: 'membership', from: 'person_id', to: 'club_id' } }),
    memberships: toMany('membership', { column: 'person_id' }),
  },
})
const club = resource('club', {
  path: '/clubs',
  table: 'club',
  fields: {
    name: attribute(text),
    persons: toMany('person', {
      through: { table: 'membership', from: 'club_id', to: 'person_id' },
    }),
  },
})
/** The join table as a type of its own. */
const membership = resource('membership', {
  path: '/memberships',
  table: 'membership',
  fields: {
    role: attribute(text),
    since: attribute(text),
    person: toOne('person', { column: 'person_id' }),
    club: toOne('club', { column: 'club_id' }),
  },
})

const served = {
  model: defineModel([person, club, membership], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) => `
    create table person (id ${newId}, name text);
    create table club (id ${newId}, name text);
    create table membership (id ${newId}, role text not null default 'member', since text,
      person_id integer references person (id), club_id integer references club (id),
      unique (person_id, club_id));
    insert into person values (1, 'p1'), (2, 'p2');
    insert into club values (1, 'c1'), (2, 'c2'), (3, 'c3');
    insert into membership values (1, 'chair', '1999', 1, 1), (2, 'clerk', '2000', 1, 2), (3, 'chair', '2001', 2, 1),
      (4, 'ghost', null, null, 3), (5, 'ghost', null, 2, null)`,
}

engine('Rows of a join table', served, (app) => {
  const stored = async () => {
    const { many } = await app.get('/memberships', { 'fields[membership]': 'role,person,club' })
    return many.map(({ id, attributes, relationships }) => {
      const [one, other] = [relationships?.person?.data, relationships?.club?.data].flat()
      return `${id} ${attributes?.role} ${one?.id ?? '-'} ${other?.id ?? '-'}`
    })
  }
  const clubs = (...all: string[]) => ({ data: all.map((id) => ({ type: 'club', id })) })
  const path = '/persons/1/relationships/clubs'

  it('keep their further columns when the link is sent again; new rows have the defaults of the table', async () => {
    await app.post(path, clubs('1', '3'))
    await app.patch(path, clubs('3', '1', '2'))
    await app.patch('/persons/1', {
      data: { type: 'person', id: '1', relationships: { clubs: clubs('1', '2', '3') } },
    })
    assert.deepEqual(await stored(), [
      ...['1 chair 1 1', '2 clerk 1 2', '3 chair 2 1', '4 ghost - 3', '5 ghost 2 -'],
      '6 member 1 3',
    ])
    await app.patch(path, clubs('2'))
    const left = ['2 clerk 1 2', '3 chair 2 1', '4 ghost - 3', '5 ghost 2 -']
    assert.deepEqual(await stored(), left)
  })

  it('are links and resources: a write of one is visible in the other', async () => {
    const relationships = {
      person: { data: { type: 'person', id: '2' } },
      club: { data: { type: 'club', id: '3' } },
    }
    await app.post('/memberships', { data: { type: 'membership', relationships } })
    assert.deepEqual(ids(await app.get('/persons/2/clubs')), ['1', '3'])
    await app.delete('/clubs/1/relationships/persons', { data: [{ type: 'person', id: '2' }] })
    assert.equal((await app.get('/memberships/3')).status, 404)
    assert.deepEqual(ids(await app.get('/persons/2/memberships')), ['5', '6'])
    const again = await app.post('/memberships', { data: { type: 'membership', relationships } })
    assert.deepEqual([again.status, again.error.code], [409, 'constraint_conflict'])
  })

  it('with a null key are not links', async () => {
    assert.deepEqual(ids(await app.get('/clubs/3/persons')), [])
    assert.deepEqual(ids(await app.get('/clubs', { filter: [{ name: 'persons', op: 'any' }] })), [
      '1',
      '2',
    ])
    assert.deepEqual(ids(await app.get('/persons', { 'filter[clubs__name]': 'c3' })), [])
    const none = { filter: [{ not: { name: 'clubs__id', op: 'eq', val: 3 } }], include: 'clubs' }
    const response = await app.get('/persons', { ...none, 'page[size]': '0' })
    assert.deepEqual(ids(response), ['1', '2'])
    assert.deepEqual(
      response.body.included?.map(({ id }) => id),
      ['1', '2'],
    )
  })
})
