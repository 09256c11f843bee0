import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { attribute, createHandler, defineModel, RequestError, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'

describe('The auth context of createHandler', () => {
  const received: unknown[] = []
  let thrown: unknown
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    hooks: { beforeRead: ({ auth }) => void received.push(auth) },
    fields: { text: attribute(text) },
  })
  const model = defineModel([note])
  const store = openSqlite(model, ':memory:')
  const ignore = () => {}
  const handle = createHandler({
    model,
    store,
    log: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
    authenticate: ({ headers }) => {
      const user = headers.get('x-user')
      if (user === 'thrown') throw thrown
      if (user === null) throw new RequestError({ status: 401, detail: 'Who are you?' })
      return user
    },
  })
  const request = (headers = {}) => new Request('http://localhost/notes', { headers })
  before(() =>
    store.migrate([{ version: 1, sql: 'create table note (id integer primary key, text text)' }]),
  )
  after(() => store.close())

  it('is what authenticate returns', async () => {
    assert.equal((await handle(request({ 'x-user': 'Ada' }))).status, 200)
    assert.equal((await handle(request())).status, 401)
    assert.deepEqual(received.splice(0), ['Ada'])
  })

  it('is that of the host, if the host passes one on', async () => {
    assert.equal((await handle(request(), { auth: 'Ben' })).status, 200)
    assert.deepEqual(received.splice(0), ['Ben'])
  })

  it('is what authenticate returns, if the host passes on undefined', async () => {
    assert.equal((await handle(request(), { auth: undefined })).status, 401)
    assert.equal((await handle(request({ 'x-user': 'Ada' }), { auth: undefined })).status, 200)
    assert.deepEqual(received.splice(0), ['Ada'])
  })

  for (const value of [undefined, null, 0, '', Symbol('x'), Object.create(null)])
    it(`is missing if authenticate throws ${inspect(value)}: the response is a 500`, async () => {
      thrown = value
      assert.equal((await handle(request({ 'x-user': 'thrown' }))).status, 500)
      assert.deepEqual(received, [])
    })
})
