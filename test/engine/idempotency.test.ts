import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  defineModel,
  idempotencyTable,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import type { TestResponse } from '../test-response.ts'
import { engine } from './engine.ts'

const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    computers: toMany('computer', { column: 'person_id' }),
  },
  actions: {
    rename: action({
      on: 'resource',
      run: async ({ id, tx }) => {
        await tx.update('person', id, { name: 'Renamed' })
      },
    }),
  },
})
const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  fields: {
    serial: attribute(text, { required: true }),
    owner: toOne('person', { column: 'person_id' }),
  },
})

const served = {
  model: defineModel([person, computer], { principal: () => 'everybody' }),
  tables: ({ newId, id }: ColumnTypes) => `
    create table person (id ${newId}, name text not null);
    create table computer (id ${newId}, serial text not null, person_id ${id} references person (id));
    ${idempotencyTable}
    insert into person (name) values ('Ada'), ('Bob');
    insert into computer (serial, person_id) values ('a', 1), ('b', 2)`,
}

/** Makes the database reject the response to a write, which is stored last. */
const rejectResponses = {
  sqlite: `create trigger reject before update on lapidary_idempotency begin select raise(abort, 'no'); end`,
  postgres: `create function reject() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger reject before update on lapidary_idempotency for each row execute function reject()`,
}

const created = { data: { type: 'person', attributes: { name: 'Cleo' } } }
const renamed = (name: string) => ({ data: { type: 'person', id: '1', attributes: { name } } })
const codesOf = ({ body }: TestResponse) => body.errors?.map(({ code }) => code)
const isReplayed = ({ headers }: TestResponse) => headers['idempotency-replayed'] === 'true'
/** What a repeated request must get again. */
const comparable = ({ status, headers, text }: TestResponse) => ({
  status,
  text,
  type: headers['content-type'],
  location: headers.location,
  etag: headers.etag,
})

engine('Idempotency keys', served, (app) => {
  const send = (method: string, path: string, key: string, body?: unknown, more = {}) =>
    app.call(method, path, {
      headers: { 'idempotency-key': key, ...more },
      ...(body !== undefined && { body }),
    })
  const countPersons = async () => (await app.get('/persons')).body.meta?.count

  const writes: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ['POST', '/persons?include=computers', created],
    ['POST', '/persons/1/computers', { data: { type: 'computer', attributes: { serial: 'c' } } }],
    ['PATCH', '/persons/1', renamed('Ada L.')],
    ['DELETE', '/computers/1'],
    ['POST', '/persons/1/relationships/computers', { data: [{ type: 'computer', id: '2' }] }],
    ['PATCH', '/persons/1/relationships/computers', { data: [] }],
    ['DELETE', '/persons/1/relationships/computers', { data: [{ type: 'computer', id: '1' }] }],
    ['POST', '/persons/1/actions/rename', { meta: {} }],
  ]
  for (const [method, path, body] of writes)
    it(`a repeated ${method} ${path} gets the same response and writes once`, async () => {
      const first = await send(method, path, '"k"', body)
      assert.ok(first.status < 300, first.text)
      assert.equal(isReplayed(first), false)
      // What the first request saw is gone.
      await app.execute("update person set name = 'Other'; delete from computer where id = 2")
      const second = await send(method, path, '"k"', body)
      assert.equal(isReplayed(second), true)
      assert.deepEqual(comparable(second), comparable(first))
      const { data } = (await app.get('/persons/1')).body
      assert.equal(!Array.isArray(data) && data?.attributes?.name, 'Other')
    })

  for (const [method, path, body] of writes) {
    it(`a response to ${method} ${path} that cannot be stored undoes the write`, async () => {
      const readAll = async () => (await app.get('/persons', { include: 'computers' })).text
      const before = await readAll()
      await app.execute(rejectResponses[app.dialect])
      assert.equal((await send(method, path, 'a', body)).status, 500)
      assert.equal(await readAll(), before)
    })
  }

  it('requests with one key that overlap write once, and all get the response', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', '/persons', '"k"', created)),
    )
    assert.equal(await countPersons(), 3)
    assert.equal(all.filter((each) => !isReplayed(each)).length, 1)
    const [first] = all
    assert.ok(first)
    for (const each of all) assert.deepEqual(comparable(each), comparable(first))
  })

  it('the replay of a conditional update comes before its condition', async () => {
    const { etag } = (await app.get('/persons/1')).headers
    const condition = { 'if-match': String(etag) }
    const first = await send('PATCH', '/persons/1', '"k"', renamed('Ada L.'), condition)
    const second = await send('PATCH', '/persons/1', '"k"', renamed('Ada L.'), condition)
    assert.deepEqual([first.status, second.status, isReplayed(second)], [200, 200, true])
  })

  it('a replay comes before the checks of the condition and the body', async () => {
    await send('PATCH', '/persons/1', '"k"', renamed('Ada L.'))
    const other = await send('PATCH', '/persons/1', '"k"', { data: { type: 'computer', id: '1' } })
    assert.deepEqual([other.status, codesOf(other)], [422, ['key_reused']])
  })

  const others: readonly (readonly [string, string, string, unknown])[] = [
    ['body', 'POST', '/persons', { data: { type: 'person', attributes: { name: 'Dora' } } }],
    ['query', 'POST', '/persons?include=computers', created],
    ['path and method', 'PATCH', '/persons/1', renamed('Cleo')],
  ]
  for (const [what, method, path, body] of others)
    it(`the same key with another ${what} is rejected, and nothing is written`, async () => {
      await send('POST', '/persons', '"k"', created)
      const other = await send(method, path, '"k"', body)
      assert.deepEqual([other.status, codesOf(other)], [422, ['key_reused']])
      assert.equal(await countPersons(), 3)
    })

  it('the order of query parameters and their encoding do not matter', async () => {
    const path = '/persons?include=computers&fields[person]=name'
    await send('POST', path, '"k"', created)
    const again = '/persons?fields%5Bperson%5D=name&include=computers'
    assert.equal(isReplayed(await send('POST', again, 'k', created)), true)
  })

  it('a rejected write stores nothing: its key may be used again', async () => {
    const rejected = await send('POST', '/persons', '"k"', { data: { type: 'person' } })
    assert.equal(rejected.status, 422)
    const corrected = await send('POST', '/persons', '"k"', created)
    assert.deepEqual([corrected.status, isReplayed(corrected)], [201, false])
    const missing = await send('DELETE', '/persons/99', '"m"')
    assert.equal(missing.status, 404)
  })

  it('the key of a read is ignored', async () => {
    const read = await send('GET', '/persons/1', '"')
    assert.equal(read.status, 200)
  })

  const invalid = ['', '""', '"a', 'a b', `"${'a'.repeat(256)}"`, '"a", "b"', '"é"']
  for (const key of invalid)
    it(`the key ${key.slice(0, 8)} of ${key.length} characters is rejected`, async () => {
      const response = await send('POST', '/persons', key, created)
      assert.deepEqual([response.status, codesOf(response)], [400, ['invalid_key']])
    })

  it('a key with and without quotation marks is the same', async () => {
    await send('POST', '/persons', '"a-1"', created)
    assert.equal(isReplayed(await send('POST', '/persons', 'a-1', created)), true)
  })

  it('a large response is repeated as a fresh read', async () => {
    const attributes = { name: 'x'.repeat(300_000) }
    const large = { data: { type: 'person', attributes } }
    const first = await send('POST', '/persons', '"k"', large)
    const second = await send('POST', '/persons', '"k"', large)
    assert.deepEqual([second.status, second.headers.location], [201, first.headers.location])
    assert.ok(second.text.includes('"replayed":true'))
    assert.ok(second.text.startsWith(first.text.slice(0, -1)))
    assert.equal(await countPersons(), 3)
  })
})
