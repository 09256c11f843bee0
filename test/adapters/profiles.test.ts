import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { attribute, defineModel, resource, type Store, text, toMany, toOne } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { atomicExtension, cursorProfile, mediaType } from '../../src/model/media-types.ts'
import { type Client, connect, type Exchange } from '../client.ts'
import { scale, seed } from '../property/seed.ts'
import { hosts, type RunningHost } from './hosts.ts'

const quota = 'https://example.org/profiles/quota'
const origin = 'urn:example:origin'
const failing = 'https://example.org/profiles/failing'
const declared = [quota, origin, failing]

/** What the function of a profile returns, which changes without the database. */
let left = 0

const list = resource('list', {
  path: '/lists',
  table: 'list',
  fields: { name: attribute(text), notes: toMany('note', { column: 'list_id' }) },
})
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields: { text: attribute(text), list: toOne('list', { column: 'list_id' }) },
})
const model = defineModel([list, note], {
  jsonapi: '1.1',
  errorTypes: 'https://example.org/errors#',
  profiles: {
    [quota]: { member: 'quota', meta: ({ auth }) => ({ left, of: auth ?? null }) },
    [origin]: { member: 'origin', meta: () => ({ 'data"base': ['main'] }) },
    [failing]: {
      member: 'failing',
      meta: () => {
        throw new Error('a secret of the application')
      },
    },
  },
})

/** An element of `Accept`, whose weight is in tenths. */
interface Range {
  readonly type: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly weight: number | undefined
}

const uris = fc.array(
  fc.constantFrom(
    ...[quota, quota, origin, cursorProfile, atomicExtension, 'https://example.org/unknown'],
    ...[quota.toUpperCase(), `${quota}/`, '__proto__', 'x', `urn:${'x'.repeat(300)}`],
  ),
  { maxLength: 4 },
)
const profileList = fc
  .tuple(fc.constantFrom('profile', 'Profile'), uris, fc.constantFrom(' ', '  '))
  .map(([name, list, gap]) => [name, `"${list.join(gap)}"`] as const)
const parameter = fc.oneof(
  { weight: 8, arbitrary: profileList },
  { weight: 1, arbitrary: fc.constant(['ext', `"${atomicExtension}"`] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(['ext', '"urn:none"'] as const, ['charset', 'utf-8'] as const),
  },
)
const range: fc.Arbitrary<Range> = fc.record({
  type: fc.constantFrom(mediaType, mediaType, mediaType, 'application/json', '*/*'),
  parameters: fc.array(parameter, { maxLength: 2 }),
  weight: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
})
const malformed = fc.constantFrom(
  ...[`${mediaType};profile`, `${mediaType};profile=${quota}`, `${mediaType};profile="${quota}`],
  ...[`${mediaType};profile="${quota}\\`, `${mediaType};profile="a" "${quota}"`, `${mediaType};;`],
  `${mediaType};profile="${`${quota} `.repeat(1000)}"`,
)

const format = ({ type, parameters, weight }: Range) =>
  [
    type,
    ...parameters.map(([name, value]) => `${name}=${value}`),
    ...(weight === undefined ? [] : [`q=${weight / 10}`]),
  ].join(';')

const urisOf = ({ parameters }: Range, of: string) =>
  parameters.flatMap(([name, value]) =>
    name.toLowerCase() === of ? value.slice(1, -1).split(/ +/) : [],
  )

/** The profiles that a document has; `undefined` if the response is 406. */
function expectProfiles(accept: readonly Range[]): readonly string[] | undefined {
  const named = accept.filter(({ type }) => type === mediaType)
  const acceptable = named.filter(
    (each) =>
      each.parameters.every(([name]) => name.toLowerCase() !== 'charset') &&
      urisOf(each, 'ext').every((uri) => uri === atomicExtension),
  )
  if (named.length > 0 && acceptable.length === 0) return undefined
  const plain = acceptable.filter(
    (each) => !each.parameters.some(([name]) => name === 'ext') && each.weight !== 0,
  )
  const [best] = plain.toSorted((one, other) => (other.weight ?? 10) - (one.weight ?? 10))
  const wanted = best ? urisOf(best, 'profile') : []
  return declared.filter((uri) => wanted.includes(uri))
}

/** Asserts that every part of a response says the same of its profiles, and returns them. */
function readProfiles({ status, headers, text }: Exchange): readonly string[] {
  assert.ok(status === 200 || status === 406 || status === 500, `${status} ${text}`)
  assert.match(headers.vary ?? '', /Accept/)
  const { meta = {}, jsonapi, links = {}, errors } = JSON.parse(text)
  const profiles: readonly string[] = jsonapi.profile ?? []
  const parameter = profiles.length === 0 ? '' : `;profile="${profiles.join(' ')}"`
  assert.equal(headers['content-type'], mediaType + parameter)
  if (errors) {
    assert.deepEqual(
      errors.map(({ links }: { links: object }) => links),
      [{ type: `https://example.org/errors#${errors[0].code}` }],
    )
    assert.doesNotMatch(text, /secret/)
    return profiles
  }
  assert.equal(links.self.type, parameter === '' ? undefined : mediaType + parameter)
  assert.deepEqual(meta.quota, profiles.includes(quota) ? { left, of: null } : undefined)
  assert.deepEqual(meta.origin, profiles.includes(origin) ? { 'data"base': ['main'] } : undefined)
  return profiles
}

const reads = [
  ['GET', '/lists'],
  ['GET', '/lists?page[total]=exact'],
  ['GET', '/lists/1'],
  ['GET', '/lists/1/notes'],
  ['GET', '/notes/1/list'],
  ['GET', '/lists/1/relationships/notes'],
  ['GET', '/lists/1/relationships/notes?page[total]=none'],
  ['GET', '/notes/1/relationships/list'],
  ['QUERY', '/lists'],
] as const

for (const host of hosts)
  describe(`Profiles of the application · ${host.name}`, () => {
    let store: Store
    let running: RunningHost
    let client: Client
    before(async () => {
      store = openSqlite(model, ':memory:')
      await store.migrate([
        {
          version: 1,
          sql: `create table list (id integer primary key, name text);
            create table note (id integer primary key, text text, list_id integer references list (id));
            create index note_list on note (list_id);
            insert into list (name) values ('a'); insert into note (text, list_id) values ('b', 1)`,
        },
      ])
      running = await host.start({ model, store, prefix: '' })
      client = connect(running.origin)
    })
    after(async () => {
      client.close()
      await running.close()
      await store.close()
    })
    const read = ([method, path]: readonly [string, string], accept: string, more = {}) =>
      client.send(method, path, {
        headers: {
          accept,
          ...(method === 'QUERY' && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(method === 'QUERY' && { raw: '{}' }),
      })

    it('are those of its first choice that the server has, and every part of the response agrees', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...reads),
          fc.array(range, { minLength: 1, maxLength: 4 }),
          async (target, accept) => {
            const expected = expectProfiles(accept)
            const response = await read(target, accept.map(format).join(', '))
            const found = readProfiles(response)
            const status = expected?.includes(failing) ? 500 : expected ? 200 : 406
            assert.equal(response.status, status)
            if (status !== 200) return assert.deepEqual(found, [])
            const cursors = target[1].includes('total') ? [cursorProfile] : []
            assert.deepEqual(found, [...cursors, ...(expected ?? [])])
          },
        ),
        { numRuns: 100 * scale, seed },
      )
    })

    it('are never named by halves where `Accept` is malformed or huge', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...reads), malformed, async (target, accept) => {
          readProfiles(await read(target, accept))
        }),
        { numRuns: 30 * scale, seed },
      )
    })

    it('change the entity tag, and 304 is sent only while their functions return the same', async () => {
      for (const target of reads) {
        const plain = await read(target, mediaType)
        const accept = `${mediaType};profile="${quota}"`
        const { headers } = await read(target, accept)
        const { etag = '' } = headers
        assert.notEqual(etag, plain.headers.etag)
        for (let repeated = 0; repeated < 3; repeated += 1) {
          const current = await read(target, accept, { 'if-none-match': etag })
          assert.deepEqual([current.status, current.headers.etag, current.text], [304, etag, ''])
        }
        left += 1
        const changed = await read(target, accept, { 'if-none-match': etag })
        assert.equal(changed.status, 200)
        assert.notEqual(changed.headers.etag, etag)
        const other = await read(target, mediaType, { 'if-none-match': plain.headers.etag })
        assert.equal(other.status, 304)
      }
    })

    it('are ignored in the type of a body, which may have any of them and no other parameter', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(parameter, { maxLength: 2 }), async (parameters) => {
          const type = format({ type: mediaType, parameters, weight: undefined })
          const response = await client.send('PATCH', '/notes/1', {
            headers: { 'content-type': type, accept: `${mediaType};profile="${quota}"` },
            body: { data: { type: 'note', id: '1', attributes: { text: 'c' } } },
          })
          const isProfile = parameters.every(([name]) => name.toLowerCase() === 'profile')
          assert.equal(response.status, isProfile ? 200 : 415)
          assert.equal(response.headers['content-type'], mediaType)
        }),
        { numRuns: 30 * scale, seed },
      )
    })
  })
