import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService, ids } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { enter, found, labels } from '../people.ts'

const everyone = ['Ada', 'Alan', 'Grace', '100%_\\']

/** The first names (or serials) that a JSON filter finds. */
const finds = (app: TestService, path: string, filter: unknown) => found(app, path, { filter })

const named = (val: string) => ({ name: 'name', op: 'eq', val })
const serial = (op: string, val: unknown) => ({ name: 'serial', op, val })

describeService('Filters in JSON', (app) => {
  it('combine several filter objects with AND', async () => {
    await enter(app)
    const filter = [
      { name: 'name', op: 'startswith', val: 'A' },
      { name: 'birth_date', op: 'ge', val: '1900-01-01' },
    ]
    assert.deepEqual(await finds(app, '/persons', filter), ['Alan'])
    assert.deepEqual(await finds(app, '/persons', [...filter, named('Ada Lovelace')]), [])
  })

  it('given an empty list, then all resources are returned', async () => {
    await enter(app)
    assert.deepEqual(await finds(app, '/persons', []), everyone)
  })

  const [ada, alan, grace] = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper'].map(named)

  for (const [filter, expected] of [
    [[{ or: [ada, alan] }], ['Ada', 'Alan']],
    [[{ or: [ada] }], ['Ada']],
    [[{ and: [ada, alan] }], []],
    [[{ and: [ada] }], ['Ada']],
    [[{ not: ada }], ['Alan', 'Grace', '100%_\\']],
    [[{ not: { not: ada } }], ['Ada']],
    [[{ not: { or: [ada, alan] } }], ['Grace', '100%_\\']],
    [
      [{ or: [{ and: [ada, { not: alan }] }, { and: [grace, { or: [alan, grace] }] }] }],
      ['Ada', 'Grace'],
    ],
    [
      [{ not: ada }, { not: alan }],
      ['Grace', '100%_\\'],
    ],
    [[{ or: [ada, { or: [alan, { or: [grace] }] }] }], ['Ada', 'Alan', 'Grace']],
  ] as const)
    it(`or, and and not combine filters at any depth: ${JSON.stringify(filter)}`, async () => {
      await enter(app)
      assert.deepEqual(await finds(app, '/persons', filter), expected, JSON.stringify(filter))
    })

  it('given null, then neither a comparison nor its negation matches', async () => {
    await enter(app)
    const male = { name: 'gender', op: 'eq', val: 'male' }
    assert.deepEqual(await finds(app, '/persons', [{ not: male }]), ['Ada', 'Grace'])
    assert.deepEqual(await finds(app, '/persons', [{ not: { not: male } }]), ['Alan'])
    const either = { or: [male, { name: 'name', op: 'like', val: '100' }] }
    assert.deepEqual(await finds(app, '/persons', [either]), ['Alan', '100%_\\'])
    assert.deepEqual(await finds(app, '/persons', [{ not: either }]), ['Ada', 'Grace'])
  })

  it('given 100 nested levels, then the filter is accepted', async () => {
    await enter(app)
    let filter: unknown = named('Ada Lovelace')
    // The comparison itself is the hundredth level; an even number of nots cancels out.
    for (let depth = 0; depth < 98; depth++) filter = { not: filter }
    filter = { and: [filter] }
    assert.deepEqual(await finds(app, '/persons', [filter]), ['Ada'])
  })
})

describeService('Filters that compare with a field', (app) => {
  for (const [op, expected] of [
    ['eq', ['same']],
    ['ne', ['b', 'a']],
    ['is_', ['same']],
    ['isnot', ['b', 'a', 'null']],
    ['gt', ['b']],
    ['ge', ['same', 'b']],
    ['lt', ['a']],
    ['le', ['same', 'a']],
  ] as const)
    it(`${op} compares an attribute with the value of another attribute`, async () => {
      await app.person({ name: 'same', gender: 'same' })
      await app.person({ name: 'b', gender: 'a' })
      await app.person({ name: 'a', gender: 'b' })
      await app.person({ name: 'null' })
      assert.deepEqual(
        await finds(app, '/persons', [{ name: 'name', op, field: 'gender' }]),
        expected,
        op,
      )
    })

  for (const [op, expected] of [
    ['like', ['abc', '%']],
    ['notlike', ['ABC', 'a']],
    ['ilike', ['abc', 'ABC', 'a', '%']],
    ['notilike', []],
    ['startswith', ['%']],
    ['endswith', ['%']],
    ['match', ['a', '%']],
  ] as const)
    it(`${op} compares texts with another attribute, whose wildcards apply`, async () => {
      await app.person({ name: 'abc', gender: 'b' })
      await app.person({ name: 'ABC', gender: 'a%' })
      await app.person({ name: 'a b', gender: 'B' })
      await app.person({ name: '%', gender: '%' })

      assert.deepEqual(
        await finds(app, '/persons', [{ name: 'name', op, field: 'gender' }]),
        expected,
        op,
      )
    })

  it('compare text with an e-mail address, and an id with an id', async () => {
    await app.person({ name: 'a@example.org', email: 'a@example.org' })
    await app.person({ name: 'b', email: 'a@example.org' })
    const same = [{ name: 'email', op: 'eq', field: 'name' }]
    assert.deepEqual(await finds(app, '/persons', same), ['a@example.org'])
    const self = [{ name: 'id', op: 'eq', field: 'id' }]
    assert.deepEqual(await finds(app, '/persons', self), ['a@example.org', 'b'])
    const born = [{ name: 'birth_date', op: 'eq', field: 'birth_date' }]
    assert.deepEqual(await finds(app, '/persons', born), [])
  })

  it('given a nested filter, then it compares with a field of the related resource', async () => {
    const ada = await app.person({ name: 'x', gender: 'x' })
    await app.computer({ serial: 'hers' }, ada)
    await app.computer({ serial: 'his' }, await app.person({ name: 'x', gender: 'y' }))
    const val = { name: 'name', op: 'eq', field: 'gender' }
    assert.deepEqual(await finds(app, '/computers', [{ name: 'owner', op: 'has', val }]), ['hers'])
    const short = [{ name: 'owner__name', op: 'eq', field: 'gender' }]
    assert.deepEqual(await finds(app, '/computers', short), ['hers'])
  })
})

describeService('Filters in the short form', (app) => {
  for (const [query, expected] of [
    ['filter[name]=Ada Lovelace', ['Ada']],
    ['filter[gender]=female', ['Ada', 'Grace']],
    ['filter[gender]=', []],
    ['filter[gender]=null', []],
    ['filter[birth_date]=1912-06-23', ['Alan']],
    ['filter[email]=ada@example.org', ['Ada']],
    ['filter[id]=2', ['Alan']],
    ['filter[name]=100%25_%5C', ['100%_\\']],
    ['filter[computers__serial]=Zuse_Z3', ['Ada']],
    ['filter[computers__owner__gender]=female', ['Ada', 'Grace']],
    ['filter[id]=9223372036854775807', []],
  ] as const)
    it(`${query} compares that field by eq`, async () => {
      await enter(app)
      assert.deepEqual(await found(app, '/persons', query.replaceAll(' ', '%20')), expected, query)
    })

  for (const name of ['a,b', 'a', '%', '"a"', '[1]', 'null', ' a '])
    it(`have no special characters in values: ${name}`, async () => {
      for (const other of ['a,b', 'a', 'b', '%', '"a"', '[1]', 'null', ' a '])
        await app.person({ name: other })

      const response = await app.get('/persons', { 'filter[name]': name })
      assert.deepEqual(
        response.many.map(({ attributes }) => attributes?.name),
        [name],
      )
    })

  it('given several, also of the same name, then all must match', async () => {
    await enter(app)
    const query = 'filter[gender]=female&filter[birth_date]=1906-12-09'
    assert.deepEqual(await found(app, '/persons', query), ['Grace'])
    assert.deepEqual(await found(app, '/persons', 'filter[gender]=female&filter[gender]=male'), [])
    assert.deepEqual(await found(app, '/persons', 'filter[gender]=male&filter[gender]=male'), [
      'Alan',
    ])
    const serials = 'filter[computers__serial]=ENIAC&filter[computers__serial]=Zuse_Z3'
    assert.deepEqual(await found(app, '/persons', serials), ['Ada'])
  })

  it('given filters in JSON too, then all must match', async () => {
    await enter(app)
    const filter = encodeURIComponent(JSON.stringify([{ name: 'name', op: 'like', val: 'a' }]))
    const all = `filter[gender]=female&filter=${filter}&filter[computers__serial]=Mark%20I`
    assert.deepEqual(await found(app, '/persons', all), ['Grace'])
    assert.deepEqual(await found(app, '/persons', `filter=${filter}&filter[gender]=male`), ['Alan'])
  })
})

describeService('Filters of every collection', (app) => {
  it('restrict a related collection and its count', async () => {
    const { ada } = await enter(app)
    const response = await app.get(`/persons/${ada.id}/computers`, {
      filter: [serial('startswith', 'Z')],
    })
    assert.deepEqual(labels(response), ['Zuse_Z3'])
    assert.deepEqual(response.body.meta, { count: 1 })
  })

  it('combine with sort, page, include and fields', async () => {
    const { ada } = await enter(app)
    const response = await app.get('/persons', {
      filter: [{ name: 'computers', op: 'any' }],
      sort: '-name',
      'page[size]': '1',
      'page[number]': '2',
      include: 'computers',
      'fields[person]': 'name,computers',
    })
    assertStatus(response, 200)
    assert.deepEqual(ids(response), [ada.id])
    assert.equal(response.body.meta?.count, 2)
    assert.equal(response.body.included?.length, 2)
  })

  it('do not restrict included resources', async () => {
    await enter(app)
    const query = { 'filter[computers__serial]': 'ENIAC', include: 'computers' }
    assert.equal((await app.get('/persons', query)).body.included?.length, 2)
  })
})

/** Filters as people type them, and the equal filter in JSON. */
// biome-ignore format: a table, one form a row
const typed: readonly (readonly [typed: string, json: string])[] = [
  ['filter[birth_date][gt]=1900-01-01',     '[{"name":"birth_date","op":"gt","val":"1900-01-01"}]'],
  ['filter%5Bname%5D%5Blike%5D=A%25a',      '[{"name":"name","op":"like","val":"A%a"}]'],
  ['filter[name][startswith]=A&filter[name][startswith]=Al', '[{"name":"name","op":"startswith","val":"Al"}]'],
  ['filter[id]=1,3',                        '[{"name":"id","op":"in_","val":["1","3"]}]'],
  ['filter[id][]=1&sort=id&filter[id][]=3', '[{"name":"id","op":"in_","val":["1","3"]}]'],
  ['filter[id][in_]=1,3',                   '[{"name":"id","op":"in_","val":["1","3"]}]'],
  ['filter[id][notin_][]=1&filter[id][notin_][]=3', '[{"name":"id","op":"notin_","val":["1","3"]}]'],
  ['filter[id]=1,3&filter[id][]=3',         '[{"name":"id","op":"eq","val":"3"}]'],
  ['filter[name][]=Ada Lovelace&filter[name][]=a,b', '[{"name":"name","op":"in_","val":["Ada Lovelace","a,b"]}]'],
  ['filter[name]=Ada Lovelace,Alan Turing', '[{"name":"name","op":"eq","val":"Ada Lovelace,Alan Turing"}]'],
  ['filter[birth_date][between]=1900-01-01,1910-12-31', '[{"name":"birth_date","op":"between","val":["1900-01-01","1910-12-31"]}]'],
  ['filter[computers.serial][ne]=x',        '[{"name":"computers__serial","op":"ne","val":"x"}]'],
  ['filter[computers.id]=1,2',              '[{"name":"computers__id","op":"in_","val":["1","2"]}]'],
  ['filter[computers][count_ge]=1',         '[{"name":"computers","op":"count_ge","val":1}]'],
  ['filter[computers][isnot]=null',         '[{"name":"computers","op":"isnot","val":null}]'],
  ['filter[gender][is_]=null',              '[{"name":"gender","op":"is_","val":null}]'],
  ['filter[gender][eq]=null',               '[{"name":"gender","op":"eq","val":"null"}]'],
]

describeService('Filters as people type them', (app) => {
  for (const [query, json] of typed)
    it(`equal a filter in JSON: ${query}`, async () => {
      await enter(app)
      const encoded = query.replaceAll(' ', '%20')
      const response = await app.call('GET', '/persons', { query: encoded })
      assertStatus(response, 200)
      assert.deepEqual(labels(response), await finds(app, '/persons', JSON.parse(json)))
      const count = response.body.meta?.count
      assert.ok(typeof count === 'number')
      // The links repeat what was sent.
      const self = new URL(String(response.body.links?.self)).searchParams
      assert.deepEqual([...self], [...new URLSearchParams(encoded)])
    })

  for (const [query, form] of [
    ['page[limit]=5', 'page[size]=5'],
    ['per_page=5', 'page[size]=5'],
    ['page=2', 'page[number]=2'],
    ['include[]=computers', 'include=computers'],
    ['sort[]=-name', 'sort=-name'],
    ['order_by=name', 'sort=name'],
    ['q=Ada', 'filter=[{"name":"<field>","op":"match","val":"Ada"}]'],
    ['filter[computers][owner][name]=Ada', 'filter[computers.owner.name]=Ada'],
    ['filter[computers][owner][name][like]=Ada', 'filter[computers.owner.name][like]=Ada'],
    ['filter[id][in_][0]=1', 'filter[id][in_][]=1'],
  ] as const)
    it(`given the form of another server, then the error has the form to send: ${query}`, async () => {
      const response = await app.call('GET', '/persons', { query })
      assertErrors(response, 400, {
        status: 400,
        at: query.slice(0, query.indexOf('=')),
        says: [`send ${form} instead`],
      })
    })
})
