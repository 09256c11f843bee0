import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, computed, defineModel, resource, text, toMany, toOne } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { logOf } from '../../log.ts'
import type { ErrorObject } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** The message of a thrown error. No response may contain it: it looks like SQL, files and stacks. */
const secret = 'cannot select * from password at file:///srv/secret.ts:7:7'

const page = resource('page', {
  path: '/pages',
  table: 'page',
  fields: {
    title: attribute(text),
    /** Throws what the title names. */
    checksum: computed(text, { title: text }, ({ title }) => {
      if (title === 'error') throw new TypeError(secret, { cause: new Error('the cause') })
      if (title === 'text') throw secret
      if (title === 'null') throw null
      if (title === 'undefined') throw undefined
      return title
    }),
    next: toOne('page', { column: 'next_id' }),
    previous: toMany('page', { column: 'next_id' }),
  },
})

const served = {
  model: defineModel([page], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes) => `create table page (id ${newId}, title text,
    next_id integer references page (id))`,
  server: { logLevel: 'error' },
}

engine('Internal errors', served, (app) => {
  const create = (title: string) =>
    app.call('POST', '/pages', {
      query: { 'fields[page]': 'title' },
      body: { data: { type: 'page', attributes: { title } } },
    })

  /** Asserts that the response is a bare 500 and that the log has one entry with its id. */
  async function assertFails(method: string, path: string, body?: unknown): Promise<ErrorObject> {
    let found: ErrorObject | undefined
    const log = await logOf(async () => {
      const answer = await app.call(method, path, { body })
      assert.equal(answer.status, 500, answer.text)
      assert.equal(answer.body.errors?.length, 1)
      found = answer.error
    })
    assert.ok(found)
    const { id = '', status, code, detail, ...others } = found
    assert.deepEqual(Object.keys(others), ['title'])
    assert.deepEqual([status, code], ['500', 'internal_error'])
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.ok(detail.includes(id))
    assert.ok(!/select|password|secret/.test(JSON.stringify(found)))
    const lines = log.filter((line) => line.includes(id))
    assert.equal(lines.length, 1, log.join('\n'))
    const entry = JSON.parse(lines[0] ?? '')
    assert.deepEqual([entry.level, entry.method, entry.url], [50, method, path])
    assert.equal(log.length, 1, log.join('\n'))
    return found
  }

  it('given a computed attribute that throws, when any route needs it, then the response has only an id, and the log has the error under it', async () => {
    await create('error')
    await create('fine')
    const link = { data: { type: 'page', id: '1' } }
    assert.equal((await app.patch('/pages/2/relationships/next', link)).status, 200)
    const errors = [
      await assertFails('GET', '/pages/1'),
      await assertFails('GET', '/pages'),
      await assertFails('GET', '/pages?page[size]=0'),
      await assertFails('GET', '/pages/2?include=next'),
      await assertFails('GET', '/pages/2/next'),
      await assertFails('GET', '/pages/2/relationships/next?include=next'),
      await assertFails('PATCH', '/pages/1', { data: { type: 'page', id: '1' } }),
      await assertFails('POST', '/pages', {
        data: { type: 'page', attributes: { title: 'error' } },
      }),
    ]
    assert.equal(new Set(errors.map(({ id }) => id)).size, errors.length)
  })

  it('given a computed attribute that throws, when it is logged, then the entry has message, stack and cause', async () => {
    await create('error')
    const [line = ''] = await logOf(() => app.get('/pages/1'))
    const { err } = JSON.parse(line)
    assert.ok(err.message.startsWith(secret), line)
    assert.ok(err.stack.includes('failures.test.ts'), line)
    assert.ok(err.stack.includes('the cause'), line)
  })

  it('given a computed attribute that throws a value that is not an Error, when it is requested, then the response is the same', async () => {
    for (const title of ['text', 'null', 'undefined']) {
      const { text: document } = await create(title)
      await assertFails('GET', `/pages/${JSON.parse(document).data.id}`)
    }
  })

  it('given a computed attribute that throws, when no request needs it, then nothing fails or is logged', async () => {
    await create('error')
    const log = await logOf(async () => {
      assert.equal((await app.get('/pages', { 'fields[page]': 'title' })).status, 200)
      assert.equal((await app.get('/pages/1/previous')).status, 200)
      assert.equal((await app.get('/pages/99')).status, 404)
      assert.equal((await app.get('/pages', { sort: 'checksum' })).status, 400)
    })
    assert.deepEqual(log, [], 'errors of requests are not logged')
  })

  it('given a write, when its response cannot be serialized, then the write is rolled back', async () => {
    const attributes = { title: 'error' }
    await assertFails('POST', '/pages', { data: { type: 'page', attributes } })
    const { id } = (await create('fine')).one
    await assertFails('PATCH', `/pages/${id}`, { data: { type: 'page', id, attributes } })
    const { body } = await app.get('/pages', { 'fields[page]': 'title' })
    assert.deepEqual(
      [body.data].flat().map((page) => page?.attributes),
      [{ title: 'fine' }],
    )
  })

  it('given a streamed response, when a row fails to serialize, then the response breaks off and the error is logged', async () => {
    const rows = Array.from({ length: 1500 }, (_, at) => (at === 1300 ? "('error')" : "('fine')"))
    await app.execute(`insert into page (title) values ${rows.join(', ')}`)
    let status = 0
    const log = await logOf(async () => {
      const response = app.call('GET', '/pages', { query: { 'page[size]': '0' } })
      status = await response.then(
        (answer) => answer.status,
        () => 0,
      )
    })
    assert.ok(status === 0 || status === 500, `a response that breaks off has no status ${status}`)
    assert.equal(log.length, 1, log.join('\n'))
    assert.ok(log[0]?.includes('cannot select'), log.join('\n'))
    assert.equal((await app.get('/pages', { 'page[size]': '5' })).status, 200)
  })
})
