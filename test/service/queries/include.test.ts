import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeService, ids } from '../../service-suite.ts'
import { assertErrors, assertStatus } from '../assert-errors.ts'
import { count, enter, identifier, included, linked, linkedIds } from '../people.ts'

describeService('Included resources of a request', (app) => {
  /** The computers of Ada, and Ada. */
  const hers = ['computer 1', 'computer 2']
  const she = 'person 1'

  for (const [path, include, expected] of [
    ['/persons', 'computers', [...hers, 'computer 3']],
    ['/persons/1', 'computers', hers],
    ['/persons/1/computers', 'owner', [she]],
    ['/persons/1/computers', 'owner.computers', [she]],
    ['/persons/1/relationships/computers', 'computers', hers],
    ['/persons/1/relationships/computers', 'computers.owner', [...hers, she]],
    ['/computers', 'owner', [she, 'person 3']],
    ['/computers', 'owner.computers.owner', [she, 'person 3']],
    ['/computers/1', 'owner', [she]],
    ['/computers/1', 'owner.computers', ['computer 2', she]],
    ['/computers/1/owner', 'computers', hers],
    ['/computers/1/owner', 'computers.owner.computers', hers],
    ['/computers/1/relationships/owner', 'owner', [she]],
    ['/computers/1/relationships/owner', 'owner.computers', [...hers, she]],
    ['/computers/4', 'owner.computers', []],
  ] as const)
    it(`are in the response of every route that reads: ${path}?include=${include}`, async () => {
      await enter(app)
      const response = await app.get(path, { include })
      assertStatus(response, 200)
      assert.deepEqual(included(response), expected.toSorted(), `${path} ${include}`)
    })

  it('are in the responses to POST and PATCH', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const person = { type: 'person', attributes: { name: 'Eve' } }
    const computers = { data: [identifier(orphan)] }
    const owner = { data: identifier(ada) }
    const created = await app.post(
      '/persons',
      { data: { ...person, relationships: { computers } } },
      { include: 'computers' },
    )
    assertStatus(created, 201)
    assert.deepEqual(included(created), [`computer ${orphan.id}`])
    const computer = { type: 'computer', attributes: { serial: 'new' } }
    const machine = await app.post(
      '/computers',
      { data: { ...computer, relationships: { owner } } },
      { include: 'owner.computers' },
    )
    assertStatus(machine, 201)
    assert.deepEqual(included(machine), [
      `computer ${eniac.id}`,
      `computer ${zuse.id}`,
      `person ${ada.id}`,
    ])
    const nested = await app.post(
      `/persons/${ada.id}/computers`,
      { data: computer },
      { include: 'owner' },
    )
    assertStatus(nested, 201)
    assert.deepEqual(included(nested), [`person ${ada.id}`])
    const body = {
      data: { ...identifier(ada), relationships: { computers: { data: [identifier(eniac)] } } },
    }
    const patched = await app.patch(`/persons/${ada.id}`, body, { include: 'computers.owner' })
    assertStatus(patched, 200)
    assert.deepEqual(included(patched), [`computer ${eniac.id}`])
    assert.deepEqual(linkedIds(patched.one, 'computers'), [eniac.id])
    const moved = await app.patch(
      `/computers/${zuse.id}`,
      { data: { ...identifier(zuse), relationships: { owner } } },
      { include: 'owner' },
    )
    assertStatus(moved, 200)
    assert.deepEqual(included(moved), [`person ${ada.id}`])
  })

  it('given include paths that repeat or contain each other, in any order, then the document is that of the longest path', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const path = `/persons/${ada.id}`
    const complete = await app.get(path, { include: 'computers.owner' })
    for (const include of [
      'computers,computers.owner',
      'computers.owner,computers',
      'computers.owner,computers.owner',
      'computers,computers,computers.owner',
    ]) {
      const { body } = await app.get(path, { include })
      assert.deepEqual([body.data, body.included], [complete.body.data, complete.body.included])
    }
    assert.deepEqual(included(complete), [`computer ${eniac.id}`, `computer ${zuse.id}`])
  })

  it('are those of every relationship of a path', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const response = await app.get(`/computers/${eniac.id}`, { include: 'owner.computers' })
    assert.deepEqual(included(response), [`computer ${zuse.id}`, `person ${ada.id}`])
    assert.ok(!included(response).includes(`computer ${orphan.id}`))
  })

  it('are only those that were requested', async () => {
    const { ada, grace, mark } = await enter(app)
    const response = await app.get(`/persons/${grace.id}`, { include: 'computers' })
    assert.deepEqual(included(response), [`computer ${mark.id}`])
    assert.ok(!response.text.includes(`/persons/${ada.id}"`))
  })

  it('are equal to the resource at their own URL', async () => {
    const { ada, eniac } = await enter(app)
    const response = await app.get(`/computers/${eniac.id}`, { include: 'owner' })
    assert.deepEqual(response.body.included, [ada])
  })

  it('are related to the resources of the page, not of the collection', async () => {
    const { ada } = await enter(app)
    const response = await app.get('/computers', { include: 'owner', 'page[size]': '2' })
    assert.deepEqual(included(response), [`person ${ada.id}`])
  })

  it('given an empty include, then there are none', async () => {
    const { ada } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`, { include: '' })
    assert.deepEqual(response.one, ada)
    assert.deepEqual(response.body.included, [])
  })

  it('given a long include path, then all of its relationships are followed', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const include = Array.from({ length: 6 }, () => 'computers.owner').join('.')
    const response = await app.get(`/persons/${ada.id}`, { include })
    assert.deepEqual(included(response), [`computer ${eniac.id}`, `computer ${zuse.id}`])
  })
})

describeService('Included resources and fieldsets', (app) => {
  it('given a relationship that the fieldset of its type does not list, then it is not included', async () => {
    const { ada } = await enter(app)
    const response = await app.get(`/persons/${ada.id}`, {
      include: 'computers',
      'fields[person]': 'name',
    })
    assert.deepEqual(response.body.included, [])
    assert.equal(response.one.relationships, undefined)
  })

  it('given a relationship that the fieldset of its type lists, then it is included', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const query = { include: 'computers', 'fields[person]': 'name,computers' }
    const response = await app.get(`/persons/${ada.id}`, query)
    assert.deepEqual(included(response), [`computer ${eniac.id}`, `computer ${zuse.id}`])
    assert.deepEqual(linkedIds(response.one, 'computers'), [eniac.id, zuse.id])
  })

  it('given an include path, then it ends before the first relationship that its fieldset does not list', async () => {
    const { ada, eniac } = await enter(app)
    const path = `/computers/${eniac.id}`
    const include = 'owner.computers'
    const ends = await app.get(path, { include, 'fields[person]': 'name' })
    assert.deepEqual(included(ends), [`person ${ada.id}`])
    const [she] = ends.body.included ?? []
    assert.deepEqual([she?.attributes, she?.relationships], [{ name: 'Ada Lovelace' }, undefined])
    const never = await app.get(path, { include, 'fields[computer]': 'serial' })
    assert.deepEqual(never.body.included, [])
    const other = await app.get(path, {
      include,
      'fields[computer]': 'owner',
      'fields[person]': '',
    })
    assert.deepEqual(included(other), [`person ${ada.id}`])
    assert.deepEqual(linked(other.one, 'owner'), identifier(ada))
  })

  it('given POST and PATCH, then fieldsets apply to their include paths', async () => {
    const { ada } = await enter(app)
    const query = { include: 'computers', 'fields[person]': 'name' }
    const patched = await app.patch(`/persons/${ada.id}`, { data: identifier(ada) }, query)
    assert.deepEqual(patched.body.included, [])
  })

  it('given an unknown path and a fieldset, then the path is 400', async () => {
    await enter(app)
    const response = await app.get('/persons', {
      include: 'computers.quux',
      'fields[person]': 'name',
    })
    assertErrors(response, 400, { status: 400, at: 'include', says: 'quux' })
  })
})

/** Invalid include paths, the path of the request, and texts of the detail of the error. */
// biome-ignore format: a table, one include a row
const rejected: readonly (readonly [path: string, include: string, says: readonly string[]])[] = [
  ['/persons',   'quux',                ['quux', 'computers']],
  ['/persons',   'computer',            ['computer', 'did you mean "computers"?']],
  ['/persons',   'Computers',           ['did you mean "computers"?']],
  ['/persons',   'owner',               ['owner', 'computers']],
  ['/persons',   'name',                ['name']],
  ['/persons',   'display_name',        ['display_name']],
  ['/persons',   'password',            ['password']],
  ['/persons',   'computers.quux',      ['quux', 'owner']],
  ['/persons',   'computers.ownr',      ['did you mean "owner"?']],
  ['/persons',   'computers.serial',    ['serial']],
  ['/persons',   'computers.owner.quux', ['quux']],
  ['/persons',   'computers.',          []],
  ['/persons',   '.computers',          []],
  ['/persons',   'computers..owner',    []],
  ['/persons',   'computers,',          []],
  ['/persons',   ',computers',          []],
  ['/persons',   ',',                   []],
  ['/persons',   'computers, computers', []],
  ['/persons',   '*',                   ['*']],
  ['/persons',   '__proto__',           ['__proto__']],
  ['/persons',   'constructor',         ['constructor']],
  ['/computers', 'person',              ['person', 'owner']],
]

describeService('Errors of include', (app) => {
  for (const [path, include, says] of rejected)
    it(`rejects include=${include} of ${path} with 400 at include, and lists the valid names`, async () => {
      const response = await app.get(path, { include })
      assertStatus(response, 400)
      const [error, ...others] = response.body.errors ?? []
      assert.ok(
        error && others.every(({ source }) => source?.parameter === 'include'),
        response.text,
      )
      assert.equal(error.source?.parameter, 'include')
      for (const word of says) assert.ok(error.detail.includes(word), `${word}: ${response.text}`)
    })

  it('reports every invalid path', async () => {
    assertErrors(
      await app.get('/persons', { include: 'quux,computers,computers.zot' }),
      400,
      { status: 400, at: 'include', says: 'quux' },
      { status: 400, at: 'include', says: 'zot' },
    )
  })

  for (const [query, at] of [
    ['include=computers&include=computers', 'include'],
    ['include[]=computers', 'include[]'],
    ['include[person]=computers', 'include[person]'],
    ['Include=computers', 'Include'],
  ] as const)
    it(`rejects a repeated include, and other spellings of it: ${query}`, async () => {
      const response = await app.call('GET', '/persons', { query })
      assertErrors(response, 400, { status: 400, at })
    })

  it('given a write with an invalid include, then nothing is written', async () => {
    const { ada, orphan } = await enter(app)
    const query = { include: 'quux' }
    const expectedError = { status: 400, at: 'include', says: 'quux' }
    const person = { type: 'person', attributes: { name: 'Eve' } }
    const path = `/persons/${ada.id}`
    const list = { data: [identifier(orphan)] }
    assertErrors(await app.post('/persons', { data: person }, query), 400, expectedError)
    assertErrors(
      await app.patch(path, { data: { ...person, id: ada.id } }, query),
      400,
      expectedError,
    )
    assertErrors(await app.delete(path, undefined, query), 400, expectedError)
    assertErrors(await app.post(`${path}/relationships/computers`, list, query), 400, expectedError)
    assert.equal(await count(app, '/persons'), 4)
    assert.equal((await app.get(path)).one.attributes?.name, 'Ada Lovelace')
    assert.equal(ids(await app.get(`${path}/computers`)).length, 2)
  })
})
