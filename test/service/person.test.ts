import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { count } from './people.ts'

const person = (attributes: Record<string, unknown>) => ({ data: { type: 'person', attributes } })

// biome-ignore format: a table, one person a row
const displayNames: readonly (readonly [name: string, email: string | null | undefined, shown: string])[] = [
  ['Ada',    'ada@example.org', 'ADA <ada@example.org>'],
  ['Ada',    'Ada@Example.org', 'ADA <Ada@Example.org>'],
  ['Straße', 's@example.org',   'STRASSE <s@example.org>'],
  ['ﬁnn',    'f@example.org',   'FINN <f@example.org>'],
  ['çelik',  undefined,         'ÇELIK'],
  ['𐐨ŉ',     null,              '𐐀ʼN'],
  ['İi',     null,              'İI'],
  ['',       'x@example.org',   ' <x@example.org>'],
  ['',       null,              ''],
]

describeService('Persons', (app) => {
  it('have name, birth_date, gender, display_name and links to the computers', async () => {
    const ada = await app.person({
      name: 'Ada',
      email: 'ada@example.org',
      birth_date: '1815-12-10',
      gender: 'female',
    })
    assert.equal(ada.type, 'person')
    assert.match(ada.id, /^[1-9]\d*$/)
    assert.deepEqual(ada.attributes, {
      name: 'Ada',
      birth_date: '1815-12-10',
      gender: 'female',
      display_name: 'ADA <ada@example.org>',
    })
    assert.deepEqual(ada.relationships, {
      computers: {
        links: {
          self: `/persons/${ada.id}/relationships/computers`,
          related: `/persons/${ada.id}/computers`,
        },
      },
    })
    assert.deepEqual((await app.get(`/persons/${ada.id}`)).one, ada)
  })

  for (const [name, email, shown] of displayNames)
    it(`have a display_name of the name in Unicode upper case and the e-mail address, if there is one: ${shown}`, async () => {
      const attributes = email === undefined ? { name } : { name, email }
      const created = await app.person(attributes)
      assert.equal(created.attributes?.display_name, shown)
      const read = await app.get(`/persons/${created.id}`)
      assert.equal(read.one.attributes?.display_name, shown)
    })

  it('given a new name or e-mail address, then display_name changes', async () => {
    const { id } = await app.person({ name: 'Ada', email: 'ada@example.org' })
    const change = async (attributes: Record<string, unknown>) => {
      const response = await app.patch(`/persons/${id}`, {
        data: { type: 'person', id, attributes },
      })
      assertStatus(response, 200)
      return response.one.attributes?.display_name
    }
    assert.equal(await change({ name: 'Augusta' }), 'AUGUSTA <ada@example.org>')
    assert.equal(await change({ email: 'augusta@example.org' }), 'AUGUSTA <augusta@example.org>')
    assert.equal(await change({ email: null }), 'AUGUSTA')
  })

  it('accept email in writes and do not return it', async () => {
    const { id } = await app.person({ email: 'ada@example.org' })
    const machine = await app.computer({}, { type: 'person', id })
    const attributes = { email: 'lovelace@example.org' }
    const answers = [
      await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } }),
      await app.get(`/persons/${id}`),
      await app.get('/persons'),
      await app.get(`/computers/${machine.id}/owner`),
      await app.get('/computers', { include: 'owner' }),
      await app.get('/persons', { 'fields[person]': 'name,email' }),
    ]
    for (const response of answers) {
      assertStatus(response, 200)
      assert.ok(!response.text.includes('"email"'), response.text)
    }
    assert.equal(answers[1]?.one.attributes?.display_name, 'ADA <lovelace@example.org>')
  })

  it('have null for optional attributes without a value, and accept null for them', async () => {
    const bare = await app.person({ name: 'Ada' })
    const unset = { name: 'Ada', birth_date: null, gender: null, display_name: 'ADA' }
    assert.deepEqual(bare.attributes, unset)
    const nulls = await app.person({ name: 'Ada', email: null, birth_date: null, gender: null })
    assert.deepEqual(nulls.attributes, unset)
    const { id } = await app.person({
      name: 'Ada',
      email: 'ada@example.org',
      birth_date: '1815-12-10',
      gender: 'female',
    })
    const attributes = { email: null, birth_date: null, gender: null }
    const response = await app.patch(`/persons/${id}`, { data: { type: 'person', id, attributes } })
    assert.deepEqual(response.one.attributes, unset)
  })

  it('may have an empty name', async () => {
    assert.equal((await app.person({ name: '' })).attributes?.name, '')
  })

  it('given a missing or null name, then the write is rejected', async () => {
    const missing = /^\/data(\/attributes(\/name)?)?$/
    assertErrors(await app.post('/persons', person({})), 422, {
      status: 422,
      at: missing,
      says: 'name',
    })
    assertErrors(await app.post('/persons', { data: { type: 'person' } }), 422, {
      status: 422,
      at: missing,
      says: 'name',
    })
    const atName = { status: 422, at: '/data/attributes/name', says: 'name' }
    assertErrors(await app.post('/persons', person({ name: null })), 422, atName)
    assert.equal(await count(app, '/persons'), 0)
    const { id } = await app.person()
    const body = { data: { type: 'person', id, attributes: { name: null } } }
    assertErrors(await app.patch(`/persons/${id}`, body), 422, atName)
  })

  it('keep attributes that a PATCH does not send', async () => {
    const { id, attributes } = await app.person({ email: 'a@example.org', gender: 'female' })
    const nothing = await app.patch(`/persons/${id}`, { data: { type: 'person', id } })
    assertStatus(nothing, 200)
    assert.deepEqual(nothing.one.attributes, attributes)
  })

  for (const name of [
    ' x ',
    '\t\n',
    '"\\/',
    '<&>',
    'e\u0301 é',
    '\u{1f600}',
    '\u2028',
    'null',
    '5',
  ])
    it(`keep any text exactly: ${JSON.stringify(name)}`, async () => {
      const { id } = await app.person({ name })
      assert.equal((await app.get(`/persons/${id}`)).one.attributes?.name, name)
    })
})

// biome-ignore format: two lists
const dates = {
  real: ['2000-02-29', '1996-02-29', '1815-12-10', '0001-01-01', '9999-12-31', '2001-04-30'],
  not: [
    '1999-02-29', '1900-02-29', '2000-13-01', '2000-00-10', '2000-01-00', '2000-01-32', '2000-04-31', '1990-13-40',
    '2000-1-1', '00-01-01', '20000101', '2000/01/01', '01-01-2000', '+002000-01-01', '2000-01-01T00:00:00Z',
    ' 2000-01-01', '2000-01-01 ', '2000-01-01\n', '٢٠٠٠-٠١-٠١', '', 'today', 20000101, 0, true, [], {}, ['2000-01-01'],
  ],
} as const

// biome-ignore format: a table, one attribute a row
const wrongKinds: readonly (readonly [attribute: string, values: readonly unknown[]])[] = [
  ['name',       [5, true, [], {}, ['Ada'], 'a\u0000b', '\ud800', '\udc00x']],
  ['gender',     [5, false, [], {}, 'a\u0000b', '\ud800']],
  ['email',      ['x', 'x@', '@example.org', 'a b@example.org', 'a@b@c', 'a@exam ple.org', 'a@example.org\n', '', 5, true, [], {}, 'a\u0000@b.c']],
  ['birth_date', dates.not],
]

describeService('Values of persons', (app) => {
  for (const birth_date of dates.real)
    it(`given ${birth_date}, a date of the calendar, then it is accepted`, async () => {
      assert.equal((await app.person({ birth_date })).attributes?.birth_date, birth_date)
    })

  for (const [attribute, values] of wrongKinds)
    it(`given any other value of ${attribute}, then the response is 422 and nothing is stored`, async () => {
      const { id, attributes: before } = await app.person({ name: 'Ada' })
      for (const value of values) {
        const expectedError = { status: 422, at: `/data/attributes/${attribute}`, says: attribute }
        const attributes = { name: 'Eve', [attribute]: value }
        assertErrors(await app.post('/persons', person(attributes)), 422, expectedError)
        const body = { data: { type: 'person', id, attributes } }
        assertErrors(await app.patch(`/persons/${id}`, body), 422, expectedError)
      }
      assert.equal(await count(app, '/persons'), 1)
      assert.deepEqual((await app.get(`/persons/${id}`)).one.attributes, before)
    })

  for (const email of ['a@b.co', 'a+b@sub.example.org', "o'neil@example.org", 'x_y.z@a-b.org'])
    it(`given the e-mail address ${email}, then it is accepted`, async () => {
      const shown = (await app.person({ name: 'n', email })).attributes?.display_name
      assert.equal(shown, `N <${email}>`)
    })
})
