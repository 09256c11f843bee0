import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ids } from '../../test-response.ts'
import { company } from '../company.ts'
import { engine } from '../engine.ts'

const id = (type: string, ...all: string[]) => all.map((each) => ({ type, id: each }))

engine('Types with a scope: writes', company, (app) => {
  const found = async (path: string) => ids(await app.get(path)).join(' ')
  /** The stored values of a column, by id. */
  const stored = async (type: string, name: string): Promise<Record<string, unknown>> => {
    const { many } = await app.get(`/${type}-rows`, { 'page[size]': '0' })
    return Object.fromEntries(many.map(({ id, attributes }) => [id, attributes?.[name]]))
  }
  /** The links that the join table holds, as `person team`. */
  const members = async () => {
    const { many } = await app.get('/member-rows', { 'page[size]': '0' })
    return many.map(({ attributes }) => `${attributes?.person_id} ${attributes?.team_id}`).sort()
  }

  for (const [method, path, body] of [
    ['PATCH', '/employees/2/relationships/boss', { data: id('employee', '3')[0] }],
    ['POST', '/employees/2/relationships/boss', { data: id('employee', '4')[0] }],
    ['PATCH', '/employees/5/relationships/badge', { data: id('badge', '3')[0] }],
    ['POST', '/employees/2/relationships/desks', { data: id('desk', '1', '3') }],
    ['PATCH', '/teams/1/relationships/members', { data: id('employee', '3') }],
    ['POST', '/employees/1/relationships/teams', { data: id('team', '3') }],
    [
      'POST',
      '/badges',
      { data: { type: 'badge', relationships: { holder: { data: id('employee', '3')[0] } } } },
    ],
    [
      'PATCH',
      '/employees/2',
      {
        data: { type: 'employee', id: '2', relationships: { teams: { data: id('team', '4') } } },
      },
    ],
  ] as const)
    it(`${method} ${path} with a link to a row outside the scope of its type is 404`, async () => {
      const response = await app.call(method, path, { body })
      assert.deepEqual(
        [response.status, response.error.code],
        [404, 'related_not_found'],
        response.text,
      )
      assert.equal(await found('/badges'), '1 2 4')
    })

  it('a create stores the insert defaults, so that the row is within the scope', async () => {
    const made = await app.post('/employees', {
      data: { type: 'employee', attributes: { name: 'Fay' } },
    })
    assert.equal(made.status, 201, made.text)
    assert.equal((await stored('person', 'role'))[made.one.id], 'employee')
    const badge = await app.post('/badges', {
      data: { type: 'badge', attributes: { code: 'b5' } },
    })
    assert.equal((await stored('badge', 'valid'))[badge.one.id], true)
    const desk = await app.post('/employees/1/desks', {
      data: { type: 'desk', attributes: { name: 'd5' } },
    })
    assert.deepEqual(ids(await app.get('/employees/1/desks')), ['1', desk.one.id])
    const team = await app.post('/employees/2/teams', { data: { type: 'team' } })
    assert.equal(team.status, 201, team.text)
    assert.deepEqual(ids(await app.get('/employees/2/teams')), ['1', '2', team.one.id])
  })

  for (const [method, path, body] of [
    [
      'PATCH',
      '/employees/2',
      { data: { type: 'employee', id: '2', attributes: { left_at: '2020', name: 'x' } } },
    ],
    ['POST', '/employees', { data: { type: 'employee', attributes: { left_at: '2020' } } }],
    [
      'PATCH',
      '/teams/1',
      {
        data: {
          type: 'team',
          id: '1',
          attributes: { size: 0 },
          relationships: { members: { data: [] } },
        },
      },
    ],
    ['PATCH', '/teams/1', { data: { type: 'team', id: '1', attributes: { size: null } } }],
    ['POST', '/employees/1/teams', { data: { type: 'team', attributes: { size: -1 } } }],
  ] as const)
    it(`given ${method} ${path} with ${JSON.stringify(body)}, which would move the resource out of the scope, then the response is 422, and nothing is changed`, async () => {
      const before = [await stored('person', 'left_at'), await members(), await found('/teams')]
      const response = await app.call(method, path, { body })
      assert.deepEqual(
        [response.status, response.error.code],
        [422, 'invalid_value'],
        response.text,
      )
      assert.equal(response.error.source?.pointer, '/data')
      assert.ok(
        !/role|left_at is|floor|> 0|where/.test(response.error.detail),
        response.error.detail,
      )
      assert.deepEqual(
        [await stored('person', 'left_at'), await members(), await found('/teams')],
        before,
      )
    })

  it('replacing members keeps links to rows outside the scope', async () => {
    const replace = (path: string, data: unknown) => app.patch(path, { data })
    for (const [path, data] of [
      ['/employees/1/relationships/staff', []],
      ['/employees/1/relationships/desks', id('desk', '4')],
      ['/employees/2/relationships/badge', null],
      ['/employees/1/relationships/teams', id('team', '2')],
      ['/teams/1/relationships/members', []],
    ] as const) {
      const response = await replace(path, data)
      assert.equal(response.status, 200, response.text)
    }
    assert.deepEqual(await stored('person', 'boss_id'), { 1: 3, 2: null, 3: null, 4: 1, 5: null })
    assert.deepEqual(await stored('desk', 'person_id'), { 1: null, 2: 3, 3: 1, 4: 1 })
    assert.deepEqual(await stored('badge', 'person_id'), { 1: 1, 2: 3, 3: 2, 4: null })
    assert.deepEqual(await members(), ['1 2', '1 3', '1 4', '2 2', '2 3', '3 1', '4 1'])
  })

  it('removing members by id keeps links to rows outside the scope', async () => {
    for (const [path, data] of [
      ['/employees/1/relationships/staff', id('employee', '4', '2')],
      ['/employees/1/relationships/boss', id('employee', '3')[0]],
      ['/employees/1/relationships/desks', id('desk', '3', '1')],
      ['/employees/2/relationships/badge', id('badge', '3')[0]],
      ['/badges/2/relationships/holder', id('employee', '3')[0]],
      ['/employees/1/relationships/teams', id('team', '3', '4', '1')],
      ['/teams/1/relationships/members', id('employee', '3', '4', '2')],
    ] as const) {
      const response = await app.delete(path, { data })
      assert.equal(response.status, 200, response.text)
    }
    assert.deepEqual(await stored('person', 'boss_id'), { 1: 3, 2: null, 3: null, 4: 1, 5: 1 })
    assert.deepEqual(await stored('desk', 'person_id'), { 1: null, 2: 3, 3: 1, 4: 2 })
    assert.deepEqual(await stored('badge', 'person_id'), { 1: 1, 2: 3, 3: 2, 4: null })
    assert.deepEqual(await members(), ['1 3', '1 4', '2 2', '2 3', '3 1', '4 1'])
  })

  it('a resource that is sent back as it was returned keeps a foreign key to a row outside the scope', async () => {
    const show = { 'fields[employee]': 'name,boss', 'fields[badge]': 'code,holder' }
    for (const path of ['/employees/1', '/badges/2']) {
      const { one } = await app.get(path, show)
      const response = await app.patch(path, { data: one })
      assert.equal(response.status, 200, response.text)
    }
    await app.patch('/employees/1/relationships/boss', { data: null })
    assert.equal((await stored('person', 'boss_id'))[1], 3)
    assert.equal((await stored('badge', 'person_id'))[2], 3)
    await app.patch('/employees/1/relationships/boss', { data: id('employee', '5')[0] })
    await app.patch('/badges/2/relationships/holder', { data: id('employee', '2')[0] })
    assert.equal((await stored('person', 'boss_id'))[1], 5)
    await app.patch('/employees/1/relationships/boss', { data: null })
    assert.equal((await stored('person', 'boss_id'))[1], null)
  })

  it('a deletion deletes no row outside the scope', async () => {
    assert.equal((await app.delete('/desks/3')).status, 404)
    assert.equal((await app.delete('/badges/3')).status, 404)
    assert.equal((await app.delete('/desks/2')).status, 200)
    assert.deepEqual(Object.keys(await stored('desk', 'name')), ['1', '3', '4'])
    assert.deepEqual(Object.keys(await stored('badge', 'code')), ['1', '2', '3', '4'])
  })

  it('a link that would move a member out of the scope of its type is a 422, and nothing is changed', async () => {
    for (const [method, path, data] of [
      ['PATCH', '/employees/1/relationships/seats', id('seat', '1', '5')],
      ['PATCH', '/employees/2/relationships/seats', []],
      ['DELETE', '/employees/2/relationships/seats', id('seat', '4')],
    ] as const) {
      const response = await app.call(method, path, { body: { data } })
      const isThere = method !== 'PATCH' || data.length === 0
      const expected = isThere ? [422, 'invalid_value'] : [404, 'related_not_found']
      assert.deepEqual([response.status, response.error.code], expected, response.text)
      assert.equal(response.error.source?.pointer, isThere ? '/data' : '/data/1')
    }
    assert.deepEqual(await stored('desk', 'person_id'), { 1: 1, 2: 3, 3: 1, 4: 2 })
    const data = id('seat', '1', '3', '4')
    assert.equal((await app.patch('/employees/1/relationships/seats', { data })).status, 200)
    const update = { type: 'employee', id: '1', relationships: { seats: { data: data.slice(1) } } }
    const rejected = await app.patch('/employees/1', { data: update })
    assert.equal(rejected.error.source?.pointer, '/data/relationships/seats')
    assert.equal(rejected.status, 422)
    assert.deepEqual(await stored('desk', 'person_id'), { 1: 1, 2: 3, 3: 1, 4: 1 })
  })
})
