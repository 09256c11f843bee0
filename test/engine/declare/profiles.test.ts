import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  createHandler,
  defineModel,
  type ModelOptions,
  resource,
  type Store,
  text,
} from 'lapidary'
import { describeApi } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'
import { cursorProfile, mediaType } from '../../../src/model/media-types.ts'
import { catchDeclarationErrors } from '../engine.ts'

const note = resource('note', { path: '/notes', table: 'note', fields: { text: attribute(text) } })
const uri = 'https://example.org/profiles/quota'
const quota = { member: 'quota', meta: () => ({}) }
const many = Array.from({ length: 21 }, (_, at) => [`urn:${at}`, { ...quota, member: `m${at}` }])

/** Options of a model in JSON:API 1.1, and the error of each. */
const refused: readonly (readonly [options: object, error: string | RegExp])[] = [
  [{ profiles: { quota } }, /^options\.profiles\.quota: must be an absolute URI/],
  [{ profiles: { [`${uri} b`]: quota } }, /: must be an absolute URI/],
  [{ profiles: { [`${uri}"`]: quota } }, /: must be an absolute URI/],
  [{ profiles: { [`urn:${'x'.repeat(500)}`]: quota } }, /of at most 500 characters$/],
  [{ profiles: { [cursorProfile]: quota } }, /: the pages between cursors have this profile$/],
  [
    { profiles: { [uri]: { ...quota, member: 'count' } } },
    /\.member: "count" has another meaning$/,
  ],
  [{ profiles: { [uri]: { ...quota, member: '-a' } } }, /is not a JSON:API member name$/],
  [
    { profiles: { [uri]: quota, 'urn:b': quota } },
    /^options\.profiles\.urn:b\.member: another profile/,
  ],
  [{ profiles: Object.fromEntries(many) }, 'options.profiles: there are at most 20; these are 21'],
  [{ profiles: { [uri]: { member: 'a' } } }, /\.meta: must be a function; it is missing$/],
  [{ profiles: { [uri]: { ...quota, metta: 1 } } }, /\.metta: there is no such option/],
  [{ errorTypes: '/errors#' }, /^options\.errorTypes: must be an absolute URI; it is "\/errors#"$/],
  [{ jsonapi: '1.0', profiles: { [uri]: quota } }, /^options\.profiles: needs jsonapi: '1\.1'/],
  [{ jsonapi: '1.0', errorTypes: 'urn:a' }, /^options\.errorTypes: needs jsonapi: '1\.1'/],
]

describe('The profiles of a model', () => {
  for (const [options, expected] of refused) {
    const title = JSON.stringify(options).slice(0, 80)
    it(`given ${title}, then the start fails with the error of it`, async () => {
      const errors = await catchDeclarationErrors(() =>
        defineModel([note], { jsonapi: '1.1', ...options } as ModelOptions),
      )
      assert.equal(errors.length, 1, errors.join('\n'))
      if (typeof expected === 'string') assert.equal(errors[0], expected)
      else assert.match(String(errors[0]), expected)
    })
  }

  it('are described with their members, and so are the types of errors', () => {
    const model = defineModel([note], {
      jsonapi: '1.1',
      errorTypes: 'urn:errors:',
      profiles: { [uri]: quota },
    })
    const description = JSON.stringify(describeApi(model))
    assert.match(description, /"quota":\{"type":"object","description":"Of the profile https:/)
    assert.match(description, /"Identifies the type of the error\."/)
    const plain = JSON.stringify(describeApi(defineModel([note], { jsonapi: '1.1' })))
    assert.doesNotMatch(plain, /profileMeta|Identifies the type/)
  })
})

describe('The function of a profile', () => {
  let returned: unknown
  const model = defineModel([note], {
    jsonapi: '1.1',
    profiles: { [uri]: { member: 'quota', meta: () => returned as object } },
  })
  let store: Store
  before(async () => {
    store = openSqlite(model, ':memory:')
    await store.migrate([
      { version: 1, sql: 'create table note (id integer primary key, text text)' },
    ])
  })
  after(() => store.close())

  const read = async (value: unknown) => {
    returned = value
    const logged: string[] = []
    const ignore = () => {}
    const log = {
      ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, fatal: ignore },
      error: (fields: object) => void logged.push(String(Reflect.get(fields, 'err'))),
    }
    const handle = createHandler({ model, store, log: log as never })
    const headers = { accept: `${mediaType};profile="${uri}"` }
    const response = await handle(new Request('http://localhost/notes', { headers }))
    const { meta = {}, errors = [] } = await response.json()
    return { status: response.status, meta, code: errors[0]?.code, logged: logged.join() }
  }

  it('returns any JSON object of at most 10,000 characters', async () => {
    const value = { text: 'x'.repeat(10_000 - '{"text":""}'.length) }
    assert.deepEqual((await read(value)).meta, { count: 0, quota: value })
    const dated = await read({ at: new Date(0), big: 2n ** 64n, none: undefined })
    assert.equal(dated.meta.quota.at, '1970-01-01T00:00:00.000Z')
  })

  const circle: Record<string, unknown> = {}
  circle.circle = circle
  const invalid: readonly (readonly [title: string, value: unknown, message: RegExp])[] = [
    ['nothing', undefined, /not a JSON value/],
    ['a text', 'a', /must return a JSON object/],
    ['an array', [], /must return a JSON object/],
    ['a promise', Promise.resolve({}), /must not return a promise/],
    ['a function in it', { a: () => {} }, /not a JSON value/],
    ['a circle', circle, /Maximum call stack/],
    ['too much', { text: 'x'.repeat(10_000) }, /at most 10000 characters/],
  ]
  for (const [title, value, message] of invalid)
    it(`given ${title}, then the response is 500 and the log says why`, async () => {
      const { status, code, logged } = await read(value)
      assert.deepEqual([status, code], [500, 'internal_error'])
      assert.match(logged, message)
    })
})
