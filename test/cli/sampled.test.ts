import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boolean, defineModel, explainRead, storedAs } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { evaluateDeclarations } from '../../cli/introspect/evaluate-declarations.ts'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import { inspectCatalog } from '../../cli/introspect/inspect-catalog.ts'
import { readCatalog, readDeclarations, sampleDatabase } from '../../cli/introspect.ts'
import { mediaType } from '../client.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled, isPostgres } from '../filled.ts'
import { long } from '../long-tests.ts'
import { introspect, postgres, sqlite } from './introspected.ts'
import { serveDatabase } from './walk-database.ts'

for (const database of databases) {
  describe(`Declarations generated from a catalog and its data · ${database.name}`, () => {
    it('omit a view whose id repeats or is null, and serve one whose id identifies its rows', async (test) => {
      const url = await filled(
        test,
        database,
        `create table a (id integer primary key, x integer); insert into a values (1, 7), (2, 7), (3, null);
         create view by_x as select x as id, id as a from a where x is not null;
         create view maybe as select x as id from a where id > 1; create view good as select id, x from a`,
      )
      const { lines, collections } = await introspect(url)
      assert.deepEqual(lines, [
        'by_x is omitted: its key id repeats',
        'maybe is omitted: its key id is null in some rows',
      ])
      assert.deepEqual(Object.keys(collections), ['/as', '/goods'])
      assert.deepEqual(collections['/goods'], [{ x: 7 }, { x: 7 }, { x: null }])
    })

    it('search all rows for a value that is not of a kind', async (test) => {
      const url = await filled(
        test,
        database,
        `create table a (id integer primary key, x text); insert into a values (1, 'Y'), (2, null);
         insert into a with recursive n (n) as (select 3 union all select n + 1 from n where n < 1500)
           select n, case when n < 1500 then 'N' else 'no' end from n`,
      )
      const { codec } = storedAs(boolean, 'Y/N')
      const request = { table: { schema: undefined, name: 'a' }, columns: new Map([['x', codec]]) }
      const [first, all] = await sampleDatabase(url, [
        request,
        { ...request, searchesAllRows: true },
      ])
      assert.equal(first?.columns.get('x')?.invalid, 0)
      const found = { nulls: 0, values: 1, repeats: false, invalid: 1, types: [], example: '"no"' }
      assert.deepEqual(all?.columns.get('x'), found)
    })

    it('omit a view that fails on its rows', async (test) => {
      const url = await filled(
        test,
        database,
        database.name === 'PostgreSQL'
          ? 'create table a (id integer primary key); insert into a values (0); create view broken as select id, 1 / id as x from a'
          : "create table a (id integer primary key); insert into a values (0); create view broken as select id, json_extract('{', '$') as x from a",
      )
      const { lines, collections } = await introspect(url)
      assert.deepEqual(lines, [
        isPostgres(url)
          ? 'broken is omitted: it cannot be read: division by zero'
          : 'broken is omitted: it cannot be read: malformed JSON',
      ])
      assert.deepEqual(Object.keys(collections), ['/as'])
    })
  })
}

describe('Declarations generated from a catalog and its data · SQLite', () => {
  it('read dates in digits as integers, not as seconds or milliseconds since 1970', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, day datetime, moment datetime, at datetime);
       insert into a values (1, 20200131, 20200131235959, 1580428800), (2, 19991231, 19991231000000, 0)`,
    )
    const { collections } = await introspect(url)
    assert.deepEqual(collections['/as'], [
      { day: 20200131, moment: 20200131235959, at: '2020-01-31T00:00:00Z' },
      { day: 19991231, moment: 19991231000000, at: '1970-01-01T00:00:00Z' },
    ])
  })

  it('take few samples, however many columns have values that are not of their kind', async (test) => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`)
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, ${names.map((name) => `${name} datetime`).join()}, i datetime);
       create index a_i on a (i); insert into a values (1, ${names.map((_, index) => (index % 2 ? '1700000000' : "'x'")).join()}, 5.5)`,
    )
    let samples = 0
    const findings = await inspectCatalog(await readCatalog(url), (requests) => {
      samples += 1
      return sampleDatabase(url, requests)
    })
    assert.equal(samples, 3)
    const kinds = [...findings.kinds].map(([{ name }, kind]) => [name, kind.name])
    const datetimes = names.filter((_, index) => index % 2).map((name) => [name, 'datetime'])
    assert.deepEqual(kinds, [...datetimes, ['i', 'number']])
  })

  it('have 64-bit integers where a value is beyond 2^53, so that clients can write it', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table visit (id integer primary key, time integer, x, n integer);
       insert into visit values (1, 13300000000000000, 13300000000000000, 9007199254740991)`,
    )
    const { get, send, model } = await serveDatabase(test, url)
    const kinds = [...(model.types.get('visits')?.fields.values() ?? [])].map((field) =>
      field.is === 'attribute' ? field.kind.name : undefined,
    )
    assert.deepEqual(kinds, ['integer64', 'integer64', 'integer'])
    await get('/visits/1')
    const body = '{"data":{"type":"visits","id":"1","attributes":{"time":13300000000000001}}}'
    const { status, text } = await send('PATCH', '/visits/1', body)
    assert.equal(status, 200, text)
    assert.match(text, /"time":13300000000000001,/)
  })

  it('omit views that cannot be read and foreign keys that lead nowhere, and serve the rest', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, x text); insert into a values (1, 'one');
       create view lost as select id, nope from a; create view gone as select id from missing;
       create table b (id integer primary key, to_gone integer references absent (id), to_nope integer references a (nope),
         to_x text references a (x), a_id integer references a);
       pragma foreign_keys = off; insert into b values (1, 5, 6, 'one', 1)`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'gone is omitted: it cannot be read: no such table: main.missing',
      'lost is omitted: it cannot be read: no such column: nope',
      'b: the foreign key (to_gone) to absent is omitted: there is no table absent',
      'b: the foreign key (to_nope) to a is omitted: a has no column nope',
      'b: the foreign key (to_x) to a is omitted: x of a is not unique',
    ])
    assert.deepEqual(collections['/bs'], [{ to_gone: 5, to_nope: 6, to_x: 'one' }])
  })

  it('use the rowid of a table whose text key has nulls, or another key', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (code text primary key, x integer); insert into a values ('k', 1), (null, 2);
       create table b (code text primary key, no integer not null unique); insert into b values (null, 1), ('x', 2)`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'a is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
    ])
    assert.deepEqual(collections, {
      '/as': [
        { code: 'k', x: 1 },
        { code: null, x: 2 },
      ],
      '/bs': [{ code: null }, { code: 'x' }],
    })
  })

  it('choose what happens with values that do not fit the type of their column', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, born date, at datetime, made datetime, size integer, flag boolean, mixed boolean,
         name text, count date);
       insert into a values (1, '1815-12-10', 1700000000000, 1700000000, 5, 't', 't', 'Ada', 5), (2, '0000-00-00', 1700000000001, 0, 'abc', 'f', 1, 'Grace', 6),
         (3, '1906-12-09', 1700000000002, 1, 7, 't', 'x', x'00', 7)`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'a.mixed is omitted: 2 of 3 values are not of the kind boolean, such as "t"',
      'a.born: 1 of 3 values is not of the kind date, such as "0000-00-00"; it is returned as null',
      'a.at: 3 of 3 values are not of the kind datetime, such as 1700000000000; they are read as epoch-milliseconds',
      'a.made: 3 of 3 values are not of the kind datetime, such as 1700000000; they are read as epoch-seconds',
      'a.size: 1 of 3 values is not of the kind integer, such as "abc"; it is returned as null',
      'a.flag: 3 of 3 values are not of the kind boolean, such as "t"; they are read as t/f',
      'a.name: 1 of 3 values is not of the kind text, such as bytes (1); it is returned as null',
      'a.count: 3 of 3 values are not of the kind date, such as 5; they are read as integer',
    ])
    assert.deepEqual(collections['/as'], [
      {
        born: '1815-12-10',
        at: '2023-11-14T22:13:20Z',
        made: '2023-11-14T22:13:20Z',
        size: 5,
        flag: true,
        name: 'Ada',
        count: 5,
      },
      {
        born: null,
        at: '2023-11-14T22:13:20.001Z',
        made: '1970-01-01T00:00:00Z',
        size: null,
        flag: false,
        name: 'Grace',
        count: 6,
      },
      {
        born: '1906-12-09',
        at: '2023-11-14T22:13:20.002Z',
        made: '1970-01-01T00:00:01Z',
        size: 7,
        flag: true,
        name: null,
        count: 7,
      },
    ])
  })

  it('return the default of a column as null that is not a value of its kind, so that creates succeed', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, size integer default 'x', flag boolean default 'f', day date default '',
         count integer default '5', ratio real default '0.5', name text default 'it''s')`,
    )
    const declarations = await readDeclarations(url, { types: 'plural' })
    assert.deepEqual(formatOmissions(declarations), [
      'a.size: its default "x" is not of the kind integer; it is returned as null',
      'a.flag: its default "f" is not of the kind boolean; it is returned as null',
      'a.day: its default "" is not of the kind date; it is returned as null',
    ])
    const model = defineModel(evaluateDeclarations(declarations))
    const store = await openStore(model, url)
    const server = createServer({ model, store, logLevel: 'silent' })
    test.after(() => server.close().then(() => store.close()))
    const created = await server.inject({
      method: 'POST',
      url: '/as',
      headers: { 'content-type': mediaType },
      payload: { data: { type: 'as' } },
    })
    assert.equal(created.statusCode, 201, created.body)
    const { attributes } = JSON.parse(created.body).data
    assert.deepEqual(attributes, {
      size: null,
      flag: null,
      day: null,
      count: 5,
      ratio: 0.5,
      name: "it's",
    })
  })

  it('serve columns whose types SQLite does not know by the types of their values', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, place point, took interval, shape geometry, made year, rate currency,
         label string, address inet, empty polygon, mixed anything not null);
       insert into a values (1, '(1,2)', '1 day', x'0102', 1999, 1, 'x', '10.0.0.1', null, 5), (2, x'00', '2 days', x'03', 2000, 1.5, '007', null, null, 'y')`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'a.place: SQLite has no type point; its values of type blob and text are read as databaseText; BLOBs are returned as null',
      'a.took: SQLite has no type interval; its values of type text are read as databaseText',
      'a.shape: SQLite has no type geometry; its values of type blob are read as bytes',
      'a.made: SQLite has no type year; its values of type integer are read as integer',
      'a.rate: SQLite has no type currency; its values of type integer and real are read as number',
      'a.label: SQLite has no type string; its values of type integer and text are read as databaseText',
      'a.address: SQLite has no type inet; its values of type text are read as databaseText',
      'a.mixed: SQLite has no type anything; its values of type integer and text are read as databaseText',
    ])
    assert.deepEqual(collections['/as'], [
      {
        ...{ place: '(1,2)', took: '1 day', shape: 'AQI=', made: 1999, rate: 1, label: 'x' },
        ...{ address: '10.0.0.1', empty: null, mixed: '5' },
      },
      {
        ...{ place: null, took: '2 days', shape: 'Aw==', made: 2000, rate: 1.5, label: '7' },
        ...{ address: null, empty: null, mixed: 'y' },
      },
    ])
    const [declared] = (await readDeclarations(url, { types: 'plural' })).resources
    assert.match(declared?.text ?? '', /mixed: attribute\(databaseText, \{ required: true/)
    assert.match(
      declared?.text ?? '',
      /empty: attribute\(databaseText, \{ access: 'read-only' \}\)/,
    )
  })

  it('find the kinds of computed columns of views in their values', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, x integer, y text); insert into a values (1, 2, 'b'), (2, 3, 'c');
       create view v as select id, count(*) as n, avg(x) as mean, upper(y) as upper, null as void,
         iif(id = 1, 'a', 1) as mixed from a group by id;
       create view w as select min(id) as id, sum(x) as total from a`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'v.void is omitted: it has no type',
      'v.mixed is omitted: it has no type, and no attribute kind fits its values of type integer and text',
    ])
    assert.deepEqual(collections['/vs'], [
      { n: 1, mean: 2, upper: 'B' },
      { n: 1, mean: 3, upper: 'C' },
    ])
    assert.deepEqual(collections['/ws'], [{ total: 5 }])
  })

  it(
    'declare the format of an indexed datetime, so that filters and sorts use the index',
    long,
    async (test) => {
      // The last row of "odd" has another notation, beyond the first thousand. The column "plain" has no index, and several notations.
      const url = await filled(
        test,
        sqlite,
        `create table a (id integer primary key, name text, at datetime, made timestamp, born datetime, odd datetime, plain datetime);
       with recursive n (n) as (select 1 union all select n + 1 from n where n < 3000)
         insert into a select n, 'Name ' || n, datetime('2020-01-01', n || ' minutes'), strftime('%Y-%m-%dT%H:%M:%fZ', '2020-01-01', n || ' seconds'),
           1577836800 + n, iif(n < 3000, datetime('2020-01-01', n || ' hours'), '2024-01-01T00:00:00+01:00'), iif(n % 2, '2020-01-01', '2020-01-01 00:00:00') from n;
       update a set at = null where id % 10 = 0;
       create index a_at on a (at); create index a_made on a (made, id); create unique index a_born on a (born); create index a_odd on a (odd)`,
      )
      const declarations = await readDeclarations(url, { types: 'plural' })
      const text = declarations.resources.map((each) => each.text).join()
      assert.match(text, /at: attribute\(storedAs\(datetime, 'YYYY-MM-DD HH:MM:SS'\)\)/)
      assert.match(text, /made: attribute\(storedAs\(datetime, 'YYYY-MM-DDTHH:MM:SS.SSSZ'\)\)/)
      assert.match(text, /born: attribute\(storedAs\(datetime, 'epoch-seconds'\)\)/)
      assert.match(text, /odd: attribute\(datetime\)/)
      assert.match(text, /plain: attribute\(datetime\)/)
      const model = defineModel(evaluateDeclarations(declarations))
      const store = await openStore(model, url)
      test.after(() => store.close())
      const explain = async (query: string) => {
        const { statements, warnings } = await explainRead({ model, store }, `/as?${query}`)
        return { plan: statements.flatMap(({ plan }) => plan).join('\n'), warnings }
      }
      const filter = (name: string, op: string) =>
        `filter=${encodeURIComponent(JSON.stringify([{ name, op, val: '2020-01-01T00:05:00Z' }]))}`
      for (const name of ['at', 'made', 'born']) {
        for (const query of [filter(name, 'eq'), `${filter(name, 'lt')}&sort=${name}`]) {
          const { plan, warnings } = await explain(query)
          assert.match(plan, new RegExp(`SEARCH t0 USING (COVERING )?INDEX a_${name}`), query)
          assert.deepEqual(warnings, [])
        }
        for (const sort of [name, `-${name}`]) {
          const { plan, warnings } = await explain(`sort=${sort}`)
          assert.match(plan, new RegExp(`SCAN t0 USING INDEX a_${name}`), sort)
          assert.doesNotMatch(plan, /B-TREE FOR ORDER BY/)
          assert.deepEqual(warnings, [])
        }
      }
      const advice = `no index serves it, because the texts may have any notation: declare their format, e.g. storedAs(datetime, 'YYYY-MM-DD HH:MM:SS')`
      assert.deepEqual((await explain('sort=odd')).warnings, [
        { message: `the sort by as.odd reads every row of "a"; ${advice}` },
      ])
      assert.deepEqual((await explain(filter('plain', 'eq'))).warnings, [
        {
          message: `the filter by as.plain (eq) reads every row of "a"; ${advice}`,
          fix: 'create index "a_plain" on "a" ("plain")',
        },
      ])
      const { warnings } = await store.verify()
      assert.match(
        warnings.join(),
        /as\.fields\.odd: filters and sorts convert the text of every row/,
      )
    },
  )

  it('do not wait for a view that takes long', { ...long, timeout: 60_000 }, async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key); insert into a values (1);
       create view slow as with recursive n (x) as (select 1 union all select x + 1 from n)
         select id, (select max(x) from n) as x from a;
       create view zeta as select id, id + 1 as next from a`,
    )
    const start = performance.now()
    const declarations = await readDeclarations(url, {})
    assert.ok(performance.now() - start < 30_000)
    assert.deepEqual(formatOmissions(declarations), [
      'slow.x is omitted: it has no type, and its first rows could not be read in time',
    ])
    const zeta = declarations.resources.find(({ file }) => file === 'zeta')
    assert.match(zeta?.text ?? '', /next: attribute\(integer, \{ invalidValues: 'null' \}\)/)
  })
})

describe('Declarations generated from a catalog and its data · PostgreSQL', () => {
  it('describe a column that must not be null as nullable if JSON cannot express a value', async (test) => {
    const url = await filled(
      test,
      postgres,
      `create table price (id bigint primary key, till date not null, size float8 not null, data jsonb not null, since date not null);
       insert into price values (1, 'infinity', 'NaN', 'null', '2024-01-01'), (2, '2024-01-01', 1, '[]', '2024-01-01')`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(
      lines,
      ['till', 'size', 'data'].map(
        (name) =>
          `price.${name}: it must not be null, but JSON cannot express some values, such as infinity; they are returned as null`,
      ),
    )
    assert.deepEqual(collections['/prices'], [
      { till: null, size: null, data: null, since: '2024-01-01' },
      { till: '2024-01-01', size: 1, data: [], since: '2024-01-01' },
    ])
  })

  it('omit what the role must not read', async (test) => {
    const owner = await filled(
      test,
      postgres,
      `create table open (id integer primary key, name text, salary integer);
       create table closed (id integer primary key, open_id integer references open);
       insert into open values (1, 'Ada', 5)`,
    )
    const role = `reader_${process.pid}_${Date.now()}`
    await execute(
      owner,
      `create role ${role} login password 'x'; grant usage on schema public to ${role}; grant select (id, name) on open to ${role}`,
    )
    test.after(() => execute(owner, `drop owned by ${role}; drop role ${role}`))
    const url = new URL(owner)
    url.username = role
    url.password = 'x'
    const { lines, collections } = await introspect(url.href)
    assert.deepEqual(lines, [
      'closed is omitted: it cannot be read: permission denied for table closed',
      'open.salary is omitted: it cannot be read: permission denied for table open',
    ])
    assert.deepEqual(collections, { '/opens': [{ name: 'Ada' }] })
  })

  it('return values as null that do not fit the kind of their column', async (test) => {
    const url = await filled(
      test,
      postgres,
      `create table a (id integer primary key, born date, price numeric, at time);
       insert into a values (1, '0044-03-15 BC', 'NaN', '24:00'), (2, '1815-12-10', 5, '12:00'), (3, null, 6, '13:00')`,
    )
    const { lines, collections } = await introspect(url)
    assert.deepEqual(lines, [
      'a.born: 1 of 2 values is not of the kind date, such as "0044-03-15 BC"; it is returned as null',
      'a.price: 1 of 3 values is not of the kind decimal, such as "NaN"; it is returned as null',
      'a.at: 1 of 3 values is not of the kind time, such as "24:00:00"; it is returned as null',
    ])
    assert.deepEqual(collections['/as'], [
      { born: null, price: null, at: null },
      { born: '1815-12-10', price: '5', at: '12:00:00' },
      { born: null, price: '6', at: '13:00:00' },
    ])
  })
})
