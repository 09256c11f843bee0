import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Query } from '../../client.ts'
import { ids } from '../../test-response.ts'
import { company } from '../company.ts'
import { engine } from '../engine.ts'

const id = (type: string, ...all: string[]) => all.map((each) => ({ type, id: each }))

engine('Types with a scope: reads', company, (app) => {
  const found = async (path: string, query: Query = {}) => {
    const response = await app.get(path, query)
    assert.equal(response.status, 200, response.text)
    return ids(response).join(' ')
  }
  const linked = async (path: string): Promise<unknown> => (await app.get(path)).body.data
  for (const [path, all] of [
    ['/employees', '1 2 5'],
    ['/persons', '1 3 5'],
    ['/badges', '1 2 4'],
    ['/desks', '1 2 4'],
    ['/teams', '1 2'],
  ] as const)
    it(`lists, counts and pages of ${path} contain only rows within the scope of the type`, async () => {
      const count = all.split(' ').length
      assert.equal(await found(path), all)
      assert.equal(await found(path, { 'page[size]': '0' }), all)
      assert.equal(await found(path, { sort: '-id' }), all.split(' ').reverse().join(' '))
      const page = await app.get(path, { 'page[size]': '1', 'page[number]': '2' })
      assert.deepEqual([ids(page), page.body.meta?.count], [[all.split(' ')[1]], count])
      assert.equal(await found(path, { filter: [{ name: 'id', op: 'ge', val: 0 }] }), all)
      assert.equal(
        await found(path, {
          filter: [
            {
              or: [
                { name: 'id', op: 'ge', val: 0 },
                { name: 'id', op: 'lt', val: 0 },
              ],
            },
          ],
        }),
        all,
      )
    })

  for (const [type, path, own] of [
    ['employee', '/employees/3', 'boss'],
    ['employee', '/employees/4', 'desks'],
    ['badge', '/badges/3', 'holder'],
    ['desk', '/desks/3', 'user'],
    ['team', '/teams/3', 'members'],
    ['team', '/teams/4', 'members'],
  ] as const)
    it(`${path}, a row outside the scope, is a 404 on every route`, async () => {
      const data = { type, id: '1', attributes: { name: 'x' } }
      for (const [method, rest, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { data: { type, id: '1' } }],
        ['DELETE', '', undefined],
        ['GET', `/${own}`, undefined],
        ['GET', `/relationships/${own}`, undefined],
        [
          'PATCH',
          `/relationships/${own}`,
          { data: own === 'desks' || own === 'members' ? [] : null },
        ],
        [
          'DELETE',
          `/relationships/${own}`,
          { data: own === 'desks' || own === 'members' ? [] : null },
        ],
        ...(own === 'desks' || own === 'members'
          ? [
              [
                'POST',
                `/${own}`,
                { data: { ...data, type: own === 'desks' ? 'desk' : 'employee' } },
              ] as const,
            ]
          : []),
      ] as const) {
        const response = await app.call(method, path + rest, { body })
        assert.deepEqual(
          [response.status, response.error.code],
          [404, 'not_found'],
          `${method} ${path}${rest} ${response.text}`,
        )
      }
      assert.equal(await found('/desks'), '1 2 4')
    })

  it('linkage, related collections and included resources never contain a row outside the scope', async () => {
    assert.equal(await linked('/employees/1/relationships/boss'), null)
    assert.equal(await linked('/employees/1/boss'), null)
    assert.deepEqual(await linked('/employees/1/relationships/staff'), id('employee', '2', '5'))
    assert.deepEqual(await linked('/employees/2/relationships/badge'), null)
    assert.deepEqual(await linked('/employees/1/relationships/desks'), id('desk', '1'))
    assert.deepEqual(await linked('/employees/1/relationships/teams'), id('team', '1'))
    assert.deepEqual(await linked('/teams/1/relationships/members'), id('employee', '1', '2'))
    assert.equal(await linked('/badges/2/holder'), null)
    assert.equal(await linked('/desks/2/relationships/user'), null)
    assert.equal(await found('/teams/1/members'), '1 2')
    const include = 'boss,staff.badge,desks.user,teams.members.desks,badge.holder.boss'
    for (const path of ['/employees', '/employees/1', '/teams/1/members']) {
      for (const query of [{ include }, { include, 'page[size]': '0' }]) {
        const response = await app.get(path, query)
        const returned = (response.body.included ?? []).map(({ type, id }) => `${type} ${id}`)
        const all = [
          'employee 1',
          'employee 2',
          'employee 5',
          'badge 1',
          'desk 1',
          'desk 4',
          'team 1',
          'team 2',
        ]
        assert.deepEqual(
          returned.filter((each) => !all.includes(each)),
          [],
        )
        assert.ok(returned.length > 3, response.text)
      }
    }
    for (const [path, relationship, one] of [
      ['/badges/2', 'holder', null],
      ['/desks/2', 'user', null],
      ['/employees/1', 'boss', null],
      ['/teams/1', 'members', id('employee', '1', '2')],
    ] as const) {
      const query = { include: relationship }
      const { relationships } = (await app.get(path, query)).one
      assert.deepEqual(relationships?.[relationship]?.data, one)
    }
  })

  for (const [path, filter, all] of [
    ['/employees', { name: 'boss', op: 'has' }, '2 5'],
    ['/employees', { name: 'boss', op: 'eq', val: null }, '1'],
    ['/employees', { name: 'boss__name', op: 'eq', val: 'Cyd' }, ''],
    ['/employees', { not: { name: 'boss__name', op: 'eq', val: 'Cyd' } }, '1 2 5'],
    ['/employees', { name: 'badge', op: 'has' }, '1'],
    ['/employees', { name: 'badge', op: 'has', val: { name: 'code', op: 'eq', val: 'b3' } }, ''],
    ['/employees', { name: 'desks__id', op: 'eq', val: 3 }, ''],
    ['/employees', { name: 'teams__name', op: 'in_', val: ['t3', 't4'] }, ''],
    ['/employees', { name: 'teams__members__name', op: 'eq', val: 'Cyd' }, ''],
    ['/teams', { name: 'members__id', op: 'in_', val: [3, 4] }, ''],
    ['/teams', { name: 'members', op: 'any', val: { name: 'name', op: 'eq', val: 'Dan' } }, ''],
    ['/badges', { name: 'holder', op: 'ne', val: null }, '1'],
    ['/desks', { name: 'user__boss', op: 'has' }, '4'],
  ] as const)
    it(`a filter through a relationship does not match rows outside the scope: ${path} ${JSON.stringify(filter)}`, async () => {
      assert.equal(await found(path, { filter: [filter] }), all, JSON.stringify(filter))
    })

  it('a sort through a relationship to a row outside the scope sorts it as null', async () => {
    assert.equal(await found('/employees', { sort: 'boss.name,-id' }), '5 2 1')
    assert.equal(await found('/employees', { sort: '-boss.name,id' }), '1 2 5')
    assert.equal(await found('/employees', { sort: 'badge.code,id' }), '1 2 5')
    assert.equal(await found('/desks', { sort: '-user.name,-id' }), '2 4 1')
    assert.equal(await found('/badges', { sort: 'holder.boss.name,holder.name,id' }), '1 2 4')
    assert.equal(await found('/desks', { sort: 'user.boss.name,id' }), '4 1 2')
  })

  it('a streamed list and its included resources contain no row outside the scope', async () => {
    await app.execute(`
      with recursive n (n) as (select 10 union all select n + 1 from n where n < 1300)
      insert into person (id, name, role, left_at, boss_id)
        select n, 'n' || n, 
          case when n % 3 = 0 then 'customer' else 'employee' end, case when n % 5 = 0 then '2001' end, n % 5 + 1 from n;
      insert into member select n, 1 + n % 4 from (select id as n from person where id >= 10) as p;
      insert into desk (id, name, floor_id, person_id) select id, 'd' || id, 1 + id % 2, id from person where id >= 10`)
    const isShown = (n: number) => n < 10 || (n % 3 !== 0 && n % 5 !== 0)
    const include = 'boss.staff,desks.user,teams.members'
    const response = await app.get('/employees', { include, 'page[size]': '0' })
    assert.equal(response.body.meta?.count, response.many.length)
    assert.ok(response.many.length > 600)
    assert.deepEqual(
      ids(response).filter((each) => !isShown(Number(each))),
      [],
    )
    const included = response.body.included ?? []
    const [desks, teams] = ['desk', 'team'].map((type) =>
      included.filter((each) => each.type === type).map((each) => Number(each.id)),
    )
    assert.deepEqual(teams, [1, 2])
    assert.deepEqual(
      desks?.filter((n) => n >= 10 && (n % 2 === 1 || !isShown(n))),
      [],
    )
    assert.ok(desks.length > 300)
    const members = await app.get('/teams/1/relationships/members', { include: 'members.boss' })
    assert.deepEqual(
      ids(members).filter((each) => !isShown(Number(each))),
      [],
    )

    for (const { relationships } of response.many) {
      const boss = [relationships?.boss?.data ?? []].flat()
      assert.deepEqual(
        boss.filter((each) => !['1', '2', '5'].includes(each.id)),
        [],
      )
    }
  })
})
