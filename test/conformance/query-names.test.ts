import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, rule } from '../service-suite.ts'
import { assertError, countResources, createSamples, identifier } from './samples.ts'

describeService('Query parameter names', (app: TestService) => {
  for (const [parameter, value] of [
    ['filter', '[]'],
    ['filter[name]', 'Ada'],
    ['sort', 'name'],
    ['page[size]', '1'],
    ['page[number]', '1'],
    ['include', 'computers'],
    ['fields[person]', 'name'],
  ] as const)
    rule('QRY-1', `the parameter ${parameter} of the specification gets 200`, async () => {
      assert.equal((await app.get('/persons', { [parameter]: value })).status, 200)
    })

  for (const parameter of ['q', 'search', 'limit', 'offset', 'order', 'expand', 'embed', 'fields'])
    rule(
      'QRY-1',
      `the parameter ${parameter}, which is not in the specification, gets 400`,
      async () => {
        assertError(await app.get('/persons', { [parameter]: '1' }), 400, { parameter })
      },
    )

  for (const parameter of ['fooBar', 'foo_bar', 'foo-bar', 'pageSize', 'page_size', 'Sort'])
    rule('QRY-2', `the unknown parameter ${parameter} gets 400`, async () => {
      const { id } = await app.person()
      assertError(await app.get('/persons', { [parameter]: '1' }), 400, { parameter })
      assertError(await app.get(`/persons/${id}`, { [parameter]: '1' }), 400, { parameter })
    })

  for (const parameter of [
    ...['foo', '_x', 'a.b', 'page[foo]', 'page', 'sort[]', 'include[]', 'fields', ''],
    ...['filter[]', 'fields[]', 'filter[name', '__proto__', 'é'],
  ])
    rule('QRY-3', `the invalid parameter "${parameter}" gets 400 with its name`, async () => {
      const { id } = await app.person()
      const query = `${encodeURIComponent(parameter)}=name`
      for (const path of ['/persons', `/persons/${id}`, '/'])
        assertError(await app.call('GET', path, { query }), 400, { parameter })
    })

  rule('QRY-3', 'given an invalid parameter, a write changes nothing', async () => {
    const { ada, engine, orphan } = await createSamples(app)
    const query = { foo: '1' }
    const source = { parameter: 'foo' }
    const path = `/persons/${ada.id}`
    const body = { data: { ...identifier(ada), attributes: { name: 'n' } } }
    const added = { data: [identifier(orphan)] }
    const removed = { data: [identifier(engine)] }
    const linkage = `${path}/relationships/computers`
    const computer = { data: { type: 'computer', attributes: { serial: 'n' } } }
    assertError(await app.post('/persons', body, query), 400, source)
    assertError(await app.post(`${path}/computers`, computer, query), 400, source)
    assertError(await app.patch(path, body, query), 400, source)
    assertError(await app.delete(path, undefined, query), 400, source)
    assertError(await app.post(linkage, added, query), 400, source)
    assertError(await app.patch(linkage, added, query), 400, source)
    assertError(await app.delete(linkage, removed, query), 400, source)
    assert.deepEqual((await app.get(path)).one, ada)
    assert.deepEqual((await app.get(linkage)).body.data, [identifier(engine)])
    assert.equal(await countResources(app, '/persons'), 3)
    assert.equal(await countResources(app, '/computers'), 3)
  })
})
