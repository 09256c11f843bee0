import assert from 'node:assert/strict'
import type { Linkage, Resource, World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { allMembers, isObject, membersNamed, primaryAndIncluded } from './document-members.ts'
import { fetchDataSamples, fetchSamples } from './sample-responses.ts'
import {
  assertErrorWithin,
  computersOf,
  countResources,
  createSamples,
  identifier,
  ownerOf,
} from './samples.ts'

/** The relationship objects of the gallery, by where they stand. */
async function relationships(world: World): Promise<[string, unknown][]> {
  const found = (await fetchDataSamples(world)).flatMap(({ asked, document }) =>
    primaryAndIncluded(document).flatMap(({ type, id, relationships }) =>
      Object.entries(isObject(relationships) ? relationships : {}).map(
        ([name, relationship]): [string, unknown] => [
          `${asked}: ${type}/${id} ${name}`,
          relationship,
        ],
      ),
    ),
  )
  assert.ok(found.length > 30, `the gallery shows only ${found.length} relationships`)
  return found
}

function relationship(resource: Resource, name: string): Linkage {
  return resource.relationships?.[name] ?? {}
}

chapter('REL Relationship objects and related links', (world: World) => {
  // REL-1 `relationships` is an object.
  rule('REL-1', 'relationships are told as an object', async () => {
    for (const { asked, document } of await fetchDataSamples(world)) {
      for (const found of membersNamed(document, 'relationships')) assert.ok(isObject(found), asked)
    }
  })

  rule('REL-1', 'relationships sent as anything else are refused', async () => {
    const { ada } = await createSamples(world)
    for (const relationships of [[], 'x', null, 3]) {
      const person = { type: 'person', attributes: { name: 'n' }, relationships }
      const created = await world.post('/persons', { data: person })
      assertErrorWithin(created, 400, '/data/relationships')
      const data = { ...identifier(ada), relationships }
      assertErrorWithin(
        await world.patch(`/persons/${ada.id}`, { data }),
        400,
        '/data/relationships',
      )
    }
    assert.equal(await countResources(world, '/persons'), 3)
  })

  // REL-2 A relationship object has at least one of `links` (itself with `self` or `related`),
  // `data`, `meta`.
  rule('REL-2', 'a relationship has links to itself and to what is related', async () => {
    for (const [where, found] of await relationships(world)) {
      assert.ok(isObject(found) && isObject(found.links), where)
      assert.equal(typeof found.links.self, 'string', where)
      assert.equal(typeof found.links.related, 'string', where)
    }
  })

  rule('REL-2', 'the links are the paths of the service document', async () => {
    const { ada, engine } = await createSamples(world)
    assert.deepEqual(relationship(ada, 'computers').links, {
      self: `/persons/${ada.id}/relationships/computers`,
      related: `/persons/${ada.id}/computers`,
    })
    assert.deepEqual(relationship(engine, 'owner').links, {
      self: `/computers/${engine.id}/relationships/owner`,
      related: `/computers/${engine.id}/owner`,
    })
  })

  // REL-3 A to-many relationship object may carry pagination links.
  // REL-4 Pagination links inside a relationship object page the linkage, not the related resources.
  rule(
    ['REL-3', 'REL-4'],
    'a relationship tells its whole linkage and has no pagination links',
    async () => {
      await world.restart({ pageSize: 2 })
      const ada = await world.person()
      const hers = [await world.computer({}, ada), await world.computer({}, ada)]
      hers.push(await world.computer({}, ada))
      const answer = await world.get(`/persons/${ada.id}`, { include: 'computers' })
      assert.deepEqual(relationship(answer.one, 'computers').data, hers.map(identifier))
      for (const [where, found] of await relationships(world)) {
        const links = isObject(found) && isObject(found.links) ? found.links : {}
        assert.deepEqual(Object.keys(links).sort(), ['related', 'self'], where)
      }
    },
  )

  // REL-5 A `related` link is a working URL even when nothing is related.
  rule('REL-5', 'a related link works even when nothing is related', async () => {
    const { rosa, orphan } = await createSamples(world)
    const owner = await world.get(relationship(orphan, 'owner').links?.related ?? 'none')
    assert.equal(owner.status, 200)
    assert.equal(owner.body.data, null)
    const computers = await world.get(relationship(rosa, 'computers').links?.related ?? 'none')
    assert.equal(computers.status, 200)
    assert.deepEqual(computers.body.data, [])
  })

  // REL-6 A `related` link does not change when the relationship content changes.
  rule('REL-6', 'a related link stays the same whatever is related', async () => {
    const { grace, engine } = await createSamples(world)
    const related = relationship(engine, 'owner').links?.related
    assert.equal(typeof related, 'string')
    for (const owner of [identifier(grace), null]) {
      const data = { ...identifier(engine), relationships: { owner: { data: owner } } }
      const answer = await world.patch(`/computers/${engine.id}`, { data })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(await ownerOf(world, engine), owner)
      assert.equal(relationship(answer.one, 'owner').links?.related, related)
    }
  })
})

chapter('LKG Resource linkage and identifiers', (world: World) => {
  // LKG-1 Linkage is `null` (empty to-one), `[]` (empty to-many), one identifier (to-one) or an
  // array of identifiers (to-many).
  rule('LKG-1', 'linkage is null, one identifier, [] or a list of identifiers', async () => {
    const { ada, rosa, engine, orphan } = await createSamples(world)
    const owner = async ({ id }: Resource) => {
      const answer = await world.get(`/computers/${id}`, { include: 'owner' })
      return relationship(answer.one, 'owner').data
    }
    const computers = async ({ id }: Resource) => {
      const answer = await world.get(`/persons/${id}`, { include: 'computers' })
      return relationship(answer.one, 'computers').data
    }
    assert.equal(await owner(orphan), null)
    assert.deepEqual(await owner(engine), identifier(ada))
    assert.deepEqual(await computers(rosa), [])
    assert.deepEqual(await computers(ada), [identifier(engine)])
  })

  // LKG-2 An identifier has `type` and `id`.
  rule('LKG-2', 'an identifier without a type or an id of text is refused', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const path = `/persons/${ada.id}/relationships/computers`
    const wrong = [
      { type: 'computer' },
      { id: orphan.id },
      { type: 'computer', id: Number(orphan.id) },
      { type: 'computer', id: null },
      { type: 5, id: orphan.id },
      {},
      'computer',
      null,
      [],
    ]
    for (const identifier of wrong) {
      const body = { data: [identifier] }
      assertErrorWithin(await world.post(path, body), 400, '/data/0')
      assertErrorWithin(await world.patch(path, body), 400, '/data/0')
      assertErrorWithin(await world.delete(path, body), 400, '/data/0')
    }
    assert.deepEqual(await computersOf(world, ada), [identifier(engine)])
  })

  rule('LKG-2', 'every identifier told has a type and an id', async () => {
    for (const [where, found] of await relationships(world)) {
      const linkage = isObject(found) ? [found.data].flat().filter(isObject) : []
      for (const { type, id } of linkage) {
        assert.ok(typeof type === 'string' && typeof id === 'string', where)
      }
    }
  })

  // LKG-3 An identifier may also have `meta`, nothing more.
  rule('LKG-3', 'identifiers are told as type and id alone', async () => {
    for (const [where, found] of await relationships(world)) {
      const linkage = isObject(found) ? [found.data].flat().filter(isObject) : []
      for (const one of linkage) assert.deepEqual(Object.keys(one).sort(), ['id', 'type'], where)
    }
  })

  rule('LKG-3', 'whatever else an identifier holds is ignored', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const more = { meta: { since: 1 }, lid: 'x', method: 'update', attributes: { serial: 'no' } }
    const path = `/persons/${ada.id}/relationships/computers`
    const answer = await world.post(path, { data: [{ ...identifier(orphan), ...more }] })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(await computersOf(world, ada), [identifier(engine), identifier(orphan)])
    const read = await world.get(`/computers/${orphan.id}`)
    assert.equal(read.one.attributes?.serial, 'orphan')
  })
})

chapter('LNK Links', (world: World) => {
  // LNK-1 Each `links` value is an object.
  rule('LNK-1', 'links are told as an object, wherever they stand', async () => {
    for (const { asked, document } of await fetchSamples(world)) {
      for (const found of membersNamed(document, 'links')) assert.ok(isObject(found), asked)
    }
  })

  // LNK-2 A link is a string URL, or an object with `href` and optional `meta`. `null` is allowed
  // only for pagination keys.
  rule('LNK-2', 'every link is a text that is a URL', async () => {
    for (const { asked, document } of await fetchSamples(world)) {
      for (const { pointer, value } of allMembers(document)) {
        if (!/\/links\/[^/]*$/.test(pointer)) continue
        assert.ok(
          typeof value === 'string' && URL.canParse(value, world.url),
          `${asked}: ${pointer}`,
        )
      }
    }
  })

  // LNK-3 Square brackets (and any other reserved character) in emitted URLs are percent-encoded.
  rule('LNK-3', 'brackets are encoded in links and read in both spellings', async () => {
    const { grace } = await createSamples(world)
    for (const query of ['page[size]=1&sort=id', 'page%5Bsize%5D=1&sort=id']) {
      const answer = await world.call('GET', '/persons', { query })
      assert.equal(answer.status, 200, answer.text)
      const next = answer.body.links?.next ?? 'none'
      assert.match(next, /page%5Bsize%5D=1/)
      assert.match(next, /^https?:\/\/[\w.:]+\/persons\?[\w.~!$'()*+,;=&:@/?%-]*$/)
      assert.deepEqual(ids(await world.get(next)), [grace.id])
    }
  })

  rule('LNK-3', 'whatever a filter holds is encoded in links and means the same', async () => {
    const name = 'a "b" {c} [d] <e> %25 100% é 😀 #f &g=h'
    await world.person({ name })
    await world.person({ name })
    await world.person({ name: 'other' })
    const filter = [{ name: 'name', op: 'eq', val: name }]
    const answer = await world.get('/persons', { filter, 'page[size]': 1 })
    assert.equal(answer.body.meta?.count, 2)
    const next = answer.body.links?.next ?? 'none'
    assert.match(next, /^https?:\/\/[\w.:]+\/persons\?[\w.~!$'()*+,;=&:@/?%-]*$/)
    const second = await world.get(next)
    assert.equal(second.status, 200, second.text)
    assert.equal(second.body.meta?.count, 2)
    assert.equal(second.many[0]?.attributes?.name, name)
  })
})
