import assert from 'node:assert/strict'
import type { Answer, Identifier, Resource, World } from '../world.ts'
import { chapter, rule } from '../world.ts'
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

/** Asserts a success that tells a message and nothing else. */
function succeeded(response: Answer, body: unknown): void {
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(response.body, body)
}

chapter('RUP Updating relationships', (app: World) => {
  /** Writes the computers of a person at their relationship route. */
  function computers(method: string, { id }: Identifier, data: unknown): Promise<Answer> {
    return app.call(method, `/persons/${id}/relationships/computers`, { body: { data } })
  }

  /** Writes the owner of a computer at its relationship route. */
  function owner(method: string, { id }: Identifier, data: unknown): Promise<Answer> {
    return app.call(method, `/computers/${id}/relationships/owner`, { body: { data } })
  }

  /** Asserts that a person's computers are exactly these, told in the order of their ids. */
  async function owns(person: Identifier, ...hers: Resource[]): Promise<void> {
    assert.deepEqual(await computersOf(app, person), hers.map(identifier))
  }

  // RUP-1 PATCH works on a to-one relationship URL.
  rule('RUP-1', 'PATCH sets the owner of a computer', async () => {
    const { ada, grace, engine, compiler } = await createSamples(app)
    succeeded(await owner('PATCH', engine, identifier(grace)), updated)
    assert.deepEqual(await ownerOf(app, engine), identifier(grace))
    await owns(grace, engine, compiler)
    await owns(ada)
  })

  // RUP-2 Body `data` is an identifier or `null` (client duty).
  rule('RUP-2', 'null clears the owner', async () => {
    const { engine } = await createSamples(app)
    succeeded(await owner('PATCH', engine, null), updated)
    assert.equal(await ownerOf(app, engine), null)
  })

  rule('RUP-2', 'anything but one identifier or null is refused', async () => {
    const { ada, grace, engine } = await createSamples(app)
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      for (const data of [[], [identifier(grace)], undefined, {}, 'x', 3, { type: 'person' }]) {
        assertError(await owner(method, engine, data), 400)
      }
    }
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
  })

  // RUP-3 Updated → a successful response.
  rule('RUP-3', 'an update that changes nothing succeeds too', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    succeeded(await owner('PATCH', engine, identifier(ada)), updated)
    succeeded(await owner('PATCH', orphan, null), updated)
    assert.deepEqual(await ownerOf(app, engine), identifier(ada))
  })

  // RUP-4 PATCH, POST and DELETE work on a to-many relationship URL.
  rule('RUP-4', 'PATCH, POST and DELETE write the computers of a person', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    succeeded(await computers('POST', ada, [identifier(orphan)]), created)
    await owns(ada, engine, orphan)
    succeeded(await computers('DELETE', ada, [identifier(engine)]), updated)
    await owns(ada, orphan)
    succeeded(await computers('PATCH', ada, [identifier(engine)]), updated)
    await owns(ada, engine)
  })

  // RUP-5 Body `data` is `[]` or an array of identifiers (client duty).
  rule('RUP-5', 'anything but a list of identifiers is refused', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      for (const data of [
        identifier(orphan),
        null,
        undefined,
        {},
        'x',
        3,
        [[identifier(orphan)]],
      ]) {
        assertError(await computers(method, ada, data), 400)
      }
      assertError(await app.call(method, `/persons/${ada.id}/relationships/computers`), 400)
    }
    await owns(ada, engine)
  })

  rule('RUP-5', 'an empty list adds and removes nothing, and as a replacement clears', async () => {
    const { ada, engine } = await createSamples(app)
    succeeded(await computers('POST', ada, []), created)
    succeeded(await computers('DELETE', ada, []), updated)
    await owns(ada, engine)
    succeeded(await computers('PATCH', ada, []), updated)
    await owns(ada)
  })

  // RUP-6 PATCH replaces all members, or fails properly, or 403.
  rule('RUP-6', 'PATCH replaces the set, whoever owned the new members', async () => {
    const { ada, grace, engine, compiler, orphan } = await createSamples(app)
    const members = [compiler, orphan].map(identifier)
    succeeded(await computers('PATCH', ada, members), updated)
    await owns(ada, compiler, orphan)
    await owns(grace)
    assert.equal(await ownerOf(app, engine), null)
  })

  rule('RUP-6', 'a replacement with an unknown member is 404 and changes nothing', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const response = await computers('PATCH', ada, [identifier(orphan), missingComputer])
    const { detail } = assertErrorWithin(response, 404, '/data/1')
    assert.match(detail, new RegExp(missingId))
    await owns(ada, engine)
    assert.equal(await ownerOf(app, orphan), null)
    assertErrorWithin(await owner('PATCH', engine, missingPerson), 404, '/data')
    await owns(ada, engine)
  })

  // RUP-7 POST adds the members not yet there.
  rule('RUP-7', 'POST adds to what is there', async () => {
    const { ada, grace, engine, compiler, orphan } = await createSamples(app)
    succeeded(await computers('POST', ada, [orphan, compiler].map(identifier)), created)
    await owns(ada, engine, compiler, orphan)
    assert.deepEqual(await ownerOf(app, orphan), identifier(ada))
    await owns(grace)
  })

  // RUP-8 POST never adds a member twice.
  rule('RUP-8', 'a member that is added twice is there once', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    succeeded(await computers('POST', ada, [orphan, orphan].map(identifier)), created)
    await owns(ada, engine, orphan)
    succeeded(await computers('POST', ada, [identifier(orphan)]), created)
    await owns(ada, engine, orphan)
    succeeded(await computers('PATCH', ada, [orphan, orphan].map(identifier)), updated)
    await owns(ada, orphan)
  })

  // RUP-9 All addable or already present → success.
  rule('RUP-9', 'adding what is there already succeeds', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    succeeded(await computers('POST', ada, [identifier(engine)]), created)
    await owns(ada, engine)
    succeeded(await computers('POST', ada, [engine, orphan].map(identifier)), created)
    await owns(ada, engine, orphan)
  })

  // RUP-10 DELETE removes the members or responses 403.
  rule('RUP-10', 'DELETE unlinks the members and deletes no resource', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    await computers('POST', ada, [identifier(orphan)])
    succeeded(await computers('DELETE', ada, [identifier(orphan)]), updated)
    await owns(ada, engine)
    assert.equal((await app.get(`/computers/${orphan.id}`)).status, 200)
    assert.equal(await ownerOf(app, orphan), null)
  })

  // RUP-11 All removable or already absent → success.
  rule('RUP-11', 'removing what is not there succeeds and touches nothing else', async () => {
    const { ada, grace, engine, compiler, orphan } = await createSamples(app)
    for (const members of [
      [orphan],
      [compiler],
      [missingComputer],
      [orphan, compiler, missingComputer],
    ]) {
      succeeded(await computers('DELETE', ada, members.map(identifier)), updated)
    }
    await owns(ada, engine)
    await owns(grace, compiler)
    succeeded(await computers('DELETE', ada, [missingComputer, identifier(engine)]), updated)
    await owns(ada)
    succeeded(await computers('DELETE', ada, [identifier(engine)]), updated)
  })

  // RUP-12 Accepted but not finished → 202.
  rule('RUP-12', 'a relationship is written when it is answered, never 202', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    assert.equal((await computers('POST', ada, [identifier(orphan)])).status, 200)
    await owns(ada, engine, orphan)
    assert.equal((await owner('PATCH', engine, identifier(grace))).status, 200)
    await owns(ada, orphan)
  })

  // RUP-13 Success whose result equals the request representation → 204.
  rule('RUP-13', 'the response has a message, so it is 200 and never 204', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    succeeded(await computers('PATCH', ada, [identifier(orphan)]), updated)
    await owns(ada, orphan)
    succeeded(await owner('PATCH', engine, identifier(ada)), updated)
  })

  // RUP-14 Server changed the relationship in further ways → 200.
  // RUP-15 That 200 shows the updated relationship.
  rule(
    ['RUP-14', 'RUP-15'],
    'a relationship becomes what was request and nothing further',
    async () => {
      const { ada, grace, rosa, engine, compiler, orphan } = await createSamples(app)
      assert.equal((await computers('POST', ada, [identifier(orphan)])).status, 200)
      await owns(ada, engine, orphan)
      assert.equal((await computers('PATCH', ada, [orphan, engine].map(identifier))).status, 200)
      await owns(ada, engine, orphan)
      assert.equal((await computers('DELETE', ada, [identifier(engine)])).status, 200)
      await owns(ada, orphan)
      await owns(grace, compiler)
      await owns(rosa)
      assert.equal(await ownerOf(app, engine), null)
    },
  )

  // RUP-16 Success with top-level meta only → 200.
  rule('RUP-16', 'POST tells created, PATCH and DELETE tell updated', async () => {
    const { ada, grace, engine, orphan } = await createSamples(app)
    const members = [identifier(orphan)]
    succeeded(await computers('POST', ada, members), created)
    succeeded(await computers('DELETE', ada, members), updated)
    succeeded(await computers('PATCH', ada, members), updated)
    succeeded(await owner('POST', engine, identifier(grace)), created)
    succeeded(await owner('PATCH', engine, identifier(ada)), updated)
    succeeded(await owner('DELETE', engine, identifier(ada)), updated)
  })

  // RUP-17 A meta-only 200 shows no linkage.
  rule(
    'RUP-17',
    'the response of a write shows no linkage, even when request to include',
    async () => {
      const { ada, orphan } = await createSamples(app)
      const path = `/persons/${ada.id}/relationships/computers`
      for (const method of ['POST', 'PATCH', 'DELETE']) {
        const body = { data: [identifier(orphan)] }
        const response = await app.call(method, path, { body, query: { include: 'computers' } })
        assert.equal(response.status, 200, response.text)
        assert.deepEqual(Object.keys(response.body).sort(), ['jsonapi', 'meta'])
      }
    },
  )

  // RUP-18 Unsupported relationship update → 403.
  rule(
    'RUP-18',
    'POST and DELETE are supported on a to-one too, so none is forbidden',
    async () => {
      const { ada, grace, engine, orphan } = await createSamples(app)
      succeeded(await owner('POST', orphan, identifier(grace)), created)
      assert.deepEqual(await ownerOf(app, orphan), identifier(grace))
      succeeded(await owner('POST', orphan, null), created)
      assert.equal(await ownerOf(app, orphan), null)
      assertErrorWithin(await owner('POST', orphan, missingPerson), 404, '/data')
      for (const other of [identifier(grace), missingPerson, null]) {
        succeeded(await owner('DELETE', engine, other), updated)
        assert.deepEqual(await ownerOf(app, engine), identifier(ada))
      }
      succeeded(await owner('DELETE', engine, identifier(ada)), updated)
      assert.equal(await ownerOf(app, engine), null)
    },
  )
})
