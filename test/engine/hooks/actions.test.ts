import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  createApi,
  date,
  defineModel,
  enumeration,
  integer,
  integer64,
  nullable,
  RequestError,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createClient } from 'lapidary/client'
import { describeApi, listOperations } from 'lapidary/openapi'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** Runs in the action `nothing`. */
let within: () => unknown = () => {}

const issue = resource('issue', {
  path: '/issues',
  table: 'issue',
  databaseMessages: true,
  hooks: {
    beforeUpdate: (current, { attributes: { status } }) => {
      if (status === 'closed' && current.attributes.status === 'closed')
        throw new RequestError({ status: 409, detail: 'It is closed already.' })
    },
  },
  fields: {
    title: attribute(text, { required: true }),
    status: attribute(enumeration(['open', 'closed']), { required: true, default: 'open' }),
    due: attribute(date),
    comments: toMany('comment', { column: 'issue_id' }),
  },
  actions: {
    close: action({
      description: 'Closes the issue with a comment.',
      parameters: { comment: text, due: nullable(date) },
      returns: { resource: 'issue' },
      async run({ id, parameters: { comment, due }, tx, query }) {
        await tx.update('issue', id, { status: 'closed', due })
        await tx.create('comment', { issue: id, body: comment })
        await query(sql`insert into job (task) values (${`mail ${id}`})`)
        if (comment === 'fail') throw new RangeError('fail')
        return id
      },
    }),
    reopen: action({
      parameters: { due: nullable(date) },
      returns: { resource: 'issue' },
      sql: ({ due }, id) =>
        sql`update issue set status = 'open', due = ${due} where id = ${id} returning id`,
    }),
    close_all: action({
      on: 'collection',
      parameters: { before: date },
      returns: { resources: 'issue' },
      sql: ({ before }) =>
        sql`update issue set status = 'closed' where due < ${before} returning id`,
    }),
    fill: action({
      on: 'collection',
      returns: { resources: 'issue' },
      sql: () => sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 620)
        insert into issue (title, status) select 'n' || i, 'open' from n returning id`,
    }),
    count: action({
      on: 'collection',
      parameters: { status: enumeration(['open', 'closed']) },
      returns: { meta: { count: integer, sum: integer64(), first: date } },
      async run({ parameters: { status }, tx, query }) {
        const { meta } = await tx.list('issue', { filter: { status } })
        const [row] = await query(sql`select min(id) as sum from issue`)
        return { count: meta.count, sum: BigInt(Number(row?.sum)), first: null }
      },
    }),
    touch: action({ sql: (_parameters, id) => sql`insert into job (task) values (${id})` }),
    nothing: action({
      on: 'collection',
      async run() {
        await within()
      },
    }),
    wrong: action({
      on: 'collection',
      returns: { resource: 'issue' },
      run: () => '77',
    }),
    duplicate: action({
      parameters: { title: text },
      sql: ({ title }, id) => sql`update issue set title = ${title} where id = ${id}`,
    }),
  },
})
const comment = resource('comment', {
  path: '/comments',
  table: 'comment',
  fields: {
    body: attribute(text, { required: true }),
    issue: toOne('issue', { column: 'issue_id' }),
  },
})
const model = defineModel([issue, comment])
const tables = ({ newId }: ColumnTypes) => `
  create table issue (id ${newId}, title text not null unique, status text not null, due date);
  create table comment (id ${newId}, body text not null, issue_id integer not null references issue (id));
  create table job (task text not null);
  insert into issue (title, status, due) values
    ('first', 'open', '2024-01-01'), ('second', 'open', '2025-01-01'), ('third', 'closed', null)`

const errorsOf = ({ body }: TestResponse) =>
  (body.errors ?? []).map(({ status, code, detail, source }) => ({
    status,
    code,
    detail,
    ...source,
  }))
const call = (path: string, parameters?: object): [string, object | undefined] => [
  path,
  parameters && { meta: parameters },
]

engine('Actions', { model, tables }, (app) => {
  const post = (path: string, parameters?: object) => app.post(...call(path, parameters))

  it('given more resources than a read holds in memory, then the response has all of them', async () => {
    const { many, body } = await post('/issues/actions/fill?fields[issue]=')
    assert.equal(body.meta?.count, 620)
    assert.equal(many.length, 620)
  })

  const isClosed = async (id: string) =>
    (await app.get(`/issues/${id}`)).one.attributes?.status === 'closed'

  it('write in one transaction with the hooks of the calls, and return a resource', async () => {
    const path = '/issues/1/actions/close?include=comments&fields[issue]=status,due,comments'
    const response = await post(path, { comment: 'Fixed.', due: '2030-01-31' })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(response.one.attributes, { status: 'closed', due: '2030-01-31' })
    assert.deepEqual(
      response.body.included?.map(({ attributes }) => attributes?.body),
      ['Fixed.'],
    )
    assert.match(response.body.links?.self ?? '', /^\/issues\/1\/actions\/close\?/)

    const again = await post('/issues/1/actions/close', { comment: 'Again.' })
    assert.deepEqual(errorsOf(again), [
      { status: '409', code: 'refused', detail: 'It is closed already.' },
    ])
    assert.equal((await app.get('/comments')).many.length, 1)
  })

  it('are rolled back when they fail', async () => {
    const failed = await post('/issues/1/actions/close', { comment: 'fail' })
    assert.equal(failed.status, 500)
    assert.equal(await isClosed('1'), false)
    assert.deepEqual((await app.get('/comments')).many, [])
  })

  it('may be SQL, whose parameters are bound by their kinds', async () => {
    const response = await post('/issues/3/actions/reopen', { due: '2026-02-28' })
    assert.deepEqual(response.one.attributes, { title: 'third', status: 'open', due: '2026-02-28' })
    const cleared = await post('/issues/3/actions/reopen')
    assert.equal(cleared.one.attributes?.due, null)
  })

  it('of a collection return resources, which the query selects', async () => {
    const response = await post('/issues/actions/close_all?sort=-due', { before: '2026-01-01' })
    assert.deepEqual(
      response.many.map(({ id, attributes }) => [id, attributes?.status]),
      [
        ['2', 'closed'],
        ['1', 'closed'],
      ],
    )
    assert.deepEqual(response.body.meta, { count: 2 })
    const none = await post('/issues/actions/close_all', { before: '0001-01-01' })
    assert.deepEqual(none.many, [])
    const filtered = await post('/issues/actions/close_all?filter[title]=first', {
      before: '2026-01-01',
    })
    assert.deepEqual(
      filtered.many.map(({ id }) => id),
      ['1'],
    )
  })

  it('return values in meta, or a message', async () => {
    const counted = await post('/issues/actions/count', { status: 'open' })
    assert.deepEqual(counted.body, {
      meta: { count: 2, sum: 1, first: null },
      jsonapi: { version: '1.0' },
    })
    const message = { message: 'Action successfully completed' }
    assert.deepEqual((await post('/issues/1/actions/touch')).body.meta, message)
    assert.deepEqual((await post('/issues/actions/nothing', {})).body.meta, message)
  })

  for (const [title, path, parameters, expected] of [
    [
      'a missing parameter',
      '/issues/1/actions/close',
      {},
      [['422', 'missing_value', '/meta/comment', 'close needs the parameter "comment".']],
    ],
    [
      'no body',
      '/issues/1/actions/close',
      undefined,
      [['422', 'missing_value', '/meta/comment', 'close needs the parameter "comment".']],
    ],
    [
      'null for a parameter',
      '/issues/1/actions/close',
      { comment: null },
      [['422', 'invalid_value', '/meta/comment', 'comment must be a string; it is null.']],
    ],
    [
      'several errors',
      '/issues/1/actions/close',
      { comment: 1, due: 'x', coment: 1 },
      [
        [
          '422',
          'unknown_field',
          '/meta/coment',
          'close has no parameter "coment"; did you mean "comment"?',
        ],
        ['422', 'invalid_value', '/meta/comment', 'comment must be a string; it is 1.'],
        [
          '422',
          'invalid_value',
          '/meta/due',
          'due must be a calendar date, written YYYY-MM-DD; it is "x".',
        ],
      ],
    ],
    [
      'a resource that does not exist',
      '/issues/77/actions/close',
      { comment: 'x' },
      [['404', 'not_found', undefined, 'There is no resource of type issue with id "77".']],
    ],
    [
      'a text that is not an id',
      '/issues/x/actions/touch',
      {},
      [['404', 'not_found', undefined, 'There is no resource of type issue with id "x".']],
    ],
    [
      'an unknown include path',
      '/issues/1/actions/close?include=comment',
      { comment: 'x' },
      [['400', 'invalid_include', undefined, undefined]],
    ],
    [
      'a page',
      '/issues/actions/close_all?page[size]=1',
      { before: '2026-01-01' },
      [['400', 'invalid_page', undefined, 'The result of an action has no pages.']],
    ],
    [
      'a query for no resource',
      '/issues/1/actions/touch?include=comments',
      {},
      [['400', 'unknown_parameter', undefined, undefined]],
    ],
    [
      'a result that does not exist',
      '/issues/actions/wrong',
      {},
      [['409', 'not_stored', '/data', undefined]],
    ],
    [
      'a violated constraint',
      '/issues/1/actions/duplicate',
      { title: 'second' },
      [
        [
          '409',
          'constraint_conflict',
          undefined,
          'The database rejects the change: another record has the same values.',
        ],
      ],
    ],
  ] as const)
    it(`given ${title}, then nothing is stored`, async () => {
      const response = await post(path, parameters)
      const errors = errorsOf(response)
      for (const [index, [status, code, pointer, detail]] of expected.entries()) {
        assert.equal(errors[index]?.status, status, response.text)
        assert.equal(errors[index]?.code, code)
        if (pointer) assert.equal(errors[index]?.pointer, pointer)
        if (detail) assert.equal(errors[index]?.detail, detail)
      }
      assert.equal(errors.length, expected.length)
      assert.equal(await isClosed('1'), false)
      assert.equal((await app.get('/issues/1')).one.attributes?.title, 'first')
    })

  it('are among the listed and described operations', () => {
    const paths = listOperations(model, '/api').filter(({ path }) => path.includes('/actions/'))
    assert.deepEqual(
      paths.slice(0, 3).map(({ method, path, name }) => `${method} ${path} ${name}`),
      [
        'POST /api/issues/{id}/actions/close issue.actions.close',
        'POST /api/issues/{id}/actions/reopen issue.actions.reopen',
        'POST /api/issues/actions/close_all issue.actions.close_all',
      ],
    )
    const { requestBodies, responses } = describeApi(model).components
    assert.deepEqual(requestBodies['issue.actions.close'], {
      required: true,
      content: {
        'application/vnd.api+json': {
          schema: {
            type: 'object',
            required: ['meta'],
            properties: {
              meta: {
                type: 'object',
                required: ['comment'],
                properties: {
                  comment: { type: 'string' },
                  due: { type: ['string', 'null'], format: 'date' },
                },
                additionalProperties: false,
              },
            },
          },
        },
      },
    })
    assert.ok(responses['issue.actions.count'])
  })

  it('have paths with the method POST only', async () => {
    const wrong = await app.get('/issues/1/actions/close')
    assert.equal(wrong.status, 405)
    assert.equal(
      (await app.call('OPTIONS', '/issues/actions/count')).headers.allow,
      'POST, OPTIONS',
    )
    assert.equal((await post('/issues/1/actions/clos')).status, 404)
    assert.equal((await post('/issues/1/actions/count', { status: 'open' })).status, 404)
    const notMeta = await app.post('/issues/1/actions/close', { meta: [] })
    assert.deepEqual(errorsOf(notMeta), [
      {
        status: '400',
        code: 'invalid_document',
        pointer: '/meta',
        detail: '/meta must be an object; it is an array.',
      },
    ])
  })

  it('are called in process, typed, also within a transaction', async () => {
    const store = await openStore(model, app.databaseUrl)
    try {
      const client = createApi({ model, store }).with()
      const closed = await client.call('issue', 'close', {
        id: '1',
        parameters: { comment: 'Fixed.' },
        include: ['comments'],
      })
      assert.deepEqual(
        closed.comments.map(({ body }) => body),
        ['Fixed.'],
      )
      const { count, sum } = await client.call('issue', 'count', {
        parameters: { status: 'closed' },
      })
      const [exact, number]: [bigint | null, number | null] = [sum, count]
      assert.deepEqual([exact, number], [1n, 2])
      const nothing: undefined = await client.call('issue', 'touch', { id: '1' })
      assert.equal(nothing, undefined)
      await assert.rejects(client.call('issue', 'touch', {} as never), {
        message: 'call.input.id: must be a string; it is missing',
      })
      const left = await client.transaction(async (tx) => {
        await tx.call('issue', 'reopen', { id: '1' })
        await assert.rejects(
          tx.call('issue', 'close', { id: '2', parameters: { comment: 'fail' } }),
        )
        const all = await tx.call('issue', 'close_all', { parameters: { before: '2026-01-01' } })
        return all.data.map(({ id }) => id)
      })
      assert.deepEqual(left, ['2'])
      await assert.rejects(
        client.call('issue', 'clsoe' as 'close', { id: '1', parameters: { comment: 'x' } }),
        { code: 'route_not_found', message: 'issue has no action "clsoe"; did you mean "close"?' },
      )
      const typeErrors = () => [
        // @ts-expect-error no such action
        client.call('issue', 'shut', { id: '1' }),
        // @ts-expect-error the id is missing
        client.call('issue', 'close', { parameters: { comment: 'x' } }),
        // @ts-expect-error the parameter is missing
        client.call('issue', 'close', { id: '1', parameters: {} }),
        // @ts-expect-error not among its values
        client.call('issue', 'count', { parameters: { status: 'done' } }),
        // @ts-expect-error the type has no actions
        client.call('comment', 'close', {}),
        // @ts-expect-error no such relationship of what is returned
        client.call('issue', 'reopen', { id: '1', include: ['comment'] }),
        // @ts-expect-error it returns no count
        client.call('issue', 'touch', { id: '1' }).then(({ count: some }) => some),
      ]
      assert.equal(typeof typeErrors, 'function')
    } finally {
      await store.close()
    }
  })

  it('given a write past tx in an action, then it is rejected instead of waiting for the transaction', async () => {
    const store = await openStore(model, app.databaseUrl)
    try {
      const client = createApi({ model, store }).with()
      within = () => client.create('issue', { title: 'past' })
      await assert.rejects(client.call('issue', 'nothing', {}), /not through it.* `tx`/)
      within = async () => void (await client.get('issue', '1'))
      assert.equal(await client.call('issue', 'nothing', {}), undefined)
    } finally {
      within = () => {}
      await store.close()
    }
  })

  it('are called by the client over HTTP', async () => {
    const requests: string[] = []
    const client = createClient<typeof model>({
      url: 'http://api',
      fetch: async (url, { method = 'GET', body } = {}) => {
        const { pathname, search } = new URL(String(url))
        requests.push(`${method} ${pathname}${search}`)
        const sent = body ? { body: JSON.parse(String(body)) } : {}
        const { status, text: answer, headers } = await app.call(method, pathname + search, sent)
        return new Response(answer, { status, headers })
      },
    })
    const closed = await client.issue.call('close', {
      id: '2',
      parameters: { comment: 'Done.' },
      include: ['comments'],
    })
    assert.deepEqual(
      closed.comments.map(({ body }) => body),
      ['Done.'],
    )
    const { count } = await client.issue.call('count', { parameters: { status: 'open' } })
    assert.equal(count, 1)
    assert.equal(await client.issue.call('nothing', {}), undefined)
    const all = await client.issue.call('close_all', { parameters: { before: '2024-06-01' } })
    assert.deepEqual(
      all.data.map(({ id }) => id),
      ['1'],
    )
    assert.ok(requests.includes('POST /issues/2/actions/close?include=comments'), `${requests}`)
    const state = enumeration(['open', 'closed'])
    const typed = () => [
      // The result of `run` keeps the type of its literals.
      action({
        parameters: { state },
        returns: { meta: { next: state } },
        run: ({ parameters }) => ({ next: parameters.state === 'open' ? 'closed' : 'open' }),
      }),
      // @ts-expect-error not among its values
      action({ returns: { meta: { next: state } }, run: ({ id }) => ({ next: `${id} is open` }) }),
      // @ts-expect-error it returns no id
      action({ returns: { resource: 'issue' }, run: async ({ tx, id }) => tx.get('issue', id) }),
    ]
    assert.equal(typeof typed, 'function')
    const typeErrors = () => [
      // @ts-expect-error the type has no actions
      client.comment.call,
      // @ts-expect-error no such parameter
      client.issue.call('close', { id: '1', parameters: { comment: 'x', note: 'y' } }),
    ]
    assert.equal(typeof typeErrors, 'function')
  })
})
