import assert from 'node:assert/strict'
import type { TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { assertError, createSamples } from './samples.ts'

/** Values of the parameter `filter` that are malformed or meaningless. */
const invalidFilters = [
  '{',
  '',
  'null',
  '{}',
  '"name"',
  '[1]',
  '[{}]',
  '[{"name":"nope","op":"eq","val":1}]',
  '[{"name":"name","op":"nope","val":"x"}]',
  '[{"name":"name","op":"eq","val":"x","field":"gender"}]',
  '[{"name":"name","op":"eq"}]',
  '[{"name":"computers","op":"has","val":{"name":"serial","op":"eq","val":"x"}}]',
]

/** Values that no page parameter accepts. */
const invalidNumbers = ['-1', 'x', '1.5', '', '+1', ' 1', '1e1', '0x1', 'Infinity', '9'.repeat(40)]

describeService('Unspecified cases: queries', (app: TestService) => {
  for (const filter of invalidFilters)
    rule('D-6', `given the filter ${filter || 'without a value'}, persons get 400`, async () => {
      assertError(await app.get('/persons', { filter }), 400, { parameter: 'filter' })
    })

  rule('D-6', 'given "any" on a to-one relationship, a filter gets 400', async () => {
    const filter = '[{"name":"owner","op":"any","val":{"name":"name","op":"eq","val":"x"}}]'
    assertError(await app.get('/computers', { filter }), 400, { parameter: 'filter' })
  })

  for (const name of ['nope', 'password', 'display_name', 'computers__nope', 'nope__name'])
    rule('D-7', `filter[${name}] gets 400 with the parameter's name`, async () => {
      const parameter = `filter[${name}]`
      assertError(await app.get('/persons', { [parameter]: '1' }), 400, { parameter })
    })

  for (const [type, value] of [
    ['nope', 'a'],
    ['persons', 'name'],
    ['person', 'nope'],
    ['person', 'name,nope'],
    ['person', 'password'],
    ['computer', 'person_id'],
  ] as const)
    rule('D-8', `fields[${type}]=${value} gets 400 with the parameter's name`, async () => {
      const { id } = await app.person()
      const parameter = `fields[${type}]`
      for (const path of ['/persons', `/persons/${id}`])
        assertError(await app.get(path, { [parameter]: value }), 400, { parameter })
    })

  for (const [parameter, values] of [
    ['page[size]', invalidNumbers],
    ['page[number]', [...invalidNumbers, '0']],
  ] as const)
    for (const value of values)
      rule('D-9', `${parameter}=${value} gets 400 with the parameter's name`, async () => {
        const { id } = await app.person()
        const query = `${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`
        for (const path of ['/persons', `/persons/${id}/computers`, `/persons/${id}`])
          assertError(await app.call('GET', path, { query }), 400, { parameter })
      })

  rule('D-9', 'page[number]=1 is the first page', async () => {
    await createSamples(app)
    const first = await app.get('/persons', { 'page[size]': 2, 'page[number]': 1 })
    assert.deepEqual(ids(first), ['1', '2'])
  })

  for (const number of [3, 4, 1000, 9007199254740991])
    rule('D-10', `page ${number} of 2 is empty and has links to the other pages`, async () => {
      await createSamples(app)
      const response = await app.get('/persons', { 'page[size]': 2, 'page[number]': number })
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(response.body.data, [])
      assert.equal(response.body.meta?.count, 3)
      const links = response.body.links ?? {}
      assert.deepEqual(Object.keys(links).sort(), ['first', 'last', 'prev', 'self'])
      assert.deepEqual(ids(await app.get(links.last ?? 'none')), ['3'])
    })

  for (const [parameter, value] of [
    ['sort', 'name'],
    ['include', 'computers'],
    ['filter', '[]'],
    ['page[size]', '1'],
    ['page[number]', '1'],
    ['fields[person]', 'name'],
  ] as const)
    rule('D-11', `given ${parameter} twice, a request gets 400`, async () => {
      const once = `${parameter}=${value}`
      assert.equal((await app.call('GET', '/persons', { query: once })).status, 200)
      const twice = await app.call('GET', '/persons', { query: `${once}&${once}` })
      assertError(twice, 400, { parameter })
    })

  rule('D-11', 'given filter[name] twice, both conditions apply', async () => {
    await createSamples(app)
    const same = await app.call('GET', '/persons', { query: 'filter[name]=Ada&filter[name]=Ada' })
    assert.deepEqual(ids(same), ['1'])
    const query = 'filter[name]=Ada&filter[name]=Grace'
    assert.deepEqual(ids(await app.call('GET', '/persons', { query })), [])
  })

  rule('D-12', 'filter[name]=a,b finds only the name "a,b"', async () => {
    for (const name of ['a', 'b']) await app.person({ name })
    const both = await app.person({ name: 'a,b' })
    assert.deepEqual(ids(await app.get('/persons', { 'filter[name]': 'a,b' })), [both.id])
  })

  for (const [sent, found] of [
    ['a+b', ['1', '3']],
    ['a%20b', ['1', '3']],
    ['a%2Bb', ['2', '4']],
  ] as const)
    rule('D-18', `filter[name]=${sent} finds the same names by its links`, async () => {
      for (const name of ['a b', 'a+b', 'a b', 'a+b']) await app.person({ name })
      const query = `filter[name]=${sent}&page[size]=1`
      const response = await app.call('GET', '/persons', { query })
      assert.equal(response.body.meta?.count, 2)
      assert.deepEqual(ids(response), found.slice(0, 1))
      const { next = 'none', self = 'none' } = response.body.links ?? {}
      assert.deepEqual(ids(await app.get(next)), found.slice(1))
      assert.deepEqual(ids(await app.get(self)), found.slice(0, 1))
    })
})
