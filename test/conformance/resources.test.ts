import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { allMembers, isObject, primaryAndIncluded, resourceKeys } from './document-members.ts'
import type { RecordedSamples, SampleResponse } from './sample-responses.ts'
import { recordSamples } from './sample-responses.ts'
import { assertErrorWithin, countResources, createSamples, identifier } from './samples.ts'

/** True if the primary data of a sample are identifiers. */
function isLinkage({ request }: SampleResponse): boolean {
  return request.includes('/relationships/')
}

type ResourceObject = Record<string, unknown>

/** The resource objects of all samples, each with its request. */
async function resourceObjects(samples: RecordedSamples): Promise<[string, ResourceObject][]> {
  const found = (await samples.data()).flatMap((sample) => {
    const document = isObject(sample.document) ? sample.document : {}
    const withResources = isLinkage(sample) ? { included: document.included } : document
    return primaryAndIncluded(withResources).map((resource): [string, ResourceObject] => [
      sample.request,
      resource,
    ])
  })
  assert.ok(found.length > 40, `the samples have only ${found.length} resources`)
  return found
}

describeService('Resource objects', (app: TestService) => {
  const samples = recordSamples(app)

  rule('RES-1', 'every resource has a type and an id', async () => {
    for (const [request, resource] of await resourceObjects(samples)) {
      assert.ok('type' in resource && 'id' in resource, request)
    }
  })

  rule('RES-2', 'type and id are non-empty strings, in resources and in linkage', async () => {
    const found = (await samples.data()).flatMap(({ document }) => [...allMembers(document)])
    const names = found.filter(({ name }) => name === 'type' || name === 'id')
    assert.ok(names.length > 80, `the samples have only ${names.length} of them`)
    for (const { pointer, value } of names) {
      assert.equal(typeof value, 'string', pointer)
      assert.notEqual(value, '', pointer)
    }
  })

  rule('RES-3', 'a resource has only members of the specification', async () => {
    const allowed = new Set(['type', 'id', 'attributes', 'relationships', 'links'])
    for (const [request, resource] of await resourceObjects(samples)) {
      assert.deepEqual(
        Object.keys(resource).filter((name) => !allowed.has(name)),
        [],
        request,
      )
    }
  })

  rule('RES-4', 'a type and an id identify one resource, at every URL', async () => {
    const { ada, engine } = await createSamples(app)
    for (const path of ['/persons', '/computers']) {
      const all = resourceKeys((await app.get(path, { 'page[size]': 0 })).many)
      assert.equal(new Set(all).size, 3, path)
      assert.equal(all.length, 3, path)
    }
    const fetched = await app.get(`/persons/${ada.id}`)
    const owner = await app.get(`/computers/${engine.id}/owner`)
    assert.deepEqual(owner.one, fetched.one)
  })

  rule('RES-5', 'the types are person and computer', async () => {
    const found = new Set((await resourceObjects(samples)).map(([, { type }]) => type))
    assert.deepEqual([...found].sort(), ['computer', 'person'])
  })

  rule('RES-6', 'no attribute has the name of a relationship, "type" or "id"', async () => {
    for (const [request, { attributes, relationships }] of await resourceObjects(samples)) {
      const fields = [...Object.keys(attributes ?? {}), ...Object.keys(relationships ?? {})]
      assert.equal(new Set(fields).size, fields.length, request)
      assert.ok(!fields.includes('id') && !fields.includes('type'), request)
    }
  })

  rule('RES-6', 'given an attribute id, a create ignores it', async () => {
    const attributes = { id: '9', name: 'n' }
    const response = await app.post('/persons', { data: { type: 'person', attributes } })
    assert.equal(response.status, 201, response.text)
    assert.notEqual(response.one.id, '9')
    assert.equal((await app.get('/persons/9')).status, 404)
  })

  rule('RES-7', 'attributes are an object', async () => {
    for (const [request, resource] of await resourceObjects(samples)) {
      if ('attributes' in resource) assert.ok(isObject(resource.attributes), request)
    }
  })

  for (const attributes of [[], 'x', null, 3, [{ name: 'n' }]])
    rule(
      'RES-7',
      `given the attributes ${JSON.stringify(attributes)}, a write gets 400`,
      async () => {
        const person = await app.person()
        const created = await app.post('/persons', { data: { type: 'person', attributes } })
        assertErrorWithin(created, 400, '/data/attributes')
        const data = { ...identifier(person), attributes }
        const updated = await app.patch(`/persons/${person.id}`, { data })
        assertErrorWithin(updated, 400, '/data/attributes')
        assert.equal(await countResources(app, '/persons'), 1)
      },
    )

  rule('RES-8', 'no attribute contains links or relationships', async () => {
    for (const [request, { attributes }] of await resourceObjects(samples)) {
      const found = [...allMembers(attributes)].map(({ name }) => name)
      assert.ok(!found.includes('links') && !found.includes('relationships'), request)
    }
  })

  rule('RES-9', 'no foreign key and no hidden column is an attribute', async () => {
    const hidden = ['person_id', 'owner_id', 'person', 'owner', 'password', 'email']
    for (const [request, { attributes }] of await resourceObjects(samples)) {
      assert.deepEqual(
        Object.keys(attributes ?? {}).filter((name) => hidden.includes(name)),
        [],
        request,
      )
    }
  })

  rule('RES-10', 'every resource has its path as self link', async () => {
    for (const [request, { type, id, links }] of await resourceObjects(samples)) {
      assert.deepEqual(links, { self: `/${type}s/${id}` }, request)
    }
  })

  rule('RES-11', 'a GET at the self link of a resource returns the resource', async () => {
    await createSamples(app)
    const persons = await app.get('/persons', { include: 'computers' })
    const computers = await app.get('/computers')
    const resources = [...persons.many, ...(persons.body.included ?? []), ...computers.many]
    assert.equal(resources.length, 3 + 2 + 3)
    for (const { type, id, links } of resources) {
      const response = await app.get(links?.self ?? 'none')
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(identifier(response.one), { type, id })
    }
  })
})
