import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  createApi,
  date,
  defineModel,
  idQuery,
  integer,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import { type ColumnTypes, databases } from '../../databases.ts'
import { filled } from '../../filled.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

/** The declarations of a database: PostgreSQL has a stored function, SQLite a query. */
function declare(dialect: DialectName) {
  const film = resource('film', {
    path: '/films',
    table: 'film',
    scope: (column) => sql`${column('title')} <> 'Hidden ace'`,
    fields: {
      title: attribute(text),
      released: attribute(date),
      rentals: toMany('rental', { column: 'film_id' }),
    },
    queries: {
      search: idQuery({ words: text }, ({ words }) =>
        dialect === 'postgres'
          ? sql`select film_id from search_films(${words})`
          : sql`select film_id from film where instr(lower(title), lower(${words})) > 0`,
      ),
      rented: idQuery(
        { times: integer, since: date },
        ({ times, since }) =>
          sql`select film_id from rental where ${since} is null or day >= ${since} group by film_id having count(*) >= ${times}`,
      ),
      never_rented: idQuery(
        {},
        () =>
          sql`select f.film_id from film as f left join rental as r on r.film_id = f.film_id where r.id is null`,
      ),
    },
    id: 'film_id',
  })
  const rental = resource('rental', {
    path: '/rentals',
    table: 'rental',
    fields: { film: toOne('film', { column: 'film_id' }) },
  })
  return defineModel([film, rental])
}

const tables = (types: ColumnTypes, dialect: DialectName) => `
  create table film (film_id ${types.newId}, title text, released ${types.date});
  create table rental (id ${types.newId}, film_id ${types.id} references film (film_id), day ${types.date});
  insert into film (title) values ('Ace one'), ('Two ACES'), ('Hidden ace'), ('Other');
  insert into rental (film_id, day) values (1, '2026-01-01'), (1, '2026-02-01'), (2, '2026-02-02'), (4, '2026-03-03');
  ${
    dialect === 'postgres'
      ? `create or replace function search_films(words text) returns table (film_id bigint) language sql stable as $$
           select film_id from film where title ilike '%' || words || '%' union all select null $$`
      : ''
  }`

for (const dialect of ['sqlite', 'postgres'] as const)
  engine('Declared queries', { only: dialect, model: declare(dialect), tables }, (app) => {
    const call = (name: string, val: unknown) => [{ name, op: 'call', val }]
    const found = async (filter: unknown, path = '/films') =>
      ids(await app.get(path, { filter: filter as never }))

    it('filter by a stored function or a query, within the scope of the type', async () => {
      assert.deepEqual(await found(call('search', { words: 'ace' })), ['1', '2'])
      assert.deepEqual(ids(await app.get('/films', { 'filter[search]': 'two' })), ['2'])
      assert.deepEqual(await found(call('rented', { times: 1, since: '2026-02-01' })), [
        '1',
        '2',
        '4',
      ])
      assert.deepEqual(await found(call('rented', { times: 2, since: null })), ['1'])
      assert.deepEqual(await found(call('never_rented', {})), [])
    })

    it('combine with other filters, sorts, pages and relationships', async () => {
      assert.deepEqual(await found([{ not: call('search', { words: 'ace' })[0] }]), ['4'])
      const either = {
        or: [
          call('search', { words: 'ace one' })[0],
          call('rented', { times: 1, since: '2026-03-01' })[0],
        ],
      }
      assert.deepEqual(await found([either]), ['1', '4'])
      assert.deepEqual(
        await found([{ name: 'film__search', op: 'call', val: { words: 'ace' } }], '/rentals'),
        ['1', '2', '3'],
      )
      const { body } = await app.get('/films', {
        filter: call('search', { words: 'ace' }),
        sort: '-title',
        'page[size]': '1',
      })
      assert.equal(body.meta?.count, 2)
      const text = `it's "quoted" %_`
      assert.deepEqual(await found(call('search', { words: text })), [])
    })

    it('reject wrong parameters with their names', async () => {
      const bad = async (filter: unknown, says: string) =>
        assertErrors(await app.get('/films', { filter: filter as never }), 400, {
          status: 400,
          at: 'filter',
          says,
        })
      await bad(
        call('search', { word: 'x' }),
        'search has no parameter "word"; did you mean "words"?',
      )
      await bad(call('rented', { times: 1 }), 'rented needs the parameter "since"; it may be null')
      await bad(call('rented', { times: '1', since: null }), 'times must be')
      await bad(call('search', 'ace'), 'must be an object with a value for each parameter')
      await bad([{ name: 'search', op: 'eq', val: 'x' }], 'search has no operator "eq"')
      await bad([{ name: 'serch', op: 'call', val: {} }], 'film has no field "serch"')
      const text = await app.get('/films', { 'filter[rented]': '1' })
      assertErrors(text, 400, { status: 400, at: 'filter[rented]', says: 'several parameters' })
    })

    it('are typed in process', async () => {
      const model = declare(dialect)
      const store = await openStore(model, app.databaseUrl)
      try {
        const client = createApi({ model, store }).with({})
        const { data } = await client.list('film', {
          filter: [{ name: 'search', op: 'call', val: { words: 'ace' } }],
        })
        assert.deepEqual(
          data.map(({ title }) => title),
          ['Ace one', 'Two ACES'],
        )
        const misspelled = client.list('film', {
          // @ts-expect-error no such query
          filter: [{ name: 'serch', op: 'call', val: {} }],
        })
        await assert.rejects(misspelled, /no field "serch"/)
      } finally {
        await store.close()
      }
    })
  })

describe('Declared queries at the start', () => {
  for (const database of databases)
    it(`are rejected if the database rejects their SQL · ${database.name}`, async (test) => {
      const film = resource('film', {
        path: '/films',
        table: 'film',
        fields: {},
        queries: {
          search: idQuery(
            { words: text },
            ({ words }) => sql`select id from nowhere where x = ${words}`,
          ),
        },
      })
      const url = await filled(
        test,
        database,
        `create table film (id integer primary key${database.dialect === 'sqlite' ? '' : ' generated by default as identity'})`,
      )
      const store = await openStore(defineModel([film]), url)
      test.after(() => store.close())
      await assert.rejects(
        store.verify(),
        /film\.queries\.search: the database rejects its SQL: .*nowhere/,
      )
    })

  it('are rejected with the name of a field, or without SQL', () => {
    const define = (queries: unknown) => () =>
      defineModel([
        resource('film', {
          path: '/films',
          table: 'film',
          fields: { title: attribute(text) },
          queries: queries as never,
        }),
      ])
    const query = idQuery({}, () => sql`select 1`)
    assert.throws(define({ title: query }), /film\.queries\.title: a field has the name "title"/)
    assert.throws(define({ a__b: query }), /film\.queries\.a__b: "__" is reserved/)
    assert.throws(
      define({ search: { parameters: { words: 'text' }, write: () => sql`` } }),
      /film\.queries\.search\.parameters\.words: must be an attribute kind/,
    )
    assert.throws(
      define({ search: idQuery({}, () => 'select 1' as never) }),
      /film\.queries\.search: must return sql/,
    )
  })
})
