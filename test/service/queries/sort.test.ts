import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestService } from '../../service-suite.ts'
import { describeService, ids } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { count, enter, found } from '../people.ts'

const sorted = (app: TestService, path: string, sort: string) => found(app, path, { sort })

describeService('Sorts', (app) => {
  it('are ascending, and descending for names with - in front', async () => {
    await enter(app)
    assert.deepEqual(await sorted(app, '/persons', 'name'), ['100%_\\', 'Ada', 'Alan', 'Grace'])
    assert.deepEqual(await sorted(app, '/persons', '-name'), ['Grace', 'Alan', 'Ada', '100%_\\'])
    assert.deepEqual(await sorted(app, '/computers', '-serial'), [
      'Zuse_Z3',
      'Orphan',
      'Mark',
      'ENIAC',
    ])
  })

  it('have null as the largest value: last if ascending, first if descending', async () => {
    await enter(app)
    const ascending = ['Ada', 'Grace', 'Alan', '100%_\\']
    assert.deepEqual(await sorted(app, '/persons', 'birth_date'), ascending)
    assert.deepEqual(await sorted(app, '/persons', '-birth_date'), ascending.toReversed())
  })

  it('given several names, then later ones order equal values of earlier ones', async () => {
    await enter(app)
    assert.deepEqual(await sorted(app, '/persons', 'gender,-name'), [
      'Grace',
      'Ada',
      'Alan',
      '100%_\\',
    ])
    assert.deepEqual(await sorted(app, '/persons', '-gender,name'), [
      '100%_\\',
      'Alan',
      'Ada',
      'Grace',
    ])
    assert.deepEqual(await sorted(app, '/persons', 'gender,birth_date'), [
      'Ada',
      'Grace',
      'Alan',
      '100%_\\',
    ])
  })

  it('order ids as numbers', async () => {
    const created: string[] = []
    for (let each = 0; each < 11; each++) created.push((await app.person()).id)
    assert.deepEqual(ids(await app.get('/persons', { sort: 'id' })), created)
    assert.deepEqual(ids(await app.get('/persons', { sort: '-id' })), created.toReversed())
  })

  it('given a path through a to-one relationship, then a missing owner counts as null', async () => {
    await enter(app)
    assert.deepEqual(await sorted(app, '/computers', 'owner.name,serial'), [
      'ENIAC',
      'Zuse_Z3',
      'Mark',
      'Orphan',
    ])
    assert.deepEqual(await sorted(app, '/computers', '-owner.name,-serial'), [
      'Orphan',
      'Mark',
      'Zuse_Z3',
      'ENIAC',
    ])
    assert.deepEqual(await sorted(app, '/computers', '-owner.birth_date,serial'), [
      'Orphan',
      'Mark',
      'ENIAC',
      'Zuse_Z3',
    ])
    assert.deepEqual(await sorted(app, '/computers', '-owner.id,-id'), [
      'Orphan',
      'Mark',
      'Zuse_Z3',
      'ENIAC',
    ])
  })

  it('order text by code point', async () => {
    const names = ['', '0', 'A', 'Z', '_', 'a', 'aa', 'é', 'ÿ', 'Ā', '日', '\uFFFD', '\u{1F600}']
    for (const name of names.toReversed()) await app.person({ name })
    const response = await app.get('/persons', { sort: 'name' })
    assert.deepEqual(
      response.many.map(({ attributes }) => attributes?.name),
      names,
    )
  })

  it('order equal values, and lists without sort, by id', async () => {
    const all: string[] = []
    for (let each = 0; each < 12; each++) all.push((await app.person({ gender: 'x' })).id)
    assert.deepEqual(ids(await app.get('/persons')), all)
    assert.deepEqual(ids(await app.get('/persons', { sort: 'name' })), all)
    assert.deepEqual(ids(await app.get('/persons', { sort: 'gender,name,birth_date' })), all)
  })

  for (const sort of ['gender', '-gender', '-name', 'gender,-birth_date'])
    it(`order all resources, so that pages do not overlap: ${sort}`, async () => {
      for (let each = 0; each < 13; each++) await app.person({ gender: each % 2 ? 'x' : null })
      const complete = ids(await app.get('/persons', { sort, 'page[size]': '0' }))
      const pieces: string[] = []
      for (let page = 1; page <= 5; page++) {
        const query = { sort, 'page[size]': '3', 'page[number]': String(page) }
        pieces.push(...ids(await app.get('/persons', query)))
      }
      assert.deepEqual(pieces, complete, sort)
      assert.equal(new Set(complete).size, 13)
    })

  it('order related collections', async () => {
    const { ada } = await enter(app)
    assert.deepEqual(await sorted(app, `/persons/${ada.id}/computers`, '-serial'), [
      'Zuse_Z3',
      'ENIAC',
    ])
    assert.deepEqual(await sorted(app, `/persons/${ada.id}/computers`, 'owner.name,-id'), [
      'Zuse_Z3',
      'ENIAC',
    ])
  })

  for (const sort of ['owner.name', '-owner.birth_date', 'serial', 'owner.name,-owner.id,serial'])
    it(`accept many names, also the same name through a relationship: ${sort}`, async () => {
      await enter(app)
      const many = Array.from({ length: 100 }, () => sort).join(',')
      const response = await app.get('/computers', { sort: many })
      if (response.status === 200)
        assert.deepEqual(response.many, (await app.get('/computers', { sort })).many)
      else assertErrors(response, 400, { status: 400, at: 'sort' })
    })

  for (const [path, valid] of [
    ['/persons/1', '-name'],
    ['/computers/1/owner', 'birth_date'],
    ['/computers/1', 'owner.name'],
  ] as const)
    it(`given the route of one resource ${path}, then a valid sort has no effect`, async () => {
      await enter(app)

      const plain = await app.get(path)
      const response = await app.get(path, { sort: valid })
      assert.deepEqual(response.one, plain.one)
      assertErrors(await app.get(path, { sort: 'quux' }), 400, { status: 400, at: 'sort' })
    })
})

/** Invalid sorts, the path of the request, and texts of the detail of the error. */
// biome-ignore format: a table, one sort a row
const rejected: readonly (readonly [path: string, sort: string, says: readonly string[]])[] = [
  ['/persons',   'quux',              ['quux', 'name', 'birth_date', 'gender']],
  ['/persons',   'nam',               ['nam', 'did you mean "name"?']],
  ['/persons',   'Name',              ['Name', 'did you mean "name"?']],
  ['/persons',   'birthdate',         ['did you mean "birth_date"?']],
  ['/persons',   'password',          ['password']],
  ['/persons',   'display_name',      ['display_name']],
  ['/persons',   '-display_name',     ['display_name']],
  ['/persons',   'computers',         ['computers']],
  ['/persons',   'computers.serial',  ['computers']],
  ['/persons',   'name.first',        ['name']],
  ['/persons',   'name,quux',         ['quux']],
  ['/persons',   'name,,id',          []],
  ['/persons',   ',name',             []],
  ['/persons',   'name,',             []],
  ['/persons',   '-',                 []],
  ['/persons',   '--name',            ['-name']],
  ['/persons',   '+ name',            []],
  ['/persons',   'name ',             ['name ']],
  ['/persons',   'name desc',         ['name desc']],
  ['/persons',   '__proto__',         ['__proto__']],
  ['/persons',   'constructor',       ['constructor']],
  ['/computers', 'owner',             ['owner']],
  ['/computers', 'owner.quux',        ['quux', 'name']],
  ['/computers', 'owner.password',    ['password']],
  ['/computers', 'owner.display_name', ['display_name']],
  ['/computers', 'owner.computers',   ['computers']],
  ['/computers', 'owner.computers.serial', ['computers']],
  ['/computers', 'owner.',            []],
  ['/computers', '.owner',            []],
  ['/computers', 'owner..name',       []],
  ['/computers', 'owner__name',       ['owner__name']],
  ['/computers', 'person_id',         ['person_id']],
]

describeService('Errors of sorts', (app) => {
  for (const [path, sort, says] of rejected)
    it(`given sort=${sort} of ${path}, then the response is 400 at sort with the valid names`, async () => {
      assertErrors(await app.get(path, { sort }), 400, { status: 400, at: 'sort', says })
    })

  it('report every invalid name', async () => {
    assertErrors(
      await app.get('/persons', { sort: 'quux,name,-display_name' }),
      400,
      { status: 400, at: 'sort', says: 'quux' },
      { status: 400, at: 'sort', says: 'display_name' },
    )
  })

  for (const [path, hidden, unknown] of [
    ['/persons', 'password', 'pazzword'],
    ['/computers', 'person_id', 'persom_id'],
    ['/computers', 'owner.password', 'owner.pazzword'],
  ] as const)
    it(`given the hidden name ${hidden}, then the error is that of an unknown one`, async () => {
      const one = await app.get(path, { sort: hidden })
      const other = await app.get(path, { sort: unknown })
      assert.equal(
        one.text.replaceAll(hidden.replace('owner.', ''), 'it'),
        other.text.replaceAll(unknown.replace('owner.', ''), 'it'),
      )
    })

  it('given a repeated sort, then it is rejected', async () => {
    const response = await app.call('GET', '/persons', { query: 'sort=name&sort=id' })
    assertErrors(response, 400, { status: 400, at: 'sort' })
  })

  it('given a write with an invalid sort, then nothing is written', async () => {
    const body = { data: { type: 'person', attributes: { name: 'Ada' } } }
    assertStatus(await app.post('/persons', body, { sort: 'quux' }), 400)
    assert.equal(await count(app, '/persons'), 0)
  })
})
