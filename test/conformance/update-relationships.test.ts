import assert from 'node:assert/strict'
import type { Identifier, Resource, TestResponse, TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import {
  assertError,
  assertErrorWithin,
  computersOf,
  createSamples,
  identifier,
  missingComputer,
  missingId,
  missingPerson,
  ownerOf,
} from './samples.ts'

const created = {
  jsonapi: { version: '1.0' },
  meta: { message: 'Relationship successfully created' },
}
const updated = {
  jsonapi: { version: '1.0' },
  meta: { message: 'Relationship successfully updated' },
}

/** Asserts a successful response with only a message. */
function assertSuccess(response: TestResponse, body: unknown): void {
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(response.body, body)
}

describeService('Updating relationships', (app: TestService) => {
  /** Writes the computers of a person at the relationship URL. */
  function writeComputers(
    method: string,
    { id }: Identifier,
    data: unknown,
  ): Promise<TestResponse> {
    return app.call(method, `/persons/${id}/relationships/computers`, { body: { data } })
  }

  /** Writes the owner of a computer at the relationship URL. */
  function writeOwner(method: string, { id }: Identifier, data: unknown): Promise<TestResponse> {
    return app.call(method, `/computers/${id}/relationships/owner`, { body: { data } })
  }

  /** Asserts that a person has exactly these computers, in the order of their ids. */
  async function assertComputers(person: Identifier, ...expected: Resource[]): Promise<void> {
    assert.deepEqual(await computersOf(app, person), expected.map(identifier))
  }

  rule('RUP-1', 'PATCH sets the owner of a computer', async () => {
    const { ada, grace, engine, compiler } = await createSamples(app)
    assertSuccess(await writeOwner('PATCH', engine, identifier(grace)), updated)
    assert.deepEqual(await ownerOf(app, engine), identifier(grace))
    await assertComputers(grace, engine, compiler)
    await assertComputers(ada)
  })

  rule('RUP-2', 'null clears the owner', async () => {
    const { engine } = await createSamples(app)
    assertSuccess(await writeOwner('PATCH', engine, null), updated)
    assert.equal(await ownerOf(app, engine), null)
  })

  for (const data of [[], [{ type: 'person', id: '2' }], undefined, {}, 'x', 3, { type: 'person' }])
    rule('RUP-2', `given the owner ${JSON.stringify(data)}, a write gets 400`, async () => {
      const { ada, engine } = await createSamples(app)
      for (const method of ['PATCH', 'POST', 'DELETE'])
        assertError(await writeOwner(method, engine, data), 400)
      assert.deepEqual(await ownerOf(app, engine), identifier(ada))
    })

  rule('RUP-3', 'given the current value, PATCH gets 200', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assertSuccess(await writeOwner('PATCH', engine, identifier(ada)), updated)
    assertSuccess(await writeOwner('PATCH', orphan, null), updated)
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
  })

  rule('RUP-4', 'PATCH, POST and DELETE write the computers of a person', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assertSuccess(await writeComputers('POST', ada, [identifier(orphan)]), created)
    await assertComputers(ada, engine, orphan)
    assertSuccess(await writeComputers('DELETE', ada, [identifier(engine)]), updated)
    await assertComputers(ada, orphan)
    assertSuccess(await writeComputers('PATCH', ada, [identifier(engine)]), updated)
    await assertComputers(ada, engine)
  })

  const orphan = { type: 'computer', id: '3' }
  for (const data of [orphan, null, undefined, {}, 'x', 3, [[orphan]]])
    rule('RUP-5', `given the computers ${JSON.stringify(data)}, a write gets 400`, async () => {
      const { ada, engine } = await createSamples(app)
      for (const method of ['PATCH', 'POST', 'DELETE'])
        assertError(await writeComputers(method, ada, data), 400)
      await assertComputers(ada, engine)
    })

  rule('RUP-5', 'given no body, a relationship write gets 400', async () => {
    const { ada, engine } = await createSamples(app)
    for (const method of ['PATCH', 'POST', 'DELETE'])
      assertError(await app.call(method, `/persons/${ada.id}/relationships/computers`), 400)
    await assertComputers(ada, engine)
  })

  rule(
    'RUP-5',
    'given an empty array, POST and DELETE change nothing, and PATCH removes all members',
    async () => {
      const { ada, engine } = await createSamples(app)
      assertSuccess(await writeComputers('POST', ada, []), created)
      assertSuccess(await writeComputers('DELETE', ada, []), updated)
      await assertComputers(ada, engine)
      assertSuccess(await writeComputers('PATCH', ada, []), updated)
      await assertComputers(ada)
    },
  )

  rule('RUP-6', 'PATCH replaces the members, also by computers of other owners', async () => {
    const { ada, grace, engine, compiler, orphan } = await createSamples(app)
    const members = [compiler, orphan].map(identifier)
    assertSuccess(await writeComputers('PATCH', ada, members), updated)
    await assertComputers(ada, compiler, orphan)
    await assertComputers(grace)
    assert.equal(await ownerOf(app, engine), null)
  })

  rule('RUP-6', 'given a missing member, PATCH gets 404 and changes nothing', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const response = await writeComputers('PATCH', ada, [identifier(orphan), missingComputer])
    const { detail } = assertErrorWithin(response, 404, '/data/1')
    assert.match(detail, new RegExp(missingId))
    await assertComputers(ada, engine)
    assert.equal(await ownerOf(app, orphan), null)
    assertErrorWithin(await writeOwner('PATCH', engine, missingPerson), 404, '/data')
    await assertComputers(ada, engine)
  })

  rule('RUP-7', 'POST adds members, also computers of other owners', async () => {
    const { ada, grace, engine, compiler, orphan } = await createSamples(app)
    assertSuccess(await writeComputers('POST', ada, [orphan, compiler].map(identifier)), created)
    await assertComputers(ada, engine, compiler, orphan)
    assert.deepEqual(await ownerOf(app, orphan), identifier(ada))
    await assertComputers(grace)
  })

  rule('RUP-8', 'given a member twice, the relationship has it once', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assertSuccess(await writeComputers('POST', ada, [orphan, orphan].map(identifier)), created)
    await assertComputers(ada, engine, orphan)
    assertSuccess(await writeComputers('POST', ada, [identifier(orphan)]), created)
    await assertComputers(ada, engine, orphan)
    assertSuccess(await writeComputers('PATCH', ada, [orphan, orphan].map(identifier)), updated)
    await assertComputers(ada, orphan)
  })

  rule('RUP-9', 'given current members, POST gets 200', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assertSuccess(await writeComputers('POST', ada, [identifier(engine)]), created)
    await assertComputers(ada, engine)
    assertSuccess(await writeComputers('POST', ada, [engine, orphan].map(identifier)), created)
    await assertComputers(ada, engine, orphan)
  })

  rule('RUP-10', 'DELETE removes the members and deletes no resource', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    await writeComputers('POST', ada, [identifier(orphan)])
    assertSuccess(await writeComputers('DELETE', ada, [identifier(orphan)]), updated)
    await assertComputers(ada, engine)
    assert.equal((await app.get(`/computers/${orphan.id}`)).status, 200)
    assert.equal(await ownerOf(app, orphan), null)
  })

  rule(
    'RUP-11',
    'given other members than the current ones, DELETE gets 200 and changes nothing',
    async () => {
      const { ada, grace, engine, compiler, orphan } = await createSamples(app)
      for (const members of [
        [orphan],
        [compiler],
        [missingComputer],
        [orphan, compiler, missingComputer],
      ]) {
        assertSuccess(await writeComputers('DELETE', ada, members.map(identifier)), updated)
      }
      await assertComputers(ada, engine)
      await assertComputers(grace, compiler)
      assertSuccess(
        await writeComputers('DELETE', ada, [missingComputer, identifier(engine)]),
        updated,
      )
      await assertComputers(ada)
      assertSuccess(await writeComputers('DELETE', ada, [identifier(engine)]), updated)
    },
  )

  rule(
    'RUP-12',
    'a relationship write is complete when the server responds, so it is never 202',
    async () => {
      const { ada, grace, engine, orphan } = await createSamples(app)
      assert.equal((await writeComputers('POST', ada, [identifier(orphan)])).status, 200)
      await assertComputers(ada, engine, orphan)
      assert.equal((await writeOwner('PATCH', engine, identifier(grace))).status, 200)
      await assertComputers(ada, orphan)
    },
  )

  rule('RUP-13', 'the response has a message, so it is never 204', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    assertSuccess(await writeComputers('PATCH', ada, [identifier(orphan)]), updated)
    await assertComputers(ada, orphan)
    assertSuccess(await writeOwner('PATCH', engine, identifier(ada)), updated)
  })

  rule(['RUP-14', 'RUP-15'], 'a relationship write changes no other relationship', async () => {
    const { ada, grace, rosa, engine, compiler, orphan } = await createSamples(app)
    assert.equal((await writeComputers('POST', ada, [identifier(orphan)])).status, 200)
    await assertComputers(ada, engine, orphan)
    assert.equal((await writeComputers('PATCH', ada, [orphan, engine].map(identifier))).status, 200)
    await assertComputers(ada, engine, orphan)
    assert.equal((await writeComputers('DELETE', ada, [identifier(engine)])).status, 200)
    await assertComputers(ada, orphan)
    await assertComputers(grace, compiler)
    await assertComputers(rosa)
    assert.equal(await ownerOf(app, engine), null)
  })

  rule(
    'RUP-16',
    'the message of POST is "created", that of PATCH and DELETE "updated"',
    async () => {
      const { ada, grace, engine, orphan } = await createSamples(app)
      const members = [identifier(orphan)]
      assertSuccess(await writeComputers('POST', ada, members), created)
      assertSuccess(await writeComputers('DELETE', ada, members), updated)
      assertSuccess(await writeComputers('PATCH', ada, members), updated)
      assertSuccess(await writeOwner('POST', engine, identifier(grace)), created)
      assertSuccess(await writeOwner('PATCH', engine, identifier(ada)), updated)
      assertSuccess(await writeOwner('DELETE', engine, identifier(ada)), updated)
    },
  )

  rule('RUP-17', 'given include, the response to a relationship write has no linkage', async () => {
    const { ada, orphan } = await createSamples(app)
    const path = `/persons/${ada.id}/relationships/computers`
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const body = { data: [identifier(orphan)] }
      const response = await app.call(method, path, { body, query: { include: 'computers' } })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(Object.keys(response.body).sort(), ['jsonapi', 'meta'])
    }
  })

  rule(
    'RUP-18',
    'a to-one relationship supports POST and DELETE, so no write gets 403',
    async () => {
      const { ada, grace, engine, orphan } = await createSamples(app)
      assertSuccess(await writeOwner('POST', orphan, identifier(grace)), created)
      assert.deepEqual(await ownerOf(app, orphan), identifier(grace))
      assertSuccess(await writeOwner('POST', orphan, null), created)
      assert.equal(await ownerOf(app, orphan), null)
      assertErrorWithin(await writeOwner('POST', orphan, missingPerson), 404, '/data')
      for (const other of [identifier(grace), missingPerson, null]) {
        assertSuccess(await writeOwner('DELETE', engine, other), updated)
        assert.deepEqual(await ownerOf(app, engine), identifier(ada))
      }
      assertSuccess(await writeOwner('DELETE', engine, identifier(ada)), updated)
      assert.equal(await ownerOf(app, engine), null)
    },
  )
})
