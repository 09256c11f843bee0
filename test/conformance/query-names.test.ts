import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, rule } from '../world.ts'
import { assertError, countResources, createSamples, identifier } from './samples.ts'

chapter('QRY Query parameter names', (world: World) => {
  // QRY-1 Parameters the implementation invents follow the member-name rules and contain a character
  // outside a-z.
  rule('QRY-1', 'the parameters are those of the specification, none is invented', async () => {
    await createSamples(world)
    for (const [parameter, value] of [
      ['filter', '[]'],
      ['filter[name]', 'Ada'],
      ['sort', 'name'],
      ['page[size]', '1'],
      ['page[number]', '1'],
      ['include', 'computers'],
      ['fields[person]', 'name'],
    ] as const) {
      assert.equal((await world.get('/persons', { [parameter]: value })).status, 200, parameter)
    }
    for (const parameter of [
      'q',
      'search',
      'limit',
      'offset',
      'order',
      'expand',
      'embed',
      'fields',
    ]) {
      assertError(await world.get('/persons', { [parameter]: '1' }), 400, { parameter })
    }
  })

  // QRY-2 Use `-`, `_` or a capital for that character.
  rule('QRY-2', 'a legal name that nobody gave a meaning is refused, not passed over', async () => {
    const { ada } = await createSamples(world)
    for (const parameter of ['fooBar', 'foo_bar', 'foo-bar', 'pageSize', 'page_size', 'Sort']) {
      assertError(await world.get('/persons', { [parameter]: '1' }), 400, { parameter })
      assertError(await world.get(`/persons/${ada.id}`, { [parameter]: '1' }), 400, { parameter })
    }
  })

  // QRY-3 A parameter that breaks the naming rules and is not one the server knows from the
  // specification → 400.
  rule('QRY-3', 'a name that breaks the rules is refused and named', async () => {
    const { ada } = await createSamples(world)
    const wrong = ['foo', '_x', 'a.b', 'page[foo]', 'page', 'sort[]', 'include[]', 'fields', '']
    for (const parameter of [...wrong, 'filter[]', 'fields[]', 'filter[name', '__proto__', 'é']) {
      for (const path of ['/persons', `/persons/${ada.id}`, '/']) {
        const query = `${encodeURIComponent(parameter)}=name`
        assertError(await world.call('GET', path, { query }), 400, { parameter })
      }
    }
  })

  rule('QRY-3', 'with a wrong name nothing is written', async () => {
    const { ada, engine, orphan } = await createSamples(world)
    const query = { foo: '1' }
    const place = { parameter: 'foo' }
    const path = `/persons/${ada.id}`
    const body = { data: { ...identifier(ada), attributes: { name: 'n' } } }
    const more = { data: [identifier(orphan)] }
    const linkage = `${path}/relationships/computers`
    const computer = { data: { type: 'computer', attributes: { serial: 'n' } } }
    assertError(await world.post('/persons', body, query), 400, place)
    assertError(await world.post(`${path}/computers`, computer, query), 400, place)
    assertError(await world.patch(path, body, query), 400, place)
    assertError(await world.delete(path, undefined, query), 400, place)
    assertError(await world.post(linkage, more, query), 400, place)
    assertError(await world.patch(linkage, more, query), 400, place)
    assertError(await world.delete(linkage, { data: [identifier(engine)] }, query), 400, place)
    assert.deepEqual((await world.get(path)).one, ada)
    assert.deepEqual((await world.get(linkage)).body.data, [identifier(engine)])
    assert.equal(await countResources(world, '/persons'), 3)
    assert.equal(await countResources(world, '/computers'), 3)
  })
})
