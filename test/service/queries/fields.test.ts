import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Resource } from '../../service-suite.ts'
import { describeService } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { count, enter, identifier, linkedIds } from '../people.ts'
import { statementsOf } from '../statements.ts'

/** The names of the attributes and relationships of a resource. */
function shown({ attributes, relationships }: Resource): string {
  return [...Object.keys(attributes ?? {}).sort(), ...Object.keys(relationships ?? {})].join(' ')
}

/** Fieldsets of a person, and the returned fields. */
// biome-ignore format: a table, one fieldset a row
const fieldsets: readonly (readonly [fields: string, shows: string])[] = [
  ['name',                        'name'],
  ['name,gender',                 'gender name'],
  ['gender,name',                 'gender name'],
  ['name,name',                   'name'],
  ['display_name',                'display_name'],
  ['birth_date,computers',        'birth_date computers'],
  ['computers',                   'computers'],
  ['email',                       ''],
  ['email,name',                  'name'],
  ['',                            ''],
  ['name,birth_date,gender,display_name,computers', 'birth_date display_name gender name computers'],
]

describeService('Fieldsets', (app) => {
  for (const [fields, shows] of fieldsets)
    it(`return the listed fields and no others: ${fields}`, async () => {
      const { ada, eniac } = await enter(app)
      const query = { 'fields[person]': fields }
      const answers = [
        await app.get(`/persons/${ada.id}`, query),
        await app.get(`/computers/${eniac.id}/owner`, query),
        await app.patch(`/persons/${ada.id}`, { data: identifier(ada) }, query),
      ]
      for (const response of answers) {
        assertStatus(response, 200)
        assert.equal(shown(response.one), shows, `${fields}: ${response.text}`)
        const { type, id, links } = response.one
        assert.deepEqual({ type, id, links }, { ...identifier(ada), links: ada.links })
      }
      const all = await app.get('/persons', query)
      assert.ok(
        all.many.every((person) => shown(person) === shows),
        all.text,
      )
    })

  it('without relationships return no relationship links', async () => {
    await enter(app)
    const response = await app.get('/persons', { 'fields[person]': 'name,gender' })
    assert.ok(response.many.every(({ relationships }) => relationships === undefined))
    assert.ok(!response.text.includes('relationships'))
  })

  it('return the linkage of a listed relationship', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`, { 'fields[person]': 'computers' })
    assert.deepEqual(linkedIds(response.one, 'computers'), [eniac.id, zuse.id])
  })

  it('apply to primary and included resources of their type, and to no other type', async () => {
    const { ada, eniac } = await enter(app)
    const one = await app.get('/computers', { include: 'owner', 'fields[person]': 'gender' })
    assert.ok(
      one.body.included?.every((person) => shown(person) === 'gender'),
      one.text,
    )
    assert.ok(one.many.every((computer) => shown(computer) === 'serial owner'))
    const both = {
      'fields[person]': 'name,computers',
      'fields[computer]': '',
      include: 'computers',
    }
    const two = await app.get(`/persons/${ada.id}`, both)
    assert.equal(shown(two.one), 'name computers')
    assert.ok(two.body.included?.every((computer) => shown(computer) === ''))
    const none = await app.get(`/computers/${eniac.id}`, { 'fields[person]': 'name' })
    assert.deepEqual(none.one, eniac)
  })

  it('apply to the response of a create, which stores all attributes', async () => {
    const attributes = { name: 'Ada', gender: 'female' }
    const query = { 'fields[person]': 'name' }
    const response = await app.post('/persons', { data: { type: 'person', attributes } }, query)
    assertStatus(response, 201)
    assert.equal(shown(response.one), 'name')
    assert.equal((await app.get(`/persons/${response.one.id}`)).one.attributes?.gender, 'female')
  })

  it('do not affect filters and sorts by other fields', async () => {
    await enter(app)
    const response = await app.get('/persons', {
      'fields[person]': 'name',
      'filter[gender]': 'female',
      sort: '-birth_date',
    })
    assert.deepEqual(
      response.many.map(({ attributes }) => attributes),
      [{ name: 'Grace Hopper' }, { name: 'Ada Lovelace' }],
    )
  })
})

describeService('The SQL of fieldsets', (app) => {
  const sqlOf = async (path: string, query: Record<string, string>) =>
    (await statementsOf(() => app.get(path, query))).join('\n')

  it('selects only the requested columns', async () => {
    const { eniac } = await enter(app)
    for (const [fields, selected] of [
      ['gender', ['gender']],
      ['birth_date', ['birth_date']],
      ['name', ['name']],
      ['display_name', ['name', 'email']],
      ['email', []],
      ['', []],
    ] as const) {
      // The version of one resource depends on all of its columns.
      for (const path of ['/persons', `/computers/${eniac.id}/owner`]) {
        const sql = await sqlOf(path, { 'fields[person]': fields })
        const named = ['name', 'email', 'birth_date', 'gender', 'password'].filter((column) =>
          new RegExp(`\\b${column}\\b`).test(sql),
        )
        assert.deepEqual(named, selected, sql)
      }
    }
  })

  it('reads no relationship that is not returned', async () => {
    await enter(app)
    const query = { 'fields[person]': 'name', include: 'computers.owner' }
    assert.doesNotMatch(await sqlOf('/persons', query), /\bcomputer\b/)
    assert.doesNotMatch(await sqlOf('/computers', { 'fields[computer]': 'serial' }), /\bperson/)
  })

  it('never selects the stored password', async () => {
    await enter(app)
    assert.doesNotMatch(
      await sqlOf('/persons', { include: 'computers.owner' }),
      /password|select \*/i,
    )
  })
})

/** Invalid fieldsets, the parameter in the error, and texts of its detail. */
// biome-ignore format: a table, one query a row
const rejected: readonly (readonly [query: string, parameter: string, says: readonly string[]])[] = [
  ['fields[person]=quux',             'fields[person]',   ['quux', 'name', 'birth_date', 'computers']],
  ['fields[person]=nam',              'fields[person]',   ['did you mean "name"?']],
  ['fields[person]=Name',             'fields[person]',   ['Name']],
  ['fields[person]=name,quux',        'fields[person]',   ['quux']],
  ['fields[person]=password',         'fields[person]',   ['password']],
  ['fields[person]=serial',           'fields[person]',   ['serial']],
  ['fields[person]=computers.serial', 'fields[person]',   ['computers.serial']],
  ['fields[person]=name,,gender',     'fields[person]',   []],
  ['fields[person]=name,',            'fields[person]',   []],
  ['fields[person]=,',                'fields[person]',   []],
  ['fields[person]=name gender',      'fields[person]',   ['name gender']],
  ['fields[person]=*',                'fields[person]',   ['*']],
  ['fields[person]=__proto__',        'fields[person]',   ['__proto__']],
  ['fields[computer]=person_id',      'fields[computer]', ['person_id']],
  ['fields[quux]=name',               'fields[quux]',     ['quux', 'person', 'computer']],
  ['fields[persons]=name',            'fields[persons]',  ['did you mean "person"?']],
  ['fields[Person]=name',             'fields[Person]',   ['Person']],
  ['fields[__proto__]=name',          'fields[__proto__]', []],
  ['fields[constructor]=name',        'fields[constructor]', []],
  ['fields[]=name',                   'fields[]',         []],
  ['fields=name',                     'fields',           []],
  ['fields[person][x]=name',          'fields[person][x]', []],
  ['fields[person]=name&fields[person]=gender', 'fields[person]', []],
]

describeService('Errors of fieldsets', (app) => {
  for (const [query, at, says] of rejected)
    it(`rejects ${query} with 400 at its parameter, and lists the valid names`, async () => {
      await app.person()
      const response = await app.call('GET', '/persons', { query: query.replaceAll(' ', '%20') })
      assertStatus(response, 400)
      const errors = response.body.errors ?? []
      assert.ok(
        errors.every(({ source }) => source?.parameter === at),
        `${query}: ${response.text}`,
      )
      for (const word of says)
        assert.ok(response.error.detail.includes(word), `${word}: ${response.text}`)
    })

  it('report every invalid name', async () => {
    assertErrors(
      await app.call('GET', '/persons', { query: 'fields[person]=quux,name,zot&fields[blob]=x' }),
      400,
      { status: 400, at: 'fields[person]', says: 'quux' },
      { status: 400, at: 'fields[person]', says: 'zot' },
      { status: 400, at: 'fields[blob]', says: 'blob' },
    )
  })

  it('reject a hidden name with the error of an unknown one', async () => {
    const said = async (type: string, name: string) =>
      (await app.get('/persons', { [`fields[${type}]`]: name })).text.replaceAll(name, 'it')
    assert.equal(await said('person', 'password'), await said('person', 'pazzword'))
    assert.equal(await said('computer', 'person_id'), await said('computer', 'persom_id'))
  })

  it('given a write with invalid fields, then nothing is written', async () => {
    const body = { data: { type: 'person', attributes: { name: 'Ada' } } }
    assertStatus(await app.post('/persons', body, { 'fields[person]': 'quux' }), 400)
    assert.equal(await count(app, '/persons'), 0)
  })
})
