import assert from 'node:assert/strict'
import type { Answer, World } from '../world.ts'
import { chapter, ids, rule } from '../world.ts'
import { allMembers } from './document-members.ts'
import { assertError } from './samples.ts'

/** Creates persons named `p00`, `p01`, … and hands back their ids. */
async function people(world: World, many: number): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < many; at++) {
    found.push((await world.person({ name: `p${String(at).padStart(2, '0')}` })).id)
  }
  return found
}

/** The names of an answer's top-level links. */
function keys({ body }: Answer): string[] {
  return Object.keys(body.links ?? {}).sort()
}

/** The query of a top-level link. */
function query({ body }: Answer, link: string): URLSearchParams {
  return new URL(body.links?.[link] ?? 'about:blank').searchParams
}

chapter('PAG Pagination', (world: World) => {
  // PAG-1 A server may return a page of the whole set.
  rule('PAG-1', 'a collection is told 30 at a time, with the count of all', async () => {
    const all = await people(world, 31)
    const answer = await world.get('/persons')
    assert.deepEqual(ids(answer), all.slice(0, 30))
    assert.deepEqual(answer.body.meta, { count: 31 })
    const second = await world.get('/persons', { 'page[number]': 2 })
    assert.deepEqual(ids(second), all.slice(30))
    assert.deepEqual(second.body.meta, { count: 31 })
  })

  rule('PAG-1', 'the size 0 turns pages off', async () => {
    const all = await people(world, 31)
    const answer = await world.get('/persons', { 'page[size]': 0 })
    assert.deepEqual(ids(answer), all)
    assert.deepEqual(answer.body.meta, { count: 31 })
    assert.deepEqual(keys(answer), ['self'])
  })

  // PAG-2 It may give pagination links.
  rule('PAG-2', 'the links lead, as absolute addresses, to the pages they name', async () => {
    const all = await people(world, 5)
    const middle = await world.get('/persons', { 'page[size]': 2, 'page[number]': 2 })
    assert.deepEqual(ids(middle), all.slice(2, 4))
    assert.deepEqual(keys(middle), ['first', 'last', 'next', 'prev', 'self'])
    for (const [link, page] of [
      ['first', all.slice(0, 2)],
      ['prev', all.slice(0, 2)],
      ['self', all.slice(2, 4)],
      ['next', all.slice(4)],
      ['last', all.slice(4)],
    ] as const) {
      const address = middle.body.links?.[link] ?? 'none'
      assert.ok(address.startsWith(`${world.url}/persons?`), address)
      assert.deepEqual(ids(await world.get(address)), page, link)
    }
  })

  rule('PAG-2', 'the computers of a person are paged too', async () => {
    const ada = await world.person()
    const hers = []
    for (let at = 0; at < 3; at++) hers.push((await world.computer({}, ada)).id)
    await world.computer()
    const path = `/persons/${ada.id}/computers`
    const answer = await world.get(path, { 'page[size]': 2 })
    assert.deepEqual(ids(answer), hers.slice(0, 2))
    assert.deepEqual(answer.body.meta, { count: 3 })
    const next = answer.body.links?.next ?? 'none'
    assert.ok(next.startsWith(`${world.url}${path}?`), next)
    assert.deepEqual(ids(await world.get(next)), hers.slice(2))
  })

  // PAG-3 They sit in the links object of the collection they page (top-level for primary data).
  rule('PAG-3', 'pagination links stand at the top level, never inside resources', async () => {
    const [first = 'none'] = await people(world, 3)
    await world.computer({}, { type: 'person', id: first })
    const answer = await world.get('/persons', { 'page[size]': 1, include: 'computers' })
    const paging = ['first', 'last', 'prev', 'next']
    const places = [...allMembers(answer.body)].filter(({ name }) => paging.includes(name))
    assert.deepEqual(places.map(({ pointer }) => pointer).sort(), [
      '/links/first',
      '/links/last',
      '/links/next',
    ])
  })

  // PAG-4 Keys are `first`, `last`, `prev`, `next`.
  rule('PAG-4', 'the links are named first, last, prev and next', async () => {
    await people(world, 5)
    const page = async (number: number) =>
      keys(await world.get('/persons', { 'page[size]': 2, 'page[number]': number }))
    assert.deepEqual(await page(1), ['first', 'last', 'next', 'self'])
    assert.deepEqual(await page(2), ['first', 'last', 'next', 'prev', 'self'])
    assert.deepEqual(await page(3), ['first', 'last', 'prev', 'self'])
  })

  // PAG-5 An unavailable link is omitted or `null`.
  rule('PAG-5', 'a link that leads nowhere is left out', async () => {
    await people(world, 4)
    const at = (number: number, size: number) =>
      world.get('/persons', { 'page[size]': size, 'page[number]': number })
    assert.ok(!('prev' in ((await at(1, 2)).body.links ?? {})))
    assert.ok(!('next' in ((await at(2, 2)).body.links ?? {})))
    assert.deepEqual(keys(await at(1, 4)), ['self'])
    assert.deepEqual(keys(await at(1, 30)), ['self'])
    assert.deepEqual(keys(await world.get('/persons')), ['self'])
    assert.deepEqual(keys(await at(1, 0)), ['self'])
    assert.deepEqual(keys(await world.get('/persons', { 'filter[name]': 'nobody' })), ['self'])
  })

  // PAG-6 first/last/prev/next follow the sort order.
  rule('PAG-6', 'the pages joined are the whole list in its order, once each', async () => {
    const all = await people(world, 7)
    await world.person({ name: 'left out' })
    const filter = [{ name: 'name', op: 'startswith', val: 'p' }]
    const shape = { sort: '-name', filter, include: 'computers', 'fields[person]': 'name' }
    const first = await world.get('/persons', { ...shape, 'page[size]': 2 })
    const visited = [first]
    for (let answer = first; answer.body.links?.next !== undefined; ) {
      answer = await world.get(answer.body.links.next)
      visited.push(answer)
      assert.ok(visited.length <= 4, 'the pages never end')
    }
    assert.deepEqual(visited.flatMap(ids), all.toReversed())
    const last = await world.get(first.body.links?.last ?? 'none')
    assert.deepEqual(ids(last), [all[0]])
    const back = await world.get(last.body.links?.prev ?? 'none')
    assert.deepEqual(ids(back), [all[2], all[1]])
    assert.deepEqual(ids(await world.get(back.body.links?.first ?? 'none')), ids(first))
  })

  rule('PAG-6', 'each link keeps the other parameters', async () => {
    await people(world, 5)
    const filter = [{ name: 'name', op: 'startswith', val: 'p' }]
    const shape = { sort: '-name', include: 'computers', 'fields[person]': 'name' }
    const asked = { ...shape, filter, 'filter[gender]': 'x', 'page[size]': '2' }
    for (const gender of ['x', 'x']) await world.person({ name: 'p99', gender })
    await world.person({ name: 'p98', gender: 'x' })
    const answer = await world.get('/persons', asked)
    assert.equal(answer.body.meta?.count, 3)
    for (const [link, number] of [
      ['first', '1'],
      ['next', '2'],
      ['last', '2'],
    ] as const) {
      const { 'page[number]': page = '1', ...kept } = Object.fromEntries(query(answer, link))
      assert.equal(page, number, link)
      assert.deepEqual(kept, { ...asked, filter: JSON.stringify(filter) }, link)
    }
    const self = Object.fromEntries(query(answer, 'self'))
    assert.deepEqual(self, { ...asked, filter: JSON.stringify(filter) })
  })

  // PAG-7 Use the `page` family.
  rule('PAG-7', 'pages are asked for by page[size] and page[number], nothing else', async () => {
    const all = await people(world, 3)
    const answer = await world.get('/persons', { 'page[size]': 1, 'page[number]': 3 })
    assert.deepEqual(ids(answer), all.slice(2))
    for (const parameter of ['page', 'page[limit]', 'page[offset]', 'limit', 'offset']) {
      assertError(await world.get('/persons', { [parameter]: 1 }), 400, { parameter })
    }
  })
})
