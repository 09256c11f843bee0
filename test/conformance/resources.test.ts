import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { allMembers, isObject, primaryAndIncluded, resourceKeys } from './document-members.ts'
import type { SampleResponse } from './sample-responses.ts'
import { fetchDataSamples } from './sample-responses.ts'
import { assertErrorWithin, countResources, createSamples, identifier } from './samples.ts'

/** Whether the primary data of a picture are identifiers. */
function showsLinkage({ asked }: SampleResponse): boolean {
  return asked.includes('/relationships/')
}

/** The resource objects of the gallery, each with what was asked for. */
async function resources(world: World): Promise<[string, Record<string, unknown>][]> {
  const found = (await fetchDataSamples(world)).flatMap((picture) => {
    const document = isObject(picture.document) ? picture.document : {}
    const shown = showsLinkage(picture) ? { included: document.included } : document
    return primaryAndIncluded(shown).map((resource): [string, Record<string, unknown>] => [
      picture.asked,
      resource,
    ])
  })
  assert.ok(found.length > 40, `the gallery shows only ${found.length} resources`)
  return found
}

chapter('RES Resource objects', (world: World) => {
  // RES-1 Every emitted resource object has `type` and `id`.
  rule('RES-1', 'every resource has a type and an id', async () => {
    for (const [asked, resource] of await resources(world)) {
      assert.ok('type' in resource && 'id' in resource, asked)
    }
  })

  // RES-2 `type` and `id` are strings.
  rule('RES-2', 'type and id are strings, in resources and in linkage', async () => {
    const pictures = await fetchDataSamples(world)
    const found = pictures.flatMap(({ document }) => [...allMembers(document)])
    const told = found.filter(({ name }) => name === 'type' || name === 'id')
    assert.ok(told.length > 80, `the gallery shows only ${told.length} of them`)
    for (const { pointer, value } of told) {
      assert.equal(typeof value, 'string', pointer)
      assert.notEqual(value, '', pointer)
    }
  })

  // RES-3 Optional members: `attributes`, `relationships`, `links`, `meta`; no others.
  rule('RES-3', 'a resource has no members but those of the specification', async () => {
    const allowed = new Set(['type', 'id', 'attributes', 'relationships', 'links'])
    for (const [asked, resource] of await resources(world)) {
      assert.deepEqual(
        Object.keys(resource).filter((name) => !allowed.has(name)),
        [],
        asked,
      )
    }
  })

  // RES-4 A `type`+`id` pair names exactly one resource in the API.
  rule('RES-4', 'a type and id name one resource, the same wherever it is read', async () => {
    const { ada, engine } = await createSamples(world)
    for (const path of ['/persons', '/computers']) {
      const all = resourceKeys((await world.get(path, { 'page[size]': 0 })).many)
      assert.equal(new Set(all).size, 3, path)
      assert.equal(all.length, 3, path)
    }
    const read = await world.get(`/persons/${ada.id}`)
    const owner = await world.get(`/computers/${engine.id}/owner`)
    assert.deepEqual(owner.one, read.one)
  })

  // RES-5 `type` values obey the member-name rules; one spelling per type.
  rule('RES-5', 'the types are person and computer, spelled so', async () => {
    const found = new Set((await resources(world)).map(([, { type }]) => type))
    assert.deepEqual([...found].sort(), ['computer', 'person'])
  })

  // RES-6 Attributes, relationships, `type` and `id` share one namespace.
  rule('RES-6', 'no name is both an attribute and a relationship, nor type or id', async () => {
    for (const [asked, { attributes, relationships }] of await resources(world)) {
      const fields = [...Object.keys(attributes ?? {}), ...Object.keys(relationships ?? {})]
      assert.equal(new Set(fields).size, fields.length, asked)
      assert.ok(!fields.includes('id') && !fields.includes('type'), asked)
    }
  })

  rule('RES-6', 'an id among the attributes never becomes the id', async () => {
    const attributes = { id: '9', name: 'n' }
    const answer = await world.post('/persons', { data: { type: 'person', attributes } })
    assert.equal(answer.status, 201, answer.text)
    assert.notEqual(answer.one.id, '9')
    assert.equal((await world.get('/persons/9')).status, 404)
  })

  // RES-7 `attributes` is an object.
  rule('RES-7', 'attributes are told as an object', async () => {
    const found = await resources(world)
    for (const [asked, resource] of found) {
      if ('attributes' in resource) assert.ok(isObject(resource.attributes), asked)
    }
  })

  rule('RES-7', 'attributes sent as anything else are refused', async () => {
    const { ada } = await createSamples(world)
    for (const attributes of [[], 'x', null, 3, [{ name: 'n' }]]) {
      const created = await world.post('/persons', { data: { type: 'person', attributes } })
      assertErrorWithin(created, 400, '/data/attributes')
      const data = { ...identifier(ada), attributes }
      assertErrorWithin(await world.patch(`/persons/${ada.id}`, { data }), 400, '/data/attributes')
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // RES-8 Attribute values contain no member named `links` or `relationships` at any depth.
  rule('RES-8', 'no attribute holds links or relationships', async () => {
    for (const [asked, { attributes }] of await resources(world)) {
      const found = [...allMembers(attributes)].map(({ name }) => name)
      assert.ok(!found.includes('links') && !found.includes('relationships'), asked)
    }
  })

  // RES-9 Foreign keys are not exposed as attributes.
  rule('RES-9', 'no stored link and no stored secret is an attribute', async () => {
    const hidden = ['person_id', 'owner_id', 'person', 'owner', 'password', 'email']
    for (const [asked, { attributes }] of await resources(world)) {
      assert.deepEqual(
        Object.keys(attributes ?? {}).filter((name) => hidden.includes(name)),
        [],
        asked,
      )
    }
  })

  // RES-10 A resource may have `links.self` identifying it.
  rule('RES-10', 'every resource has a self link: its path', async () => {
    for (const [asked, { type, id, links }] of await resources(world)) {
      assert.deepEqual(links, { self: `/${type}s/${id}` }, asked)
    }
  })

  // RES-11 GET on a resource `links.self` returns that resource as primary data.
  rule('RES-11', 'the self link of a resource leads to it', async () => {
    await createSamples(world)
    const people = await world.get('/persons', { include: 'computers' })
    const orphans = await world.get('/computers')
    const shown = [...people.many, ...(people.body.included ?? []), ...orphans.many]
    assert.equal(shown.length, 3 + 2 + 3)
    for (const { type, id, links } of shown) {
      const answer = await world.get(links?.self ?? 'none')
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(identifier(answer.one), { type, id })
    }
  })
})
