import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Resource } from '../service-suite.ts'
import { describeService, ids } from '../service-suite.ts'
import { assertErrors, assertStatus } from './assert-errors.ts'
import { enter, identifier, included } from './people.ts'

const missing = { type: 'computer', id: '999999' }
const nobody = { type: 'person', id: '999999' }
const computersOf = ({ id }: Resource) => `/persons/${id}/relationships/computers`
const ownerOf = ({ id }: Resource) => `/computers/${id}/relationships/owner`
const list = (...all: Resource[]) => ({ data: all.map(identifier) })

describeService('Reads of a relationship', (app) => {
  it('GET …/relationships/computers returns links, identifiers and jsonapi, and nothing else', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const response = await app.get(computersOf(ada))
    assertStatus(response, 200)
    assert.deepEqual(response.body, {
      links: { self: computersOf(ada), related: `/persons/${ada.id}/computers` },
      data: [identifier(eniac), identifier(zuse)],
      jsonapi: { version: '1.0' },
    })
  })

  it('GET …/relationships/owner returns links, one identifier or null, and jsonapi', async () => {
    const { ada, eniac, orphan } = await enter(app)
    assert.deepEqual((await app.get(ownerOf(eniac))).body, {
      links: { self: ownerOf(eniac), related: `/computers/${eniac.id}/owner` },
      data: identifier(ada),
      jsonapi: { version: '1.0' },
    })
    assert.equal((await app.get(ownerOf(orphan))).body.data, null)
  })

  it('return the complete linkage, without pages', async () => {
    const ada = await app.person()
    for (let each = 0; each < 33; each++) await app.computer({}, ada)
    assert.equal((await app.get(computersOf(ada))).many.length, 33)
  })

  it('accept include paths that begin with the name of the relationship', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const hers = [`computer ${eniac.id}`, `computer ${zuse.id}`]
    const one = await app.get(computersOf(ada), { include: 'computers' })
    assert.deepEqual(included(one), hers)
    assert.deepEqual(ids(one), [eniac.id, zuse.id])
    const two = await app.get(computersOf(ada), { include: 'computers.owner' })
    assert.deepEqual(included(two), [...hers, `person ${ada.id}`])
    const back = await app.get(ownerOf(eniac), { include: 'owner.computers' })
    assert.deepEqual(included(back), [...hers, `person ${ada.id}`])
    for (const [path, include] of [
      [computersOf(ada), 'owner'],
      [ownerOf(eniac), 'computers'],
    ] as const) {
      const response = await app.get(path, { include })
      assertErrors(response, 400, { status: 400, at: 'include', says: include })
    }
  })
})

describeService('Writes to …/relationships/computers', (app) => {
  const created = {
    jsonapi: { version: '1.0' },
    meta: { message: 'Relationship successfully created' },
  }
  const updated = {
    jsonapi: { version: '1.0' },
    meta: { message: 'Relationship successfully updated' },
  }
  const now = async (person: Resource) => ids(await app.get(computersOf(person)))

  it('POST adds the listed computers and keeps the others', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const response = await app.post(computersOf(ada), list(orphan))
    assertStatus(response, 200)
    assert.deepEqual(response.body, created)
    assert.deepEqual(await now(ada), [eniac.id, zuse.id, orphan.id])
  })

  it('given a computer of another owner, then POST changes its owner', async () => {
    const { ada, grace, mark } = await enter(app)
    await app.post(computersOf(ada), list(mark))
    assert.deepEqual(await now(grace), [])
    assert.ok((await now(ada)).includes(mark.id))
  })

  it('given a repeated POST or identifier, then the response is the same and nothing is added', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    for (const body of [list(orphan, orphan), list(orphan), list(eniac, orphan), list()]) {
      const response = await app.post(computersOf(ada), body)
      assertStatus(response, 200)
      assert.deepEqual(response.body, created)
      assert.deepEqual(await now(ada), [eniac.id, zuse.id, orphan.id])
    }
  })

  it('PATCH replaces the set, also by an empty one', async () => {
    const { ada, grace, zuse, mark, orphan } = await enter(app)
    for (const body of [list(zuse, mark, orphan), list(zuse, mark, orphan), list()]) {
      const response = await app.patch(computersOf(ada), body)
      assertStatus(response, 200)
      assert.deepEqual(response.body, updated)
      assert.deepEqual(
        await now(ada),
        body.data.map(({ id }) => id),
      )
    }
    assert.deepEqual(await now(grace), [])
  })

  it('DELETE unlinks the listed computers, and does not delete them', async () => {
    const { ada, eniac, zuse } = await enter(app)
    const response = await app.delete(computersOf(ada), list(eniac))
    assertStatus(response, 200)
    assert.deepEqual(response.body, updated)
    assert.deepEqual(await now(ada), [zuse.id])
    assertStatus(await app.get(`/computers/${eniac.id}`), 200)
  })

  it('DELETE ignores computers that are not linked, do not exist or have another owner, and an empty list', async () => {
    const { ada, grace, eniac, zuse, mark } = await enter(app)
    for (const body of [list(eniac), list(eniac), list(mark), { data: [missing] }, list()]) {
      const response = await app.delete(computersOf(ada), body)
      assertStatus(response, 200)
      assert.deepEqual(response.body, updated)
    }
    assert.deepEqual(await now(ada), [zuse.id])
    assert.deepEqual(await now(grace), [mark.id])
  })

  it('given an unknown computer, then POST and PATCH are 404 at its identifier, and nothing changes', async () => {
    const { ada, eniac, zuse, orphan } = await enter(app)
    const body = { data: [identifier(orphan), missing, { type: 'computer', id: '888888' }] }
    for (const method of ['POST', 'PATCH']) {
      assertErrors(
        await app.call(method, computersOf(ada), { body }),
        404,
        { status: 404, at: /^\/data\/1(\/id)?$/, says: ['computer', '999999'] },
        { status: 404, at: /^\/data\/2(\/id)?$/, says: ['computer', '888888'] },
      )
      assert.deepEqual(await now(ada), [eniac.id, zuse.id])
    }
  })

  it('given an id that no computer can have, then the response is that of an unknown computer', async () => {
    const { ada, eniac, zuse } = await enter(app)
    for (const id of ['abc', '', '01', '-1', '9223372036854775808', '1e3', ` ${eniac.id}`]) {
      const body = { data: [{ type: 'computer', id }] }
      assertStatus(await app.post(computersOf(ada), body), 404)
      assertStatus(await app.patch(computersOf(ada), body), 404)
      assertStatus(await app.delete(computersOf(ada), body), 200)
    }
    assert.deepEqual(await now(ada), [eniac.id, zuse.id])
  })

  it('given an identifier of another type, then the response is 409 at its type, and nothing changes', async () => {
    const { ada, alan, eniac, zuse } = await enter(app)
    for (const method of ['POST', 'PATCH']) {
      const response = await app.call(method, computersOf(ada), { body: list(eniac, alan) })
      assertErrors(response, 409, { status: 409, at: '/data/1/type', says: ['person', 'computer'] })
    }
    assert.deepEqual(await now(ada), [eniac.id, zuse.id])
  })
})

describeService('Writes to …/relationships/owner', (app) => {
  const now = async (computer: Resource) => (await app.get(ownerOf(computer))).body.data

  it('PATCH and POST set the owner, each with its message', async () => {
    const { alan, grace, eniac } = await enter(app)
    for (const [method, owner, message] of [
      ['PATCH', alan, 'Relationship successfully updated'],
      ['PATCH', alan, 'Relationship successfully updated'],
      ['POST', grace, 'Relationship successfully created'],
      ['POST', grace, 'Relationship successfully created'],
    ] as const) {
      const response = await app.call(method, ownerOf(eniac), { body: { data: identifier(owner) } })
      assertStatus(response, 200)
      assert.deepEqual(response.body, { jsonapi: { version: '1.0' }, meta: { message } })
      assert.deepEqual(await now(eniac), identifier(owner))
    }
  })

  it('given data null, then the computer has no owner', async () => {
    const { eniac, mark, orphan } = await enter(app)
    assertStatus(await app.patch(ownerOf(eniac), { data: null }), 200)
    assert.equal(await now(eniac), null)
    assertStatus(await app.post(ownerOf(mark), { data: null }), 200)
    assert.equal(await now(mark), null)
    assertStatus(await app.patch(ownerOf(orphan), { data: null }), 200)
  })

  it('DELETE removes the owner if data names it, and changes nothing otherwise', async () => {
    const { ada, alan, eniac } = await enter(app)
    const message = 'Relationship successfully updated'
    for (const [data, left] of [
      [identifier(alan), identifier(ada)],
      [nobody, identifier(ada)],
      [null, identifier(ada)],
      [identifier(ada), null],
      [identifier(ada), null],
    ]) {
      const response = await app.delete(ownerOf(eniac), { data })
      assertStatus(response, 200)
      assert.deepEqual(response.body, { jsonapi: { version: '1.0' }, meta: { message } })
      assert.deepEqual(await now(eniac), left)
    }
  })

  for (const method of ['POST', 'PATCH'])
    it(`given an unknown person, then ${method} is 404 at data, and nothing changes`, async () => {
      const { ada, eniac } = await enter(app)
      const response = await app.call(method, ownerOf(eniac), { body: { data: nobody } })
      assertErrors(response, 404, {
        status: 404,
        at: /^\/data(\/id)?$/,
        says: ['person', '999999'],
      })
      assert.deepEqual(await now(eniac), identifier(ada))
    })

  for (const method of ['POST', 'PATCH'])
    it(`given an identifier of another type, then ${method} is 409`, async () => {
      const { ada, eniac, zuse } = await enter(app)
      const response = await app.call(method, ownerOf(eniac), { body: { data: identifier(zuse) } })
      assertErrors(response, 409, { status: 409, at: '/data/type' })
      assert.deepEqual(await now(eniac), identifier(ada))
    })
})

describeService('Bodies of writes to relationships', (app) => {
  for (const method of ['POST', 'PATCH', 'DELETE'])
    it(`given invalid data of a relationship, then ${method} is 400 and nothing changes`, async () => {
      const { ada, eniac, zuse } = await enter(app)
      const one = identifier(eniac)
      for (const data of [
        undefined,
        null,
        one,
        'x',
        5,
        [5],
        [null],
        [[]],
        [{}],
        [{ type: 'computer' }],
      ]) {
        const response = await app.call(method, computersOf(ada), { body: { data } })
        assertErrors(response, 400, { status: 400, at: /^(\/data(\/0(\/id|\/type)?)?)?$/ })
      }
      for (const data of [
        undefined,
        [],
        [identifier(ada)],
        'x',
        5,
        {},
        { type: 'person' },
        { id: '1' },
      ]) {
        const response = await app.call(method, ownerOf(eniac), { body: { data } })
        const errors = response.body.errors?.length ?? 0
        assert.ok(
          response.status === 400 && errors > 0,
          `${JSON.stringify(data)}: ${response.text}`,
        )
      }
      assert.deepEqual(ids(await app.get(computersOf(ada))), [eniac.id, zuse.id])
      assert.deepEqual((await app.get(ownerOf(eniac))).body.data, identifier(ada))
    })

  it('given malformed identifiers, then each is an error with its pointer', async () => {
    const { ada } = await enter(app)
    const data = [{ type: 'computer' }, { id: '1' }, { type: 'computer', id: 1 }, 'x']
    assertErrors(
      await app.post(computersOf(ada), { data }),
      400,
      { status: 400, at: /^\/data\/0(\/id)?$/, says: 'id' },
      { status: 400, at: /^\/data\/1(\/type)?$/, says: 'type' },
      { status: 400, at: /^\/data\/2(\/id)?$/, says: 'id' },
      { status: 400, at: '/data/3' },
    )
  })
})
