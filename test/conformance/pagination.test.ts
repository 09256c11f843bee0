import assert from 'node:assert/strict'
import type { TestResponse, TestService } from '../service-suite.ts'
import { describeService, ids, rule } from '../service-suite.ts'
import { allMembers } from './document-members.ts'
import { assertError } from './samples.ts'

/** Creates persons named `p00`, `p01`, … and returns their ids. */
async function createPersons(app: TestService, count: number): Promise<string[]> {
  const created: string[] = []
  for (let index = 0; index < count; index++) {
    created.push((await app.person({ name: `p${String(index).padStart(2, '0')}` })).id)
  }
  return created
}

/** The names of the top-level links of a response, sorted. */
function linkNames({ body }: TestResponse): string[] {
  return Object.keys(body.links ?? {}).sort()
}

/** The query parameters of a top-level link. */
function linkQuery({ body }: TestResponse, link: string): URLSearchParams {
  return new URL(body.links?.[link] ?? 'about:blank').searchParams
}

describeService('Pagination', (app: TestService) => {
  rule('PAG-1', 'by default a page has 30 resources, and the count has all', async () => {
    const all = await createPersons(app, 31)
    const response = await app.get('/persons')
    assert.deepEqual(ids(response), all.slice(0, 30))
    assert.deepEqual(response.body.meta, { count: 31 })
    const second = await app.get('/persons', { 'page[number]': 2 })
    assert.deepEqual(ids(second), all.slice(30))
    assert.deepEqual(second.body.meta, { count: 31 })
  })

  rule('PAG-1', 'given page[size]=0, the response has all resources', async () => {
    const all = await createPersons(app, 31)
    const response = await app.get('/persons', { 'page[size]': 0 })
    assert.deepEqual(ids(response), all)
    assert.deepEqual(response.body.meta, { count: 31 })
    assert.deepEqual(linkNames(response), ['self'])
  })

  rule('PAG-2', 'pagination links are absolute URLs of the pages that they name', async () => {
    const all = await createPersons(app, 5)
    const middle = await app.get('/persons', { 'page[size]': 2, 'page[number]': 2 })
    assert.deepEqual(ids(middle), all.slice(2, 4))
    assert.deepEqual(linkNames(middle), ['first', 'last', 'next', 'prev', 'self'])
    for (const [link, page] of [
      ['first', all.slice(0, 2)],
      ['prev', all.slice(0, 2)],
      ['self', all.slice(2, 4)],
      ['next', all.slice(4)],
      ['last', all.slice(4)],
    ] as const) {
      const url = middle.body.links?.[link] ?? 'none'
      assert.ok(url.startsWith(`${app.url}/persons?`), url)
      assert.deepEqual(ids(await app.get(url)), page, link)
    }
  })

  rule('PAG-2', 'related resources have pages too', async () => {
    const ada = await app.person()
    const computers = []
    for (let index = 0; index < 3; index++) computers.push((await app.computer({}, ada)).id)
    await app.computer()
    const path = `/persons/${ada.id}/computers`
    const response = await app.get(path, { 'page[size]': 2 })
    assert.deepEqual(ids(response), computers.slice(0, 2))
    assert.deepEqual(response.body.meta, { count: 3 })
    const next = response.body.links?.next ?? 'none'
    assert.ok(next.startsWith(`${app.url}${path}?`), next)
    assert.deepEqual(ids(await app.get(next)), computers.slice(2))
  })

  rule('PAG-3', 'pagination links are top-level links, never links of resources', async () => {
    const [first = 'none'] = await createPersons(app, 3)
    await app.computer({}, { type: 'person', id: first })
    const response = await app.get('/persons', { 'page[size]': 1, include: 'computers' })
    const paginationLinks = ['first', 'last', 'prev', 'next']
    const found = [...allMembers(response.body)].filter(({ name }) =>
      paginationLinks.includes(name),
    )
    assert.deepEqual(found.map(({ pointer }) => pointer).sort(), [
      '/links/first',
      '/links/last',
      '/links/next',
    ])
  })

  rule('PAG-4', 'pagination links are named first, last, prev and next', async () => {
    await createPersons(app, 5)
    const page = async (number: number) =>
      linkNames(await app.get('/persons', { 'page[size]': 2, 'page[number]': number }))
    assert.deepEqual(await page(1), ['first', 'last', 'next', 'self'])
    assert.deepEqual(await page(2), ['first', 'last', 'next', 'prev', 'self'])
    assert.deepEqual(await page(3), ['first', 'last', 'prev', 'self'])
  })

  rule('PAG-5', 'a link to a page that does not exist is absent', async () => {
    await createPersons(app, 4)
    const fetchPage = (number: number, size: number) =>
      app.get('/persons', { 'page[size]': size, 'page[number]': number })
    assert.ok(!('prev' in ((await fetchPage(1, 2)).body.links ?? {})))
    assert.ok(!('next' in ((await fetchPage(2, 2)).body.links ?? {})))
    assert.deepEqual(linkNames(await fetchPage(1, 4)), ['self'])
    assert.deepEqual(linkNames(await fetchPage(1, 30)), ['self'])
    assert.deepEqual(linkNames(await app.get('/persons')), ['self'])
    assert.deepEqual(linkNames(await fetchPage(1, 0)), ['self'])
    assert.deepEqual(linkNames(await app.get('/persons', { 'filter[name]': 'nobody' })), ['self'])
  })

  rule(
    'PAG-6',
    'the pages together have every resource once, in the order of the sort',
    async () => {
      const all = await createPersons(app, 7)
      await app.person({ name: 'not matching' })
      const filter = [{ name: 'name', op: 'startswith', val: 'p' }]
      const query = { sort: '-name', filter, include: 'computers', 'fields[person]': 'name' }
      const first = await app.get('/persons', { ...query, 'page[size]': 2 })
      const visited = [first]
      for (let response = first; response.body.links?.next !== undefined; ) {
        response = await app.get(response.body.links.next)
        visited.push(response)
        assert.ok(visited.length <= 4, 'the pages never end')
      }
      assert.deepEqual(visited.flatMap(ids), all.toReversed())
      const last = await app.get(first.body.links?.last ?? 'none')
      assert.deepEqual(ids(last), [all[0]])
      const previous = await app.get(last.body.links?.prev ?? 'none')
      assert.deepEqual(ids(previous), [all[2], all[1]])
      assert.deepEqual(ids(await app.get(previous.body.links?.first ?? 'none')), ids(first))
    },
  )

  rule('PAG-6', 'each link has the other parameters of the request', async () => {
    await createPersons(app, 5)
    const filter = [{ name: 'name', op: 'startswith', val: 'p' }]
    const options = { sort: '-name', include: 'computers', 'fields[person]': 'name' }
    const request = { ...options, filter, 'filter[gender]': 'x', 'page[size]': '2' }
    for (const gender of ['x', 'x']) await app.person({ name: 'p99', gender })
    await app.person({ name: 'p98', gender: 'x' })
    const response = await app.get('/persons', request)
    assert.equal(response.body.meta?.count, 3)
    for (const [link, number] of [
      ['first', '1'],
      ['next', '2'],
      ['last', '2'],
    ] as const) {
      const { 'page[number]': page = '1', ...others } = Object.fromEntries(
        linkQuery(response, link),
      )
      assert.equal(page, number, link)
      assert.deepEqual(others, { ...request, filter: JSON.stringify(filter) }, link)
    }
    const self = Object.fromEntries(linkQuery(response, 'self'))
    assert.deepEqual(self, { ...request, filter: JSON.stringify(filter) })
  })

  rule('PAG-7', 'page[size] and page[number] select a page', async () => {
    const all = await createPersons(app, 3)
    const response = await app.get('/persons', { 'page[size]': 1, 'page[number]': 3 })
    assert.deepEqual(ids(response), all.slice(2))
  })

  for (const parameter of ['page', 'page[limit]', 'page[offset]', 'limit', 'offset'])
    rule('PAG-7', `the parameter ${parameter} gets 400`, async () => {
      assertError(await app.get('/persons', { [parameter]: 1 }), 400, { parameter })
    })
})
