import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Jsona } from 'jsona'
import { pluck, serve, startsWithG } from './serve.ts'

const mediaType = 'application/vnd.api+json'

describe('jsona, which has no types of its own and sends with fetch', () => {
  const served = serve('singular')
  const jsona = new Jsona()

  const call = async (method: string, path: string, model?: object) => {
    const response = await fetch(served.url + path, {
      method,
      headers: { Accept: mediaType, 'Content-Type': mediaType },
      ...(model && { body: JSON.stringify(jsona.serialize({ stuff: model })) }),
    })
    const document = await response.json()
    if (!response.ok) throw document
    return document
  }
  const read = async (path: string) => [jsona.deserialize(await call('GET', path))].flat()

  it('reads a list with included resources', async () => {
    const persons = await read('/persons?include=computers')
    assert.deepEqual(pluck(persons, 'name'), ['Ada', 'Grace', 'Annie'])
    assert.deepEqual(pluck(persons, 'birth_date'), ['1815-12-10', '1906-12-09', null])
    assert.deepEqual(pluck(persons[0]?.computers, 'serial'), ['A-1', 'A-2'])
  })

  it('reads a filtered page', async () => {
    const page = await read('/computers?filter[owner__name]=Ada&sort=-serial&page[size]=1')
    assert.deepEqual(pluck(page, 'serial'), ['A-2'])
  })

  it('filters by an operator', async () => {
    const found = await read(`/computers?filter=${encodeURIComponent(startsWithG)}`)
    assert.deepEqual(pluck(found, 'serial'), ['G-1'])
  })

  it('creates', async () => {
    const owner = { type: 'person', id: '3' }
    const computer = { type: 'computer', serial: 'N-1', owner, relationshipNames: ['owner'] }
    await call('POST', '/computers', computer)
    const [made] = await read('/computers?filter[serial]=N-1&include=owner')
    assert.equal(made?.owner.name, 'Annie')
  })

  it('sends a resource back as it has read it, with "links" among the attributes', async () => {
    const [person] = await read('/persons/1?include=computers')
    const model = { ...person, type: 'person', id: '1', name: 'Ada L.' }
    const { data } = jsona.serialize({ stuff: model })
    assert.deepEqual(Reflect.get(data, 'attributes').links, { self: '/persons/1' })
    await call('PATCH', '/persons/1', model)
    const [changed] = await read('/persons/1')
    assert.equal(changed?.name, 'Ada L.')
    assert.equal(changed?.birth_date, '1815-12-10')
  })

  it('keeps a relationship that was not included, when it sends the resource back', async () => {
    const [computer] = await read('/computers/1')
    await call('PATCH', '/computers/1', computer)
    const [changed] = await read('/computers/1?include=owner')
    assert.equal(changed?.owner.name, 'Ada')
  })

  it('changes relationships', async () => {
    const [computer] = await read('/computers/3?include=owner')
    await call('PATCH', '/computers/3', { ...computer, owner: { type: 'person', id: '1' } })
    await call('PATCH', '/computers/1/relationships/owner', { type: 'person', id: '3' })
    const computers = await read('/computers?include=owner')
    assert.deepEqual(pluck(pluck(computers, 'owner') as object[], 'name'), ['Annie', 'Ada', 'Ada'])
  })

  it('leaves the error document to the application', async () => {
    await assert.rejects(call('POST', '/computers', { type: 'computer' }), {
      errors: [
        {
          status: '422',
          code: 'missing_value',
          title: 'A required value is missing',
          detail: 'A new resource of type computer must have the attribute "serial".',
          source: { pointer: '/data/attributes/serial' },
        },
      ],
    })
  })
})
