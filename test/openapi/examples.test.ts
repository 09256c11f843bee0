import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  attribute,
  createHandler,
  declare,
  defineModel,
  email,
  type HttpOptions,
  type Model,
  resource,
  text,
} from 'lapidary'
import { describeApi, type OpenApiDocument } from 'lapidary/openapi'
import { openSqlite } from 'lapidary/sqlite'

const tables = `
  create table person (id integer primary key, name text, secret text, mail text, owner text);
  create table note (id integer primary key, line text);
  create table visit (id integer primary key, line text);
  insert into person values (7, 'Ada', 'her secret', 'countess@example.com', 'ada'), (8, 'Ben', 'his', null, 'ben')`

const fields = {
  name: attribute(text),
  secret: attribute(text, { access: 'write-only' }),
  mail: attribute(email),
}
const person = resource('person', { path: '/persons', table: 'person', fields })
const note = resource('note', { path: '/notes', table: 'note', fields: { line: attribute(text) } })

/** On a busy machine the reads of a test may take long. */
const fromRows = { examples: 'rows', examplesTimeout: 60_000 } as const

/** Serves a model; returns how to read the description as a user. */
async function serve(
  test: TestContext,
  model: Model,
  options: Partial<HttpOptions> = {},
  rows = '',
) {
  const store = openSqlite(model, ':memory:')
  test.after(() => store.close())
  await store.migrate([{ version: 1, sql: `${tables};${rows}` }])
  const authenticate = ({ headers }: Request) => headers.get('user')
  const handle = createHandler({ model, store, openapi: fromRows, authenticate, ...options })
  return async (user?: string): Promise<OpenApiDocument> => {
    const headers = user === undefined ? {} : { user }
    const response = await handle(new Request('http://x/openapi.json', { headers }))
    assert.equal(response.status, 200)
    return response.json() as Promise<OpenApiDocument>
  }
}

/** The example of a resource object. */
function getExample({ components }: OpenApiDocument, name: string) {
  const { examples } = Object(components.schemas[name])
  return examples[0]
}

describe('The examples of the description', () => {
  const model = defineModel([person, note])

  it('are the first stored resources, and made by kind where there is none', async (test) => {
    const read = await serve(test, model)
    const description = await read()
    assert.deepEqual(getExample(description, 'person'), {
      ...{ type: 'person', id: '7', attributes: { name: 'Ada', mail: 'countess@example.com' } },
      links: { self: '/persons/7' },
    })
    assert.equal(getExample(description, 'person.update').id, '7')
    assert.deepEqual(
      getExample(description, 'note'),
      getExample(JSON.parse(JSON.stringify(describeApi(model))), 'note'),
    )
  })

  it('are made by kind unless the option says otherwise', async (test) => {
    const read = await serve(test, model, { openapi: true })
    assert.equal(getExample(await read(), 'person').id, '1')
  })

  it('have no long values', async (test) => {
    const read = await serve(
      test,
      model,
      {},
      `insert into note (line) values ('${'x'.repeat(5000)}')`,
    )
    const { attributes } = getExample(await read(), 'note')
    assert.deepEqual(attributes, { line: 'A text' })
  })

  it('are read for each identity, and contain nothing that it may not read', async (test) => {
    const api = declare<{ auth: string | null }>()
    const isAda = (user: string | null) => user === 'ada'
    const own = { filter: [{ name: 'owner', op: 'eq', val: api.auth((user) => user) }] } as const
    const guarded = api.defineModel([
      api.resource('person', {
        path: '/persons',
        table: 'person',
        access: { read: own },
        fields: {
          name: attribute(text),
          owner: attribute(text),
          mail: attribute(email, { readable: isAda }),
        },
      }),
      api.resource('note', {
        path: '/notes',
        table: 'note',
        access: { read: isAda },
        fields: { line: attribute(text) },
      }),
    ])
    const read = await serve(test, guarded, {}, "insert into note (line) values ('for Ada')")
    const [ada, ben, nobody] = [await read('ada'), await read('ben'), await read('nobody')]
    assert.deepEqual(getExample(ada, 'person').attributes, {
      ...{ name: 'Ada', owner: 'ada', mail: 'countess@example.com' },
    })
    assert.equal(getExample(ada, 'note').attributes.line, 'for Ada')
    assert.deepEqual(getExample(ben, 'person').attributes, { name: 'Ben', owner: 'ben' })
    for (const description of [ben, nobody])
      assert.doesNotMatch(JSON.stringify(description), /Ada|for Ada|countess/)
    assert.equal(getExample(nobody, 'person').id, '1')
  })

  it('are read for each identity that the host passes on instead of authenticate', async (test) => {
    const api = declare<{ auth: string | undefined }>()
    const own = { filter: [{ name: 'owner', op: 'eq', val: api.auth((user) => user) }] } as const
    const guarded = api.defineModel([
      api.resource('person', {
        ...{ path: '/persons', table: 'person' },
        access: { read: own },
        fields: { name: attribute(text), owner: attribute(text) },
      }),
    ])
    const store = openSqlite(guarded, ':memory:')
    test.after(() => store.close())
    await store.migrate([{ version: 1, sql: tables }])
    const handle = createHandler({ model: guarded, store, openapi: fromRows })
    const read = async (auth?: string) =>
      (await handle(new Request('http://x/openapi.json'), { auth })).text()
    for (const auth of ['ada', 'ben', 'ada'])
      assert.equal(getExample(JSON.parse(await read(auth)), 'person').attributes.owner, auth)
    for (let times = 0; times < 2; times += 1) assert.doesNotMatch(await read(), /"(ada|ben)"/)
    assert.match(await read('ben'), /"ben"/)
  })

  it('do not call hooks around reads', async (test) => {
    let calls = 0
    const visit = resource('visit', {
      path: '/visits',
      table: 'visit',
      fields: { line: attribute(text) },
      hooks: {
        beforeRead: () => {
          calls += 1
        },
      },
    })
    const read = await serve(
      test,
      defineModel([person, visit]),
      {},
      "insert into visit (id, line) values (55, 'x')",
    )
    const description = await read()
    assert.deepEqual([calls, getExample(description, 'visit').id], [0, '1'])
    assert.equal(getExample(description, 'person').id, '7')
  })

  it('are made by kind for a type whose read fails', async (test) => {
    const read = await serve(test, model, {}, 'drop table note')
    const description = await read()
    assert.equal(getExample(description, 'note').id, '1')
    assert.equal(getExample(description, 'person').id, '7')
  })

  it('are kept for a minute if all requests have the same identity', async (test) => {
    const store = openSqlite(model, ':memory:')
    test.after(() => store.close())
    await store.migrate([{ version: 1, sql: tables }])
    const handle = createHandler({ model, store, openapi: fromRows })
    const read = async () => (await handle(new Request('http://x/openapi.json'))).text()
    const first = await read()
    const removed = new Request('http://x/persons/7', { method: 'DELETE' })
    assert.equal((await handle(removed)).status, 200)
    assert.equal(await read(), first)
  })

  it('given reads that take longer than examplesTimeout, then what was read is shown, and not kept', async (test) => {
    const store = openSqlite(model, ':memory:')
    test.after(() => store.close())
    const rename = 'alter table note rename to line'
    // The count of its rows has no end.
    const endless = `create view note as with recursive number (id) as (
      select 1 union all select id + 1 from number
    ) select id, 'endless' as line from number`
    await store.migrate([{ version: 1, sql: `${tables};${rename};${endless}` }])
    const openapi = { examples: 'rows', examplesTimeout: 500 } as const
    const handle = createHandler({ model, store, openapi })
    const read = async () => {
      const response = await handle(new Request('http://x/openapi.json'))
      return getExample((await response.json()) as OpenApiDocument, 'note').attributes.line
    }
    assert.equal(await read(), 'A text')
    const back =
      "drop view note; alter table line rename to note; insert into note (line) values ('Stored')"
    await store.migrate([{ version: 2, sql: back }])
    // On a busy machine other reads may take long, too.
    let line = await read()
    for (let tries = 0; tries < 20 && line === 'A text'; tries += 1) line = await read()
    assert.equal(line, 'Stored')
  })

  for (const examplesTimeout of [0, -1, Number.NaN, 2 ** 31, '5'])
    it(`are not read for ${JSON.stringify(examplesTimeout)} milliseconds`, (test) => {
      const store = openSqlite(model, ':memory:')
      test.after(() => store.close())
      const openapi = { examples: 'rows', examplesTimeout } as never
      assert.throws(
        () => createHandler({ model, store, openapi }),
        /openapi\.examplesTimeout: must be a number of milliseconds above 0/,
      )
    })
})

describe('Further addresses in the description', () => {
  const paths = {
    '/reports': { get: { summary: 'Get reports', responses: { 200: { description: 'A list.' } } } },
  }
  it('are those of the option paths', async (test) => {
    const read = await serve(test, defineModel([note]), { openapi: { paths } })
    assert.deepEqual((await read()).paths['/reports'], paths['/reports'])
  })

  it('include HEAD and OPTIONS of each path by the option generalMethods', () => {
    const { paths } = describeApi(defineModel([note]), { generalMethods: true })
    for (const [path, { get, head, options }] of Object.entries(paths)) {
      assert.deepEqual(Object.keys(Object(head).responses), ['200', '304', '4XX', '5XX'], path)
      assert.deepEqual(Object.keys(Object(options).responses), ['204', '4XX'], path)
      const shared = Object(get).parameters?.filter((each: object) => '$ref' in each)
      assert.deepEqual(Object(head).parameters, shared, path)
    }
    assert.ok(!('head' in Object(describeApi(defineModel([note])).paths['/notes'])))
  })
})
