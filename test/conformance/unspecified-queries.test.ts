import assert from 'node:assert/strict'
import type { World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { assertError, createSamples } from './samples.ts'

chapter('D Derived checks: queries', (world: World) => {
  // D-6 `filter` not JSON, not an array, unknown field/op, both `val` and `field`, `any` on a to-one:
  // 400, `source.parameter:"filter"`.
  rule('D-6', 'a filter that is malformed or means nothing is 400', async () => {
    const wrong = [
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
    for (const filter of wrong) {
      assertError(await world.get('/persons', { filter }), 400, { parameter: 'filter' })
    }
    const any = '[{"name":"owner","op":"any","val":{"name":"name","op":"eq","val":"x"}}]'
    assertError(await world.get('/computers', { filter: any }), 400, { parameter: 'filter' })
  })

  // D-7 `filter[nope]=1`: 400, `source.parameter:"filter[nope]"`.
  rule(
    'D-7',
    'a filter on a field that does not exist is 400 and names the parameter',
    async () => {
      for (const name of ['nope', 'password', 'display_name', 'computers__nope', 'nope__name']) {
        const parameter = `filter[${name}]`
        assertError(await world.get('/persons', { [parameter]: '1' }), 400, { parameter })
      }
    },
  )

  // D-8 `fields[nope]=a`, `fields[person]=nope`: 400, `source.parameter:"fields[…]"`.
  rule('D-8', 'fields of a type or a name that does not exist are 400', async () => {
    const { ada: person } = await createSamples(world)
    for (const [type, value] of [
      ['nope', 'a'],
      ['persons', 'name'],
      ['person', 'nope'],
      ['person', 'name,nope'],
      ['person', 'password'],
      ['computer', 'person_id'],
    ] as const) {
      const parameter = `fields[${type}]`
      for (const path of ['/persons', `/persons/${person.id}`]) {
        assertError(await world.get(path, { [parameter]: value }), 400, { parameter })
      }
    }
  })

  // D-9 `page[size]=-1`, `x`, `1.5`, empty; `page[number]=0`, `-1`, `x`: 400, parameter named;
  // numbering starts at 1.
  rule('D-9', 'a page that is no whole number, or below the least, is 400', async () => {
    const { ada: person } = await createSamples(world)
    const never = ['-1', 'x', '1.5', '', '+1', ' 1', '1e1', '0x1', 'Infinity', '9'.repeat(40)]
    for (const [parameter, values] of [
      ['page[size]', never],
      ['page[number]', [...never, '0']],
    ] as const) {
      for (const value of values) {
        for (const path of [
          '/persons',
          `/persons/${person.id}/computers`,
          `/persons/${person.id}`,
        ]) {
          const query = `${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`
          assertError(await world.call('GET', path, { query }), 400, { parameter })
        }
      }
    }
    const first = await world.get('/persons', { 'page[size]': 2, 'page[number]': 1 })
    assert.deepEqual(ids(first), ['1', '2'])
  })

  // D-10 `page[number]` past the end: 200, `data:[]`, `first`/`last`/`prev` still given.
  rule('D-10', 'a page past the end is empty, and leads back', async () => {
    await createSamples(world)
    for (const number of [3, 4, 1000, 9007199254740991]) {
      const answer = await world.get('/persons', { 'page[size]': 2, 'page[number]': number })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.body.data, [])
      assert.equal(answer.body.meta?.count, 3)
      assert.deepEqual(Object.keys(answer.body.links ?? {}).sort(), [
        'first',
        'last',
        'prev',
        'self',
      ])
      assert.deepEqual(ids(await world.get(answer.body.links?.last ?? 'none')), ['3'])
    }
  })

  // D-11 Same parameter twice: 400; `filter[x]` repeated is allowed.
  rule('D-11', 'a parameter may be sent once, filter[…] as often as one likes', async () => {
    await createSamples(world)
    for (const parameter of [
      'sort',
      'include',
      'filter',
      'page[size]',
      'page[number]',
      'fields[person]',
    ]) {
      const value = { sort: 'name', include: 'computers', filter: '[]' }[parameter] ?? '1'
      const once = `${parameter}=${parameter.startsWith('fields') ? 'name' : value}`
      assert.equal((await world.call('GET', '/persons', { query: once })).status, 200, once)
      const twice = await world.call('GET', '/persons', { query: `${once}&${once}` })
      assertError(twice, 400, { parameter })
    }
    const same = await world.call('GET', '/persons', { query: 'filter[name]=Ada&filter[name]=Ada' })
    assert.deepEqual(ids(same), ['1'])
    const other = await world.call('GET', '/persons', {
      query: 'filter[name]=Ada&filter[name]=Grace',
    })
    assert.deepEqual(ids(other), [])
  })

  // D-12 `filter[name]=a,b`: equals the string `a,b`.
  rule('D-12', 'a comma in a simple filter is a comma', async () => {
    for (const name of ['a', 'b']) await world.person({ name })
    const both = await world.person({ name: 'a,b' })
    assert.deepEqual(ids(await world.get('/persons', { 'filter[name]': 'a,b' })), [both.id])
  })

  // D-18 `+` and `%2B` in query values: WHATWG form decoding: `+` is a space, `%2B` a plus; emitted
  // links must round-trip.
  rule('D-18', 'a plus is a space and %2B a plus, in links too', async () => {
    for (const name of ['a b', 'a+b', 'a b', 'a+b']) await world.person({ name })
    for (const [sent, found] of [
      ['a+b', ['1', '3']],
      ['a%20b', ['1', '3']],
      ['a%2Bb', ['2', '4']],
    ] as const) {
      const query = `filter[name]=${sent}&page[size]=1`
      const answer = await world.call('GET', '/persons', { query })
      assert.equal(answer.body.meta?.count, 2, sent)
      assert.deepEqual(ids(answer), found.slice(0, 1))
      assert.deepEqual(ids(await world.get(answer.body.links?.next ?? 'none')), found.slice(1))
      assert.deepEqual(ids(await world.get(answer.body.links?.self ?? 'none')), found.slice(0, 1))
    }
  })
})
