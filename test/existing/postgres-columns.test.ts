import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  array,
  attribute,
  DeclarationError,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  integer,
  integer64,
  number,
  type ResourceDeclaration,
  resource,
  text,
  time,
  toMany,
  toOne,
} from 'lapidary'
import { serveDatabase } from '../cli/walk-database.ts'
import { everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import { ids } from '../test-response.ts'
import { type ServedModel, serveModel } from './serve-model.ts'

const postgres = everyDatabase.filter(({ name }) => name === 'PostgreSQL')

type Fields = ResourceDeclaration['fields']

const createCaseInsensitiveCollation = `create collation case_insensitive (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

for (const database of postgres) {
  describe('Existing columns of PostgreSQL', () => {
    /** Serves the type `thing`, and other types. */
    async function serveThing(
      test: TestContext,
      sql: string,
      fields: Fields,
      id: ResourceDeclaration['id'] = { client: 'required' },
      others: readonly ResourceDeclaration[] = [],
    ): Promise<ServedModel> {
      const thing = resource('thing', { path: '/things', table: 'thing', id, fields })
      return serveModel(test, defineModel([thing, ...others]), await filled(test, database, sql))
    }

    /** Reads an attribute of every resource, in the order of their ids. */
    async function readAttribute({ get }: ServedModel, name: string) {
      const { many } = await get('/things', { sort: 'id' })
      return many.map(({ attributes }) => attributes?.[name])
    }

    it('char: text is read, filtered, sorted and linked without its padding', async (test) => {
      const served = await serveThing(
        test,
        `create table thing (id char(5) primary key, name char(4), word char(9) check (word in ('a', 'bcd')),
           whole_id char(5) references thing); insert into thing values ('a', 'xy', 'bcd', null), ('bcdef', 'x', 'a', 'a'),
           ('c', 'x y', 'a', 'a')`,
        {
          name: attribute(text),
          word: attribute(enumeration(['a', 'bcd'])),
          whole: toOne('thing', { column: 'whole_id' }),
          parts: toMany('thing', { column: 'whole_id' }),
        },
        { kind: text, client: 'required' },
      )
      assert.deepEqual(await readAttribute(served, 'name'), ['xy', 'x', 'x y'])
      assert.deepEqual(await readAttribute(served, 'word'), ['bcd', 'a', 'a'])
      const a = await served.get('/things/a', { include: 'parts.whole' })
      const included = a.body.included?.map(({ id }) => id)
      assert.deepEqual([a.one.id, included], ['a', ['bcdef', 'c']])
      const found = async (op: string, name: string, val: unknown) =>
        ids(await served.get('/things', { filter: [{ name, op, val }] }))
      assert.deepEqual(await found('eq', 'name', 'xy'), ['a'])
      assert.deepEqual(await found('in_', 'name', ['x', 'xy']), ['a', 'bcdef'])
      assert.deepEqual(await found('endswith', 'name', 'y'), ['a', 'c'])
      assert.deepEqual(await found('like', 'name', '%x'), ['bcdef'])
      assert.deepEqual(await found('gt', 'name', 'x y'), ['a'])
      assert.deepEqual(await found('eq', 'word', 'bcd'), ['a'])
      assert.deepEqual(await found('eq', 'id', 'bcdef'), ['bcdef'])
      assert.deepEqual(ids(await served.get('/things', { sort: 'name' })), ['bcdef', 'c', 'a'])
      const created = await served.post('/things', {
        ...{ type: 'thing', id: 'd', attributes: { name: 'z ' } },
      })
      assert.equal(created.one.attributes?.name, 'z')
    })

    for (const [kind, type] of [
      ['citext', 'citext'],
      ['a case-insensitive collation', 'text collate case_insensitive'],
    ] as const) {
      it(`${kind}: filters and sorts are case-sensitive`, async (test) => {
        const served = await serveThing(
          test,
          `create extension citext; ${createCaseInsensitiveCollation}; create table thing (id bigint primary key, a ${type}, b ${type});
           insert into thing values (1, 'Abc', 'aBC'), (2, 'abc', 'abc'), (3, 'B', 'b')`,
          { a: attribute(text), b: attribute(text) },
        )
        const found = async (filter: object) =>
          ids(await served.get('/things', { filter: [filter] }))
        assert.deepEqual(await found({ name: 'a', op: 'like', val: 'b' }), ['1', '2'])
        assert.deepEqual(await found({ name: 'a', op: 'like', val: 'A%' }), ['1'])
        assert.deepEqual(await found({ name: 'a', op: 'startswith', val: 'a' }), ['2'])
        assert.deepEqual(await found({ name: 'a', op: 'endswith', val: 'C' }), [])
        assert.deepEqual(await found({ name: 'a', op: 'ilike', val: 'aB%' }), ['1', '2'])
        assert.deepEqual(await found({ name: 'a', op: 'match', val: 'ABC' }), ['1', '2'])
        assert.deepEqual(await found({ name: 'a', op: 'ge', val: 'B' }), ['2', '3'])
        assert.deepEqual(await found({ name: 'a', op: 'eq', field: 'b' }), ['2'])
        assert.deepEqual(await found({ name: 'a', op: 'gt', field: 'b' }), [])
        assert.deepEqual(ids(await served.get('/things', { sort: 'a' })), ['1', '3', '2'])
        // `eq` uses the collation of the column, so that an index can be used.
        const equal = await found({ name: 'a', op: 'eq', val: 'ABC' })
        assert.deepEqual(equal, type === 'citext' ? [] : ['1', '2'])
      })
    }

    it('two columns with different collations can be compared in a filter', async (test) => {
      const served = await serveThing(
        test,
        `create table thing (id bigint primary key, a text collate "C", b text collate "und-x-icu");
         insert into thing values (1, 'x', 'x'), (2, 'x', 'Y')`,
        { a: attribute(text), b: attribute(text) },
      )
      for (const [op, expected] of [
        ['eq', ['1']],
        ['gt', ['2']],
        ['like', ['1']],
        ['startswith', ['1']],
      ] as const)
        await test.test(`${op}`, async () => {
          const { many } = await served.get('/things', { filter: [{ name: 'a', op, field: 'b' }] })
          assert.deepEqual(
            many.map(({ id }) => id),
            expected,
            op,
          )
        })
    })

    it('verify rejects a relationship between columns with different collations', async (test) => {
      const url = await filled(
        test,
        database,
        `create table thing (code text collate "C" primary key, whole text collate "und-x-icu" references thing);
         create table link (a text collate "POSIX" references thing, b text references thing)`,
      )
      const link = { table: 'link', from: 'b', to: 'a' }
      const thing = resource('thing', {
        ...{
          path: '/things',
          table: 'thing',
          id: { column: 'code', kind: text, client: 'required' },
        },
        fields: {
          whole: toOne('thing', { column: 'whole' }),
          all: toMany('thing', { through: link }),
        },
      })
      const store = await openStore(defineModel([thing]), url)
      test.after(() => store.close())
      const error = await store.verify().catch((reason: unknown) => reason)
      assert.ok(error instanceof DeclarationError, String(error))
      const end = "and cannot be compared; give one of them the other's"
      assert.deepEqual(error.errors, [
        `thing.fields.whole: the columns "whole" of the table "thing" and "code" of the table "thing" have two collations, "und-x-icu" and "C", ${end}`,
        `thing.fields.all: the columns "a" of the table "link" and "code" of the table "thing" have two collations, "POSIX" and "C", ${end}`,
      ])
    })

    it('timestamp without time zone is read as UTC, whatever the time zone of the database is', async (test) => {
      const sql = `create table thing (id bigint primary key, at timestamp, day timestamptz);
        insert into thing values (1, '2024-07-01 12:00:00.123456', '2024-07-01 12:00:00+02')`
      const url = await filled(test, database, sql)
      const name = new URL(url).pathname.slice(1)
      await execute(url, `alter database "${name}" set timezone = 'Asia/Tokyo'`)
      test.after(() => execute(url, `alter database "${name}" reset timezone`))
      const thing = resource('thing', {
        ...{ path: '/things', table: 'thing', id: { client: 'required' } },
        fields: { at: attribute(datetime), day: attribute(datetime) },
      })
      const served = await serveModel(test, defineModel([thing]), url)
      assert.deepEqual(await readAttribute(served, 'at'), ['2024-07-01T12:00:00.123456Z'])
      assert.deepEqual(await readAttribute(served, 'day'), ['2024-07-01T10:00:00Z'])
      const filter = [{ name: 'at', op: 'eq', val: '2024-07-01T14:00:00.123456+02:00' }]
      assert.deepEqual(ids(await served.get('/things', { filter })), ['1'])
    })

    it('values are those of the default settings, whatever the settings of the database are', async (test) => {
      const sql = `create table thing (id bigint primary key, size real, took interval, day date, list text[]);
        insert into thing values (1, 21.35, '1 year 2 days 03:04:05', '2024-02-29', '{a,NULL}')`
      const url = await filled(test, database, sql)
      const name = new URL(url).pathname.slice(1)
      const settings = `extra_float_digits = -5, intervalstyle = iso_8601, quote_all_identifiers = on, array_nulls = off,
        standard_conforming_strings = off, datestyle = 'SQL, DMY'`
      for (const setting of settings.split(/, (?=\w+ =)|,\s+(?=\w+ =)/)) {
        await execute(url, `alter database "${name}" set ${setting}`)
        test.after(() => execute(url, `alter database "${name}" reset ${setting.split(' ')[0]}`))
      }
      const { model, get } = await serveDatabase(test, url)
      assert.deepEqual([...model.types.keys()], ['things'])
      assert.deepEqual([(await get('/things/1')).data].flat()[0]?.attributes, {
        ...{ size: 21.35, took: '1 year 2 days 03:04:05', day: '2024-02-29', list: ['a', null] },
      })
      const filter = JSON.stringify([{ name: 'list', op: 'eq', val: ['a', null] }])
      assert.equal((await get(`/things?filter=${encodeURIComponent(filter)}`)).meta?.count, 1)
    })

    it('infinity and NaN are serialized as null', async (test) => {
      const served = await serveThing(
        test,
        `create table thing (id bigint primary key, day date, at timestamptz, local timestamp, size float8);
         insert into thing values (1, 'infinity', 'infinity', 'infinity', 'Infinity'),
           (2, '-infinity', '-infinity', '-infinity', '-Infinity'), (3, null, null, null, 'NaN')`,
        {
          day: attribute(date),
          at: attribute(datetime),
          local: attribute(datetime),
          size: attribute(number),
        },
      )
      for (const name of ['day', 'at', 'local', 'size'])
        await test.test(`${name}`, async () => {
          assert.deepEqual(await readAttribute(served, name), [null, null, null], name)
        })
    })

    it('infinity and NaN are null in arrays with null elements, and in others no valid value', async (test) => {
      const fields = (options: Parameters<typeof array>[1]): Fields => ({
        many: attribute(array(number, options)),
        days: attribute(array(date, options)),
      })
      const rows = `create table thing (id bigint primary key, many float8[], days date[]);
        insert into thing values (1, '{1,NaN}', null), (2, null, '{2024-01-01,infinity}'), (3, '{1}', '{2024-01-01}')`
      const withNulls = await serveThing(test, rows, fields({ nullElements: true }))
      assert.deepEqual(await readAttribute(withNulls, 'many'), [[1, null], null, [1]])
      assert.deepEqual(await readAttribute(withNulls, 'days'), [
        null,
        ['2024-01-01', null],
        ['2024-01-01'],
      ])
      const { get } = await serveThing(test, rows, fields({}))
      const statuses = [1, 2, 3].map(async (id) => (await get(`/things/${id}`)).status)
      assert.deepEqual(await Promise.all(statuses), [500, 500, 200])
    })

    it('infinity and NaN of a required attribute are values that its kind does not allow', async (test) => {
      const rows = `create table thing (id bigint primary key, till date not null, size float8 not null);
        insert into thing values (1, 'infinity', 1), (2, '2024-01-01', 'NaN'), (3, '2024-01-01', 1)`
      for (const invalidValues of ['error', 'null'] as const) {
        const options = { required: true, invalidValues } as const
        const { get } = await serveThing(test, rows, {
          till: attribute(date, options),
          size: attribute(number, options),
        })
        const statuses = [1, 2, 3].map(async (id) => (await get(`/things/${id}`)).status)
        const invalid = invalidValues === 'error' ? 500 : 200
        assert.deepEqual(await Promise.all(statuses), [invalid, invalid, 200])
      }
    })

    it('given a stored value that its kind does not allow, answers 500', async (test) => {
      const fields: Fields = {
        day: attribute(date),
        at: attribute(datetime),
        clock: attribute(time),
        price: attribute(decimal()),
        no: attribute(integer),
      }
      const served = await serveThing(
        test,
        `create table thing (id bigint primary key, day date, at timestamptz, clock time, price numeric, no numeric);
         insert into thing (id, day) values (1, '0044-03-15 BC'), (2, '10000-01-01');
         insert into thing (id, at) values (3, '0044-03-15 BC'), (4, '10000-01-01');
         insert into thing (id, clock) values (5, '24:00'); insert into thing (id, price) values (6, 'NaN'), (7, 'Infinity');
         insert into thing (id, no) values (8, 1.5); insert into thing (id, no, price) values (9, 7.00, 7.10)`,
        fields,
      )
      for (const id of [1, 2, 3, 4, 5, 6, 7, 8])
        assert.equal((await served.get(`/things/${id}`)).status, 500, String(id))
      const { attributes } = (await served.get('/things/9')).one
      assert.deepEqual([attributes?.no, attributes?.price], [7, '7.1'])
    })

    it('real is serialized as the shortest number that reads back, and a filter compares that number', async (test) => {
      const served = await serveThing(
        test,
        'create table thing (id bigint primary key, size real); insert into thing values (1, 0.1)',
        { size: attribute(number) },
      )
      assert.deepEqual(await readAttribute(served, 'size'), [0.1])
      const found = async (val: number) =>
        ids(await served.get('/things', { filter: [{ name: 'size', op: 'eq', val }] }))
      assert.deepEqual([await found(0.10000000149011612), await found(0.1)], [[], ['1']])
    })

    it('given a value that the column rounds, the response contains the rounded value', async (test) => {
      const served = await serveThing(
        test,
        'create table thing (id bigint primary key, at timestamptz(0), price numeric(10, 2))',
        { at: attribute(datetime), price: attribute(decimal()) },
      )
      const sent = { at: '2024-07-01T12:00:00.6Z', price: '1.555' }
      const created = await served.post('/things', { type: 'thing', id: '1', attributes: sent })
      assert.deepEqual(created.one.attributes, { at: '2024-07-01T12:00:01Z', price: '1.56' })
    })

    it('given a number that the column cannot store, answers 422', async (test) => {
      const served = await serveThing(
        test,
        'create table thing (id bigint primary key, no smallint, size integer, big integer)',
        { no: attribute(integer), size: attribute(number), big: attribute(integer64()) },
      )
      for (const attributes of [{ no: 32768 }, { size: 1.5 }, { big: 2 ** 31 }])
        await test.test(`${JSON.stringify(attributes)}`, async () => {
          const { status } = await served.post('/things', { type: 'thing', id: '1', attributes })
          assert.equal(status, 422, JSON.stringify(attributes))
        })
    })

    it('a generated id is never one that a client has generated', async (test) => {
      const served = await serveThing(
        test,
        'create table thing (id bigint generated by default as identity primary key)',
        {},
        { client: 'optional' },
      )
      assert.deepEqual(served.warnings, [])
      assert.equal((await served.post('/things', { type: 'thing', id: '1' })).status, 201)
      assert.equal((await served.post('/things', { type: 'thing' })).one.id, '2')
    })
  })

  describe('A PostgreSQL database with another encoding than UTF8', () => {
    const thing = resource('thing', {
      path: '/things',
      table: 'thing',
      fields: { name: attribute(text) },
    })

    async function createEncodedDatabase(test: TestContext, encoding: string): Promise<string> {
      const url = await filled(test, database, '')
      const name = `encoded_${encoding.toLowerCase()}`
      await execute(url, `drop database if exists ${name}`)
      await execute(
        url,
        `create database ${name} encoding '${encoding}' locale 'C' template template0`,
      )
      test.after(() => execute(url, `drop database ${name} with (force)`))
      const encodedUrl = String(new URL(name, url))
      await execute(
        encodedUrl,
        'create table thing (id bigint generated by default as identity primary key, name text)',
      )
      return encodedUrl
    }

    it('LATIN1: is served with a warning, and folds case as UTF8 does', async (test) => {
      const url = await createEncodedDatabase(test, 'LATIN1')
      const served = await serveModel(test, defineModel([thing]), url)
      assert.equal(served.warnings.length, 1)
      assert.match(
        String(served.warnings[0]),
        /^the database: LATIN1 cannot encode most characters/,
      )
      const created = await served.post('/things', { type: 'thing', attributes: { name: 'Größe' } })
      assert.equal(created.one.attributes?.name, 'Größe')
      const filter = [{ name: 'name', op: 'ilike', val: 'GRÖSSE' }]
      assert.deepEqual(ids(await served.get('/things', { filter })), ['1'])
    })

    it('SQL_ASCII: is rejected when the store opens', async (test) => {
      const url = await createEncodedDatabase(test, 'SQL_ASCII')
      await assert.rejects(openStore(defineModel([thing]), url), {
        message: /^PostgreSQL at .*\/encoded_sql_ascii is encoded as SQL_ASCII; it must be UTF8\.$/,
      })
    })
  })
}
