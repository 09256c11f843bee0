import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  integer,
  json,
  type ModelOptions,
  resource,
  type Store,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { checkType } from '../../cli/doctor/check-type.ts'
import { connectApi, type ExaminedResource, serveInProcess } from '../../cli/doctor/examined-api.ts'
import { ViolationCollector } from '../../cli/doctor/violation.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text),
    age: attribute(integer),
    more: attribute(json),
    computers: toMany('computer', { column: 'person_id' }),
  },
})
const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  fields: { serial: attribute(text), owner: toOne('person', { column: 'person_id' }) },
})
const modelOf = (
  pages: ModelOptions['pages'],
  maxPageSize: number | null = null,
  version: ModelOptions = {},
) => defineModel([person, computer], { pageSize: 2, pages, maxPageSize, ...version })

/** The versions of JSON:API, with what only they have. */
const versions = {
  '1.0': {},
  '1.1': {
    jsonapi: '1.1',
    errorTypes: 'https://example.org/errors#',
    profiles: {
      'https://example.org/profiles/quota': { member: 'quota', meta: () => ({ left: 1 }) },
    },
  },
} as const satisfies Readonly<Record<string, ModelOptions>>

const tables = `
  create table person (id integer primary key, name text, age integer, more text);
  create table computer (id integer primary key, serial text, person_id integer references person (id));
  create index computer_person_id on computer (person_id);
  insert into person values (1, 'Ada', 9, '{"a":1}'), (2, 'Bob', null, null), (3, 'Eve', 10, null);
  insert into computer values (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (4, 'd', null);`

/** A violation: the requests that have it, and the change of their responses. */
interface Violation {
  readonly path: RegExp
  readonly from: string | RegExp
  readonly to: string
  /** Another status. Default: the same. */
  readonly status?: number
  readonly violation: RegExp
}

// biome-ignore format: a table, one violation a row
const violations: readonly Violation[] = [
  { path: /^\/persons\?page/, from: '"count":3', to: '"count":4', violation: /^person: meta\.count is 4, and the pages have 3 resources, e\.g\. GET / },
  { path: /^\/persons$/, from: '"id":"2"', to: '"id":"1"', violation: /^person: the list has a resource twice, e\.g\. GET \/persons/ },
  { path: /^\/persons\/2$/, from: '"name":"Bob"', to: '"name":"Rob"', violation: /^person: the resource differs from the one in the list, e\.g\. GET \/persons\/2$/ },
  { path: /^\/persons$/, from: '"self":"/persons/1"', to: '"self":"/person/1"', violation: /^person: the link self does not resolve: 404 route_not_found .*, e\.g\. GET \/person\/1$/ },
  { path: /^\/computers$/, from: /^.*$/, to: '<html>', violation: /^computer: the list is not readable: 200, e\.g\. GET \/computers$/ },
  { path: /^\/persons\/1\?include/, from: '{"type":"computer","id":"2"}', to: '{"type":"computer","id":"9"}', violation: /^person\.computers: the linkage names a resource that is not included/ },
  { path: /^\/persons\/1\?include/, from: ',{"type":"computer","id":"2"}', to: '', violation: /^person\.computers: a resource is included that the linkage does not name/ },
  { path: /^\/persons\/1\?include/, from: '{"type":"computer","id":"2"}', to: '{"type":"computer","id":"1"}', violation: /^person\.computers: the linkage names a resource twice/ },
  { path: /^\/persons\/1\?include/, from: /"data":\[[^\]]*\]/, to: '"x":0', violation: /^person\.computers: the included resources are not readable: 200/ },
  { path: /^\/persons\/1\/computers/, from: '"id":"2"', to: '"id":"3"', violation: /^person\.computers: the link related has other members than the linkage, e\.g\. GET \/persons\/1\/computers$/ },
  { path: /^\/persons\/1\/computers/, from: '"count":2', to: '"count":1', violation: /^person\.computers: meta\.count is 1, and the pages have 2 resources/ },
  { path: /^\/computers\/1\/relationships\/owner/, from: '"data":{"type":"person","id":"1"}', to: '"data":null', violation: /^computer\.owner: the link self has other members than the linkage/ },
  { path: /^\/computers\/1\?include/, from: '"related":"/computers/1/owner"', to: '"related":"/computers/1/own"', violation: /^computer\.owner: the link related does not resolve: 404 route_not_found/ },
  { path: /^\/computers\/1\?include/, from: '"related":"/computers/1/owner"', to: '"other":""', violation: /^computer\.owner: the relationship has no link related/ },
  { path: /^\/persons\?filter=.*"Ada"/, from: /"data":\[.*\]/, to: '"data":[]', violation: /^person\.name: a filter by eq and its value "Ada" does not find the resource, e\.g\. GET \/persons\?filter=/ },
  { path: /^\/persons\?filter=.*"ge","val":9/, from: /"data":\[.*\]/, to: '"data":[]', violation: /^person\.age: a filter by ge and its value 9 does not find the resource/ },
  { path: /^\/persons\?filter=.*"not":\{"name":"age","op":"lt","val":9/, from: /"data":\[.*\]/, to: '"data":[]', violation: /^person\.age: a filter by lt and its value 9 finds the resource/ },
  { path: /^\/persons\?filter=.*"isnot","val":null/, from: /"data":\[.*\]/, to: '"data":[]', violation: /^person\.age: a filter by isnot and its value null finds the resource/ },
  { path: /^\/persons\?sort=-name/, from: '"id":"3"', to: '"id":"1"', violation: /^person\.name: the list in descending order is not the reverse of that in ascending order, e\.g\. GET \/persons\?sort=name,id/ },
  { path: /^\/persons\?sort=age/, from: '"age":10', to: '"age":8', violation: /^person\.age: the numbers of the sorted list do not ascend/ },
  { path: /^\/persons\?(?=.*sort=id)(?=.*page\[size\]=2)(?=.*page\[(number|after)\])/, from: '"id":"3"', to: '"id":"2"', violation: /^person: pages of half the size have other resources, or another order/ },
  { path: /^\/persons\?include=computers&/, from: '"serial":"a"', to: '"serial":"b"', violation: /^person\.computers: an included resource differs from its own address \/computers\/1: 200/ },
  { path: /^\/persons\/1\?fields\[person\]=name/, from: '"name":"Ada"', to: '"name":"Ada","age":9', violation: /^person\.name: fields does not select it alone: 200/ },
  { path: /^\/persons\/1\?fields\[person\]=age/, from: '"age":9', to: '"age":8', violation: /^person\.age: fields does not select it alone: 200/ },
  { path: /^\/persons\?sort=no-such-name/, from: '"status":"400"', to: '"status":"500"', violation: /^person: a sort field that does not exist has no error document of JSON:API with the status 400/ },
  { path: /^\/persons\?include=no-such-name/, from: '', to: '', status: 200, violation: /^person: an include path that does not exist must be 400; it is 200/ },
  { path: /^\/persons\/no-such-id/, from: '', to: '', status: 500, violation: /^person: a resource that does not exist must be 404; it is 500/ },
  { path: /^\/computers\?page\[number\]=x/, from: '', to: '', status: 404, violation: /^computer: a page that is not a number must be 400; it is 404/ },
  { path: /^\/persons$/, from: /"version":"1.."/, to: '"version":"2.0"', violation: /^person: API-3 at \/jsonapi\/version: it must be "1\.0" or "1\.1", e\.g\. GET \/persons$/ },
  { path: /^\/persons\/1$/, from: '"age":9', to: '"age":"nine"', violation: /^person: the response differs from the description of the API: response: \/data\/attributes\/age must be integer or null, e\.g\. GET \/persons\/1$/ },
]

for (const [by, version] of [
  ['number', '1.0'],
  ['cursor', '1.0'],
  ['cursor', '1.1'],
] as const)
  describe(`The doctor of an API of JSON:API ${version} over HTTP, with pages by ${by}`, () => {
    const model = modelOf({ by }, null, versions[version])
    let store: Store
    let server: Server
    let url: string
    let violation: Violation | undefined

    before(async () => {
      store = openSqlite(model, ':memory:')
      await store.migrate([{ version: 1, sql: tables }])
      const handle = createHandler({ model, store, openapi: true })
      server = createServer(async (request, response) => {
        const path = decodeURIComponent(request.url ?? '')
        const headers = new Headers({ accept: String(request.headers.accept) })
        const answer = await handle(new Request(`${url}${request.url}`, { headers }))
        const text = await answer.text()
        const isViolating = violation?.path.test(path) ?? false
        response.writeHead(
          (isViolating && violation?.status) || answer.status,
          Object.fromEntries(
            answer.headers.entries().filter(([name]) => name !== 'content-length'),
          ),
        )
        response.end(violation && isViolating ? text.replace(violation.from, violation.to) : text)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    })
    after(async () => {
      server.close()
      await store.close()
    })

    const examine = async (planted: Violation | undefined, sample = 10) => {
      violation = planted
      const api = await connectApi(`${url}/`)
      const violations = new ViolationCollector()
      const found = []
      const types = api.types.filter(
        ({ type }) => planted === undefined || planted.violation.source.startsWith(`^${type}`),
      )
      for (const type of types)
        found.push(
          await checkType(
            { api, type, violations, description: api.describe?.(type.path) },
            { sample },
          ),
        )
      return { found, violations: violations.format() }
    }

    it('examines all pages, and finds no violation in answers of the engine', async () => {
      assert.deepEqual(await examine(undefined), {
        found: [
          { examined: 3, count: 3, large: new Set() },
          { examined: 4, count: 4, large: new Set() },
        ],
        violations: [],
      })
    })

    for (const planted of violations)
      it(`reports ${planted.violation.source.split(',')[0]}`, async () => {
        const { violations } = await examine(planted)
        assert.ok(
          violations.some((line) => planted.violation.test(line)),
          violations.join('\n'),
        )
      })

    it('reports a count that the last page does not reach, though the sample ends before', async () => {
      const planted = { path: /^\/persons(\?page|$)/, from: '"count":3', to: '"count":4' }
      const { violations, found } = await examine({ ...planted, violation: /^person/ }, 2)
      assert.deepEqual(found, [{ examined: 2, count: 4, large: new Set() }])
      assert.deepEqual(
        violations.map((line) => line.replace(/, e\.g\. .*/, '')),
        [
          by === 'number'
            ? 'person: meta.count is 4, and the last page ends at 3'
            : 'person: meta.count is 4, and the pages have 3 resources',
        ],
      )
    })

    it('does not read all members of a relationship with many, and says so', async () => {
      violation = undefined
      const requests: string[] = []
      await store.migrate([
        {
          version: 2,
          sql: `with recursive n (i) as (select 10 union all select i + 1 from n where i < 1100)
          insert into computer select i, 's' || i, 3 from n`,
        },
      ])
      const { get, ...api } = await connectApi(`${url}/`)
      const type = api.types.find((each) => each.type === 'person')
      assert.ok(type)
      const counted = async (path: string, accept?: string) => {
        requests.push(path)
        return get(path, accept)
      }
      const violations = new ViolationCollector()
      const found = await checkType(
        { api: { ...api, get: counted }, type, violations },
        { sample: 10 },
      )
      assert.deepEqual(found, { examined: 3, count: 3, large: new Set(['computers']) })
      assert.deepEqual(violations.format(), [])
      const ofMany = requests.filter((path) => /persons\/3\/|include=computers/.test(path))
      assert.deepEqual(ofMany, [
        '/persons/1?include=computers',
        '/persons/2?include=computers',
        '/persons/3/computers',
      ])
    })

    it('requests the paths of links to another origin from the API, and leads no header field elsewhere', async () => {
      const received: string[] = []
      const other = createServer(({ url: path }, response) => {
        received.push(String(path))
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const address = other.address()
      const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
      violation = { path: /./, from: new RegExp(url, 'g'), to: origin, violation: /./ }
      const api = await connectApi(url, { authorization: 'Bearer secret' })
      const violations = new ViolationCollector()
      for (const type of api.types) await checkType({ api, type, violations }, { sample: 10 })
      other.close()
      assert.deepEqual(received, [])
      assert.deepEqual([...api.otherOrigins], [origin])
      assert.deepEqual(violations.format(), [])
    })

    it('given a proxy that changes the path, says so before it examines anything', async (test) => {
      const proxy = createServer(async (request, response) => {
        const path = String(request.url).replace(/^\/shop\//, '/')
        response.end(await (await fetch(url + path, { headers: { accept: '*/*' } })).text())
      }).listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      test.after(() => proxy.close())
      const address = proxy.address()
      violation = undefined
      const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
      await assert.rejects(connectApi(`${origin}/shop`), {
        message: `the links of ${origin}/shop lead to /persons, without /shop, because a proxy changes the path; give the server the prefix /shop, or examine it without the proxy`,
      })
    })

    it('follows no redirection', async (test) => {
      const other = createServer((_request, response) => {
        response.writeHead(307, { location: url }).end()
      }).listen(0, '127.0.0.1')
      await once(other, 'listening')
      test.after(() => other.close())
      const address = other.address()
      const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
      await assert.rejects(connectApi(origin), /its status is 307/)
    })
  })

/** Changes the resources of a list, by its URL. */
type ChangeList = (ids: readonly string[], url: string) => readonly string[]

const keepList: ChangeList = (ids) => ids

// biome-ignore format: a table, one fault a row
const faults: readonly { fault: string; sample: number; change: ChangeList; violation: RegExp }[] = [
  { fault: 'loses the first row of a page', sample: 2, change: (ids, url) => /sort=id.*page\[after\]/.test(url) ? ids.slice(1) : ids, violation: /pages of half the size have other resources/ },
  { fault: 'repeats a row on the next page', sample: 10, change: (ids, url) => /^[^?]*\?page\[after\]/.test(url) ? ['1', ...ids] : ids, violation: /the list has a resource twice/ },
  { fault: 'has no row on the last page', sample: 2, change: (ids, url) => /page\[before\]/.test(url) ? [] : ids, violation: /the last page has other resources than the end of the list/ },
  { fault: 'has another last page', sample: 2, change: (ids, url) => /page\[before\]/.test(url) ? ['1', '2'] : ids, violation: /the last page has other resources than the end of the list/ },
  { fault: 'does not reverse the order', sample: 10, change: (ids, url) => /sort=-name/.test(url) ? ids.toReversed() : ids, violation: /the list in descending order is not the reverse/ },
]

describe('The doctor of declarations with profiles', () => {
  const quota = 'https://example.org/profiles/quota'
  const metas: readonly (readonly [title: string, meta: () => object, found: readonly string[]])[] =
    [
      ['are applied', () => ({ left: 1 }), []],
      [
        'have a function that throws',
        () => {
          throw new Error('no quota')
        },
        ['person', 'computer'].map(
          (type) => `${type}: the list does not have the profile ${quota}: 500`,
        ),
      ],
    ]
  for (const [title, meta, expected] of metas)
    for (const by of ['number', 'cursor'] as const)
      it(`examines them where they ${title}, with pages by ${by}`, async () => {
        const profiles = { [quota]: { member: 'quota', meta } }
        const model = modelOf({ by }, null, { jsonapi: '1.1', profiles: profiles as never })
        const store = openSqlite(model, ':memory:')
        await store.migrate([{ version: 1, sql: tables }])
        const api = await serveInProcess({ model, store }, undefined)
        const violations = new ViolationCollector()
        for (const type of api.types) await checkType({ api, type, violations }, { sample: 2 })
        await store.close()
        assert.deepEqual(
          violations.format().map((line) => line.replace(/ internal_error.*/, '')),
          expected,
        )
      })
})

describe('The doctor of lists between cursors', () => {
  const examineWith = async (
    options: Readonly<{
      total: 'exact' | 'capped' | 'none'
      maxPageSize?: number
      sample?: number
    }>,
    change: ChangeList = keepList,
  ) => {
    const { total, maxPageSize, sample = 2 } = options
    const model = modelOf({ by: 'cursor', total }, maxPageSize)
    const store = openSqlite(model, ':memory:')
    await store.migrate([{ version: 1, sql: tables }])
    const { declared: _, ...api } = await serveInProcess({ model, store }, undefined)
    const get: typeof api.get = async (url, accept) => {
      const response = await api.get(url, accept)
      const { document } = response
      if (response.status !== 200 || !Array.isArray(document.data)) return response
      const { data } = document as { data: readonly ExaminedResource[] }
      const changed = change(
        data.map(({ id }) => id),
        decodeURIComponent(url.replace(/^http:..localhost/, '')),
      )
      const list = changed.flatMap(
        (id) => data.find((each) => each.id === id) ?? { type: 'person', id },
      )
      return { ...response, document: { ...document, data: list } }
    }
    const violations = new ViolationCollector()
    const found = []
    for (const type of api.types) {
      const description = api.describe?.(type.path)
      found.push(
        await checkType({ api: { ...api, get }, type, violations, description }, { sample }),
      )
    }
    await store.close()
    return { found, violations: violations.format() }
  }

  for (const total of ['exact', 'capped', 'none'] as const)
    for (const maxPageSize of [undefined, 2])
      it(`finds no violation with the count ${total} and ${maxPageSize ?? 'no'} resources at most`, async () => {
        const { found, violations } = await examineWith({
          total,
          ...(maxPageSize && { maxPageSize }),
        })
        assert.deepEqual(violations, [])
        const counts = total === 'none' ? [undefined, undefined] : [3, 4]
        assert.deepEqual(
          found.map(({ count }) => count),
          counts,
        )
      })

  it('counts the list itself if the API does not, and the sample has all', async () => {
    const { found } = await examineWith({ total: 'none', sample: 10 })
    assert.deepEqual(
      found.map(({ examined, count }) => [examined, count]),
      [
        [3, 3],
        [4, 4],
      ],
    )
  })

  for (const { fault, sample, change, violation } of faults)
    it(`finds a list that ${fault}`, async () => {
      const { violations } = await examineWith({ total: 'none', sample }, change)
      assert.match(violations.join('\n'), violation)
    })
})
