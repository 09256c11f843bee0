import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attribute, createHandler, defineModel, RequestError, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'

describe('The auth context of createHandler', () => {
  const received: unknown[] = []
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    hooks: { beforeRead: ({ auth }) => void received.push(auth) },
    fields: { text: attribute(text) },
  })
  const model = defineModel([note])
  const store = openSqlite(model, ':memory:')
  const handle = createHandler({
    model,
    store,
    authenticate: ({ headers }) => {
      const user = headers.get('x-user')
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
})
