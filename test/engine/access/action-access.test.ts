import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  action,
  attribute,
  boolean,
  DeclarationError,
  declare,
  defineModel,
  RequestError,
  resource,
  sql,
  text,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'

interface User {
  readonly name: string
  readonly isAdmin: boolean
}
const declared = declare<{ auth: User | undefined }>()

const task = declared.resource('task', {
  path: '/tasks',
  table: 'task',
  access: {
    read: { filter: [{ name: 'hidden', op: 'eq', val: false }] },
    update: true,
    call: { filter: [{ name: 'owner', op: 'eq', val: declared.auth(({ name }) => name) }] },
  },
  fields: {
    owner: attribute(text),
    hidden: attribute(boolean, { required: true }),
    done_by: attribute(text),
  },
  actions: {
    finish: declared.action({
      returns: { resource: 'task' },
      async run({ id, tx, auth }) {
        await tx.update('task', id, { done_by: auth?.name })
        return id
      },
    }),
    reset: declared.action({
      callable: declared.auth(({ isAdmin }) => isAdmin),
      sql: (_parameters, id) => sql`update task set done_by = null where id = ${id}`,
    }),
    // Its calls have the rules of the request: this row is hidden.
    steal: declared.action({
      run: async ({ tx }) => void (await tx.update('task', '3', { done_by: 'thief' })),
    }),
    // Returns the id that the client sends.
    look: declared.action({
      parameters: { other: text },
      returns: { resource: 'task' },
      run: ({ parameters }) => parameters.other,
    }),
    hide: declared.action({
      returns: { resource: 'task' },
      sql: (_parameters, id) => sql`update task set hidden = true where id = ${id} returning id`,
    }),
  },
})
const entry = declared.resource('entry', {
  path: '/entries',
  table: 'entry',
  access: { read: true, call: ({ isAdmin }) => isAdmin },
  fields: { words: attribute(text) },
  actions: {
    clear: declared.action({ on: 'collection', sql: () => sql`delete from entry` }),
    list: declared.action({
      on: 'collection',
      returns: { resources: 'task' },
      sql: () => sql`select id from task`,
    }),
  },
})

const served = {
  model: declared.defineModel([task, entry]),
  tables: ({ newId, boolean: flag }: ColumnTypes) => `
    create table task (id ${newId}, owner text, hidden ${flag} not null, done_by text);
    create table entry (id ${newId}, words text);
    insert into task (owner, hidden) values ('ada', false), ('bob', false), ('ada', true);
    insert into entry (words) values ('x')`,
  server: {
    authenticate: ({
      headers,
    }: {
      headers: Readonly<Record<string, unknown>>
    }): User | undefined => {
      const name = headers['x-user']
      return typeof name === 'string' ? { name, isAdmin: name === 'root' } : undefined
    },
  },
}

const errorOf = ({ status, error }: TestResponse) => [status, error.code, error.detail]
const denied = (type: string) => [
  403,
  'forbidden',
  `The access rules do not allow you to call this action of ${type}.`,
]

engine('Access rules of actions', served, (app) => {
  const post = (path: string, user?: string, meta?: object) =>
    app.call('POST', path, {
      ...(user && { headers: { 'x-user': user } }),
      ...(meta && { body: { meta } }),
    })
  const doneBy = async (id: string) =>
    (await app.call('GET', `/tasks/${id}`, { headers: { 'x-user': 'ada' } })).one.attributes
      ?.done_by

  it('given a rule for calls, then only rows that match it have the action', async () => {
    const finished = await post('/tasks/1/actions/finish', 'ada')
    assert.equal(finished.one.attributes?.done_by, 'ada', finished.text)
    assert.deepEqual(errorOf(await post('/tasks/2/actions/finish', 'ada')), denied('task'))
    assert.equal(await doneBy('2'), null)
  })

  it('given a row that the identity may not read, then it does not exist', async () => {
    const hidden = await post('/tasks/3/actions/finish', 'ada')
    const absent = await post('/tasks/77/actions/finish', 'ada')
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text.replace('"3"', '"77"').replace('\\"3\\"', '\\"77\\"'), absent.text)
  })

  it('given callable, then it decides in addition to the rule', async () => {
    assert.deepEqual(errorOf(await post('/tasks/1/actions/reset', 'ada')), denied('task'))
    assert.deepEqual(errorOf(await post('/tasks/1/actions/reset', 'root')), denied('task'))
    await post('/tasks/1/actions/finish', 'ada')
    assert.equal(await doneBy('1'), 'ada')
  })

  it('given calls of the action, then they have the rules of the request', async () => {
    assert.equal((await post('/tasks/1/actions/steal', 'ada')).status, 404)
  })

  it('given a result that the identity may not read, then the response has its identifier', async () => {
    const { one, text } = await post('/tasks/1/actions/hide', 'ada')
    assert.deepEqual([one.type, one.id, one.attributes], ['task', '1', undefined], text)
  })

  it('given a result that the identity may not read, then the response is that of one which does not exist', async () => {
    const look = (other: string) => post('/tasks/1/actions/look', 'ada', { other })
    const [hidden, absent] = [await look('3'), await look('7')]
    assert.equal(hidden.status, 200, hidden.text)
    assert.equal(hidden.text.replaceAll('3"', '7"'), absent.text)
  })

  it('given an action of the collection, then the rule decides by the auth context', async () => {
    assert.deepEqual(errorOf(await post('/entries/actions/clear', 'ada')), denied('entry'))
    const list = await post('/entries/actions/list', 'root')
    assert.deepEqual(
      list.many.map(({ id }) => id),
      ['1', '2'],
    )
    assert.equal((await post('/entries/actions/clear', 'root')).status, 200)
    const left = await app.call('GET', '/entries', { headers: { 'x-user': 'ada' } })
    assert.deepEqual(left.many, [])
  })

  it('given no auth context, then nothing may be called', async () => {
    assert.equal((await post('/tasks/1/actions/finish')).status, 404)
    assert.deepEqual(errorOf(await post('/entries/actions/clear')), denied('entry'))
  })
})

const stored = {
  model: defineModel([
    resource('film', {
      path: '/films',
      table: 'film',
      databaseMessages: true,
      fields: { title: attribute(text), rented_to: attribute(text) },
      actions: {
        rent: action({
          parameters: { to: text },
          returns: { resource: 'film' },
          sql: ({ to }, id) => sql`select rent_film(${id}, ${to})`,
        }),
        return: action({ sql: (_parameters, id) => sql`call return_film(${id})` }),
        by: action({
          on: 'collection',
          parameters: { to: text },
          returns: { resources: 'film' },
          sql: ({ to }) => sql`select * from films_of(${to})`,
        }),
        deny: action({
          run: async ({ query }) => {
            await query(sql`set local role pg_monitor`)
            await query(sql`select rolpassword from pg_authid`)
          },
        }),
        explain: action({
          run: async ({ query }) => {
            await query(sql`select rent_film(77, 'x')`)
          },
        }),
        refuse: action({
          run: () => {
            throw new RequestError({ status: 402, detail: 'Pay first.' })
          },
        }),
      },
    }),
  ]),
  tables: `
    create table film (id bigint generated by default as identity primary key, title text, rented_to text);
    insert into film (title) values ('Ace'), ('Alien');
    create or replace function rent_film(film_id bigint, customer text) returns bigint language plpgsql as $$
      begin
        if exists (select from film where id = film_id and rented_to is not null) then
          raise exception 'The film % is rented.', film_id;
        end if;
        update film set rented_to = customer where id = film_id;
        if not found then raise exception 'There is no film %.', film_id using errcode = '22023'; end if;
        return film_id;
      end $$;
    create or replace procedure return_film(film_id bigint) language sql as $$
      update film set rented_to = null where id = film_id $$;
    create or replace function films_of(customer text) returns setof bigint language sql as $$
      select id from film where rented_to = customer $$`,
}

engine('Stored functions and procedures as actions', { ...stored, only: 'postgres' }, (app) => {
  const rent = (id: string, to: string) => app.post(`/films/${id}/actions/rent`, { meta: { to } })
  const rented = async () =>
    (await app.get('/films')).many.map((film) => film.attributes?.rented_to)

  it('are called in the transaction of the request, and return resources', async () => {
    const response = await rent('1', 'Ada')
    assert.equal(response.one.attributes?.rented_to, 'Ada', response.text)
    const list = await app.post('/films/actions/by', { meta: { to: 'Ada' } })
    assert.deepEqual(
      list.many.map(({ id }) => id),
      ['1'],
    )
    assert.equal((await app.post('/films/1/actions/return', {})).status, 200)
    assert.deepEqual(await rented(), [null, null])
  })

  it('report what they raise, and are rolled back', async () => {
    await rent('1', 'Ada')
    const again = await rent('1', 'Bob')
    assert.deepEqual(errorOf(again), [409, 'constraint_conflict', 'The film 1 is rented.'])
    const missing = await app.post('/films/1/actions/explain', {})
    assert.deepEqual(errorOf(missing), [422, 'invalid_value', 'There is no film 77.'])
    assert.deepEqual(errorOf(await app.post('/films/1/actions/refuse', {})), [
      402,
      'refused',
      'Pay first.',
    ])
    const denied = await app.post('/films/1/actions/deny', {})
    assert.deepEqual([denied.status, denied.error.code], [403, 'permission_denied'])
    assert.deepEqual(await rented(), ['Ada', null])
  })
})

const wrong = (options: object, on: object = { sql: () => sql`select 1` }) =>
  Reflect.apply(defineModel, undefined, [
    [
      resource('film', {
        path: '/films',
        table: 'film',
        access: { call: { sql: () => sql`true` } },
        fields: { title: attribute(text) },
        actions: { title: Reflect.apply(action, undefined, [{ ...on, ...options }]) },
      }),
    ],
  ])

for (const [title, options, line] of [
  ['no work', { sql: undefined }, 'must have one of the members run, sql; it has none'],
  ['two works', { run: () => {} }, 'must have one of the members run, sql; it has both'],
  [
    'a misspelled option',
    { returs: {} },
    'returs: there is no such option; did you mean "returns"?',
  ],
  [
    'an unknown type',
    { returns: { resource: 'flim' } },
    'returns.resource: there is no resource type "flim"; did you mean "film"?',
  ],
  [
    'two results',
    { returns: { resource: 'film', resources: 'film' } },
    'returns: must have one of the members resource, resources, meta; it has 2',
  ],
  [
    'meta of SQL',
    { returns: { meta: { count: text } } },
    'sql: rows have the ids of resources; use run to return meta',
  ],
  [
    'a parameter that is not a kind',
    { parameters: { a: 'text' } },
    'parameters.a: must be an attribute kind, such as text; it is "text"',
  ],
  ['a parameter with a reserved name', { parameters: { id: text } }, '"id" is reserved'],
  [
    'a path of a field',
    { on: 'collection' },
    'a field has the name "title", so their paths would be the same',
  ],
  ['a collection with a rule of rows', { on: 'collection' }, 'film.access.call depends on the row'],
  ['SQL that is none', { sql: () => 'select 1' }, 'sql: must return sql'],
] as const)
  it(`given an action with ${title}, then defineModel names it`, () => {
    assert.throws(
      () => wrong(options),
      (error) => {
        assert.ok(error instanceof DeclarationError)
        assert.ok(
          error.errors.some((each) => each.startsWith('film.actions.title') && each.includes(line)),
          error.message,
        )
        return true
      },
    )
  })
