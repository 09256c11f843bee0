import assert from 'node:assert/strict'
import type { Linkage, Resource, TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { allMembers, isObject, membersNamed, primaryAndIncluded } from './document-members.ts'
import type { SampleResponse } from './sample-responses.ts'
import { fetchSamples, recordSamples } from './sample-responses.ts'
import {
  assertErrorWithin,
  computersOf,
  countResources,
  createSamples,
  identifier,
  ownerOf,
} from './samples.ts'

/** The relationship objects of samples, each with its request, resource and name. */
function relationshipObjects(samples: readonly SampleResponse[]): [string, unknown][] {
  const found = samples.flatMap(({ request, document }) =>
    primaryAndIncluded(document).flatMap(({ type, id, relationships }) =>
      Object.entries(isObject(relationships) ? relationships : {}).map(
        ([name, relationship]): [string, unknown] => [
          `${request}: ${type}/${id} ${name}`,
          relationship,
        ],
      ),
    ),
  )
  assert.ok(found.length > 30, `the samples have only ${found.length} relationships`)
  return found
}

function relationship(resource: Resource, name: string): Linkage {
  return resource.relationships?.[name] ?? {}
}

describeService('Relationship objects and related links', (app: TestService) => {
  const samples = recordSamples(app)

  rule('REL-1', 'relationships are an object', async () => {
    for (const { request, document } of await samples.data()) {
      for (const found of membersNamed(document, 'relationships'))
        assert.ok(isObject(found), request)
    }
  })

  for (const relationships of [[], 'x', null, 3])
    rule(
      'REL-1',
      `given the relationships ${JSON.stringify(relationships)}, a write gets 400`,
      async () => {
        const person = await app.person()
        const create = { type: 'person', attributes: { name: 'n' }, relationships }
        const created = await app.post('/persons', { data: create })
        assertErrorWithin(created, 400, '/data/relationships')
        const data = { ...identifier(person), relationships }
        const updated = await app.patch(`/persons/${person.id}`, { data })
        assertErrorWithin(updated, 400, '/data/relationships')
        assert.equal(await countResources(app, '/persons'), 1)
      },
    )

  rule('REL-2', 'every relationship has the links self and related', async () => {
    for (const [location, found] of relationshipObjects(await samples.data())) {
      assert.ok(isObject(found) && isObject(found.links), location)
      assert.equal(typeof found.links.self, 'string', location)
      assert.equal(typeof found.links.related, 'string', location)
    }
  })

  rule('REL-2', 'the links of a relationship are the paths in docs/service.md', async () => {
    const { ada, engine } = await createSamples(app)
    assert.deepEqual(relationship(ada, 'computers').links, {
      self: `/persons/${ada.id}/relationships/computers`,
      related: `/persons/${ada.id}/computers`,
    })
    assert.deepEqual(relationship(engine, 'owner').links, {
      self: `/computers/${engine.id}/relationships/owner`,
      related: `/computers/${engine.id}/owner`,
    })
  })

  rule(
    ['REL-3', 'REL-4'],
    'given a small page size, a relationship has its complete linkage and no pagination links',
    async () => {
      await app.restart({ pageSize: 2 })
      const ada = await app.person()
      const computers = [await app.computer({}, ada), await app.computer({}, ada)]
      computers.push(await app.computer({}, ada))
      const response = await app.get(`/persons/${ada.id}`, { include: 'computers' })
      assert.deepEqual(relationship(response.one, 'computers').data, computers.map(identifier))
      for (const [location, found] of relationshipObjects(await fetchSamples(app))) {
        const links = isObject(found) && isObject(found.links) ? found.links : {}
        assert.deepEqual(Object.keys(links).sort(), ['related', 'self'], location)
      }
    },
  )

  rule('REL-5', 'given no related resource, a related link gets 200', async () => {
    const { rosa, orphan } = await createSamples(app)
    const owner = await app.get(relationship(orphan, 'owner').links?.related ?? 'none')
    assert.equal(owner.status, 200)
    assert.equal(owner.body.data, null)
    const computers = await app.get(relationship(rosa, 'computers').links?.related ?? 'none')
    assert.equal(computers.status, 200)
    assert.deepEqual(computers.body.data, [])
  })

  rule('REL-6', 'given another owner, the related link does not change', async () => {
    const { grace, engine } = await createSamples(app)
    const related = relationship(engine, 'owner').links?.related
    assert.equal(typeof related, 'string')
    for (const owner of [identifier(grace), null]) {
      const data = { ...identifier(engine), relationships: { owner: { data: owner } } }
      const response = await app.patch(`/computers/${engine.id}`, { data })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(await ownerOf(app, engine), owner)
      assert.equal(relationship(response.one, 'owner').links?.related, related)
    }
  })
})

describeService('Resource linkage and identifiers', (app: TestService) => {
  const samples = recordSamples(app)

  rule(
    'LKG-1',
    'linkage is null or an identifier for the owner, and an array for the computers',
    async () => {
      const { ada, rosa, engine, orphan } = await createSamples(app)
      const owner = async ({ id }: Resource) => {
        const response = await app.get(`/computers/${id}`, { include: 'owner' })
        return relationship(response.one, 'owner').data
      }
      const computers = async ({ id }: Resource) => {
        const response = await app.get(`/persons/${id}`, { include: 'computers' })
        return relationship(response.one, 'computers').data
      }
      assert.equal(await owner(orphan), null)
      assert.deepEqual(await owner(engine), identifier(ada))
      assert.deepEqual(await computers(rosa), [])
      assert.deepEqual(await computers(ada), [identifier(engine)])
    },
  )

  for (const invalid of [
    { type: 'computer' },
    { id: '3' },
    { type: 'computer', id: 3 },
    { type: 'computer', id: null },
    { type: 5, id: '3' },
    {},
    'computer',
    null,
    [],
  ])
    rule(
      'LKG-2',
      `given the identifier ${JSON.stringify(invalid)}, a relationship write gets 400`,
      async () => {
        const { ada, engine } = await createSamples(app)
        const path = `/persons/${ada.id}/relationships/computers`
        const body = { data: [invalid] }
        assertErrorWithin(await app.post(path, body), 400, '/data/0')
        assertErrorWithin(await app.patch(path, body), 400, '/data/0')
        assertErrorWithin(await app.delete(path, body), 400, '/data/0')
        assert.deepEqual(await computersOf(app, ada), [identifier(engine)])
      },
    )

  rule('LKG-2', 'every identifier in linkage has a type and an id', async () => {
    for (const [location, found] of relationshipObjects(await samples.data())) {
      const linkage = isObject(found) ? [found.data].flat().filter(isObject) : []
      for (const { type, id } of linkage) {
        assert.ok(typeof type === 'string' && typeof id === 'string', location)
      }
    }
  })

  rule('LKG-3', 'identifiers in responses have only type and id', async () => {
    for (const [location, found] of relationshipObjects(await samples.data())) {
      const linkage = isObject(found) ? [found.data].flat().filter(isObject) : []
      for (const one of linkage) assert.deepEqual(Object.keys(one).sort(), ['id', 'type'], location)
    }
  })

  rule('LKG-3', 'the server ignores other members of an identifier', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const ignored = { meta: { since: 1 }, lid: 'x', method: 'update', attributes: { serial: 'no' } }
    const path = `/persons/${ada.id}/relationships/computers`
    const response = await app.post(path, { data: [{ ...identifier(orphan), ...ignored }] })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await computersOf(app, ada), [identifier(engine), identifier(orphan)])
    const fetched = await app.get(`/computers/${orphan.id}`)
    assert.equal(fetched.one.attributes?.serial, 'orphan')
  })
})

describeService('Links', (app: TestService) => {
  const samples = recordSamples(app)

  rule('LNK-1', 'every links member is an object', async () => {
    for (const { request, document } of await samples.all()) {
      for (const found of membersNamed(document, 'links')) assert.ok(isObject(found), request)
    }
  })

  rule('LNK-2', 'every link is a string with a URL', async () => {
    for (const { request, document } of await samples.all()) {
      for (const { pointer, value } of allMembers(document)) {
        if (!/\/links\/[^/]*$/.test(pointer)) continue
        assert.ok(
          typeof value === 'string' && URL.canParse(value, app.url),
          `${request}: ${pointer}`,
        )
      }
    }
  })

  rule('LNK-3', 'links encode brackets, and requests may have them raw or encoded', async () => {
    const { grace } = await createSamples(app)
    for (const query of ['page[size]=1&sort=id', 'page%5Bsize%5D=1&sort=id']) {
      const response = await app.call('GET', '/persons', { query })
      assert.equal(response.status, 200, response.text)
      const next = response.body.links?.next ?? 'none'
      assert.match(next, /page%5Bsize%5D=1/)
      assert.match(next, /^https?:\/\/[\w.:]+\/persons\?[\w.~!$'()*+,;=&:@/?%-]*$/)
      assert.deepEqual(ids(await app.get(next)), [grace.id])
    }
  })

  rule(
    'LNK-3',
    'links encode every character of a filter and find the same resources',
    async () => {
      const name = 'a "b" {c} [d] <e> %25 100% é 😀 #f &g=h'
      await app.person({ name })
      await app.person({ name })
      await app.person({ name: 'other' })
      const filter = [{ name: 'name', op: 'eq', val: name }]
      const response = await app.get('/persons', { filter, 'page[size]': 1 })
      assert.equal(response.body.meta?.count, 2)
      const next = response.body.links?.next ?? 'none'
      assert.match(next, /^https?:\/\/[\w.:]+\/persons\?[\w.~!$'()*+,;=&:@/?%-]*$/)
      const second = await app.get(next)
      assert.equal(second.status, 200, second.text)
      assert.equal(second.body.meta?.count, 2)
      assert.equal(second.many[0]?.attributes?.name, name)
    },
  )
})
