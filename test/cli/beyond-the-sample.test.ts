import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { explainRead } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { createPages } from 'lapidary/html'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { loadModel } from '../../cli/open-source.ts'
import { assertModelConforms } from '../checker/check-served.ts'
import { Cleanup, type Scope } from '../cleanup.ts'
import { connect, type Exchange } from '../client.ts'
import { type Database, everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import type { Document, Resource } from '../test-response.ts'

const sqlite = findDatabase()

function findDatabase(): Database {
  const found = everyDatabase.find(({ dialect }) => dialect === 'sqlite')
  assert.ok(found)
  return found
}

/** Serves a database as `lapidary serve --write` does. */
async function serve(test: Scope, url: string) {
  const model = await loadModel({ source: url, types: 'plural' })
  const store = await openStore(model, url)
  const server = createServer({ model, store, html: createPages(), logLevel: 'silent' })
  test.after(() => server.close().then(() => store.close()))
  await store.verify()
  const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
  test.after(() => client.close())
  const send = async (method: string, path: string, data?: unknown): Promise<Exchange> => {
    const exchange = await client.send(method, path, data === undefined ? {} : { body: { data } })
    assertModelConforms(model, exchange)
    return exchange
  }
  const get = async (path: string): Promise<Document> => {
    const { status, text } = await send('GET', path)
    assert.equal(status, 200, `${path}: ${text}`)
    return JSON.parse(text)
  }
  const list = async (path: string): Promise<Resource[]> => {
    const { data } = await get(path)
    assert.ok(Array.isArray(data))
    // The data of a collection are resources.
    return data as Resource[]
  }
  return { model, server, send, get, list }
}

/** A table whose first 1,200 rows have valid values, and the others none. */
const lateValues = `
  create table latecol (id integer primary key, amount integer, price decimal(9, 2), rate real, day date, at datetime, moment time,
    flag boolean, mark uuid, data json, name text);
  create table ref (id integer primary key, latecol_id integer references latecol);
  create index latecol_amount on latecol (amount);
  with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
    insert into latecol select i, iif(i <= 1200, i, 'n/a'), iif(i <= 1200, 1.5, 'n/a'), iif(i <= 1200, 0.5, 'n/a'), iif(i <= 1200, '2024-01-01', ''),
      iif(i <= 1200, iif(i % 2, '2024-01-01', '2024-01-01T10:00Z'), 'never'), iif(i <= 1200, '10:00:00', 'noon'), iif(i <= 1200, 1, 'yes'),
      iif(i <= 1200, 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'none'), iif(i <= 1200, '{}', '{'), iif(i <= 1200, 'x', x'00') from s;
  insert into ref values (1, 1300), (2, 1)`

/** The attributes of `lateValues`. */
const names = 'amount price rate day at moment flag mark data name'.split(' ')

describe('A value that is not of its kind, beyond the first 1,000 rows', () => {
  const cleanup = new Cleanup()
  let url: string
  let served: Awaited<ReturnType<typeof serve>>
  before(async () => {
    url = await filled(cleanup, sqlite, lateValues)
    served = await serve(cleanup, url)
  })
  after(() => cleanup.run())

  it('is null in lists, resources, includes, related routes, streams and pages', async () => {
    const { get, list, server } = served
    const invalid = Object.fromEntries(names.map((name) => [name, null]))
    const page = await list('/latecols?page[size]=30&page[number]=45')
    assert.equal(page.length, 30)
    const { data, included } = await get('/refs?include=latecol&sort=id')
    assert.ok(Array.isArray(data))
    const found = [
      page[0],
      (await get('/latecols/1300')).data,
      (await get('/refs/1/latecol')).data,
      included?.find(({ id }) => id === '1300'),
      (await list('/latecols?page[size]=1000&page[number]=2'))[300],
    ]
    for (const each of found) {
      assert.ok(each && 'attributes' in each)
      assert.deepEqual(each.attributes, invalid)
    }
    const html = await server.inject({ url: '/latecols/1300', headers: { accept: 'text/html' } })
    assert.equal(html.statusCode, 200)
  })

  for (const name of names.filter((each) => each !== 'data')) {
    it(`in ${name} does not make sorts and filters fail`, async () => {
      const { get } = served
      for (const sort of [name, `-${name}`])
        assert.equal((await get(`/latecols?sort=${sort}`)).meta?.count, 1500)
      const [{ attributes }] = (await get('/latecols?page[size]=1')).data as [Resource]
      const val = attributes?.[name]
      for (const op of ['eq', 'ne', ...(['flag', 'mark'].includes(name) ? [] : ['ge', 'lt'])])
        await get(`/latecols?filter=${JSON.stringify([{ name, op, val }])}`)
    })
  }

  it('may be stored by another program after the start', async (test) => {
    const url = await filled(test, sqlite, 'create table a (id integer primary key, n integer)')
    const { list } = await serve(test, url)
    await execute(url, "insert into a values (1, 'abc'), (2, 2)")
    assert.deepEqual(
      (await list('/as')).map(({ attributes }) => attributes?.n),
      [null, 2],
    )
  })

  it('does not keep sorts of a sampled integer from using its index', async () => {
    const store = await openStore(served.model, url)
    cleanup.after(() => store.close())
    const read = await explainRead({ model: served.model, store }, '/latecols?sort=-amount')
    assert.deepEqual(read.warnings, [])
  })

  it('is declared null by init, because its declarations are strict', async () => {
    const declarations = await readDeclarations(url, { checksAllRows: true })
    const [text = ''] = declarations.resources.map((each) => each.text)
    for (const name of names)
      assert.match(text, new RegExp(`\\b${name}: attribute\\(.*invalidValues: 'null'`), name)
    assert.ok(
      formatOmissions(declarations).includes(
        'latecol.amount: a value is not of the kind integer, such as "n/a"; it is returned as null',
      ),
    )
  })
})

/** The formats of datetimes, each with the SQL of its texts, and what a new one is. */
const datetimeFormats: readonly (readonly [
  title: string,
  type: string,
  sql: string,
  written: string | number,
])[] = [
  [
    'a space',
    'datetime',
    "datetime('2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30',
  ],
  [
    'a space and six digits',
    'datetime(6)',
    "strftime('%Y-%m-%d %H:%M:%f000', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30.000000',
  ],
  [
    'a T and no zone',
    'timestamp',
    "strftime('%Y-%m-%dT%H:%M:%S', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05T10:30:30',
  ],
  [
    'a T and Z',
    'datetime',
    "strftime('%Y-%m-%dT%H:%M:%SZ', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05T10:30:30Z',
  ],
  [
    'an offset of 0',
    'datetime',
    "strftime('%Y-%m-%d %H:%M:%S+00:00', '2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30+00:00',
  ],
  ['seconds', 'datetime', "unixepoch('2024-05-05 10:00:00', i || ' minutes')", 1714905030],
  [
    'milliseconds',
    'datetime',
    "unixepoch('2024-05-05 10:00:00', i || ' minutes') * 1000",
    1714905030000,
  ],
  [
    'a type for dates',
    'date',
    "datetime('2024-05-05 10:00:00', i || ' minutes')",
    '2024-05-05 10:30:30',
  ],
]

describe('A column of BLOBs with numbers and texts', () => {
  it('has texts only, in responses, filters and writes', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table mixed (id integer primary key, b blob); insert into mixed values (1, 7), (2, 'x'), (3, 1.5)`,
    )
    const { list, send } = await serve(test, url)
    const read = async (path: string) =>
      (await list(path)).map(({ id, attributes }) => [id, attributes?.b])
    assert.deepEqual(await read('/mixeds'), [
      ['1', '7'],
      ['2', 'x'],
      ['3', '1.5'],
    ])
    assert.deepEqual(await read('/mixeds?filter[b]=7'), [['1', '7']])
    assert.deepEqual(await read('/mixeds?filter=[{"name":"b","op":"in_","val":["1.5","x"]}]'), [
      ['2', 'x'],
      ['3', '1.5'],
    ])
    const data = { type: 'mixeds', id: '1', attributes: { b: '8' } }
    assert.equal((await send('PATCH', '/mixeds/1', data)).status, 200)
    assert.deepEqual(await read('/mixeds?filter[b]=8'), [['1', '8']])
  })
})

describe('Datetimes of SQLite without an index', () => {
  for (const [title, type, text, written] of datetimeFormats) {
    it(`are written in the format of all sampled values: ${title}`, async (test) => {
      const url = await filled(
        test,
        sqlite,
        `create table a (id integer primary key, at ${type} not null);
         with recursive s (i) as (select 1 union all select i + 1 from s where i < 50) insert into a select i, ${text} from s`,
      )
      const { send } = await serve(test, url)
      const attributes = { at: '2024-05-05T10:30:30Z' }
      const created = await send('POST', '/as', { type: 'as', attributes })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(JSON.parse(created.text).data.attributes, attributes)
      const [row] = await execute(url, 'select at from a where id = 51')
      assert.equal(row?.at, written)
      const sql = 'select count(*) as n from a where at < (select at from a where id = 31)'
      const [counted] = await execute(url, sql)
      assert.equal(counted?.n, 31)
    })
  }

  it('have the format of their default before there are rows', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime not null default current_timestamp,
         made datetime default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), seen timestamp default (datetime('now', 'localtime')))`,
    )
    const { send } = await serve(test, url)
    const time = '2024-05-05T10:30:30Z'
    const attributes = { at: time, made: time, seen: time }
    const { status, text } = await send('POST', '/as', { type: 'as', attributes })
    assert.equal(status, 201, text)
    const [row = {}] = await execute(url, 'select at, made, seen from a')
    assert.deepEqual(Object.values(row), [
      ...['2024-05-05 10:30:30', '2024-05-05T10:30:30.000Z', '2024-05-05 10:30:30'],
    ])
  })

  it('are read in other notations too, which may be beyond the sample', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime);
       with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
         insert into a select i, iif(i <= 1200, datetime('2024-01-01', i || ' minutes'), iif(i = 1300, 'x', '2024-01-01T00:00:00+01:00')) from s`,
    )
    const { get } = await serve(test, url)
    const read = async (id: number) => ((await get(`/as/${id}`)).data as Resource).attributes?.at
    assert.deepEqual(
      [await read(1), await read(1299), await read(1300)],
      ['2024-01-01T00:01:00Z', '2023-12-31T23:00:00Z', null],
    )
  })

  it('of several formats stay plain, and the start says what is written', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime, made datetime default current_timestamp);
       insert into a values (1, '2024-01-01 00:00:00', '2024-01-01T00:00:00Z'), (2, '2024-01-01T00:00:00Z', null)`,
    )
    const declarations = await readDeclarations(url, { types: 'plural' })
    const written =
      'its datetimes have several formats; new ones are stored as 2024-01-31T12:00:00.000000Z'
    assert.deepEqual(formatOmissions(declarations), [`a.at: ${written}`, `a.made: ${written}`])
    assert.deepEqual(formatOmissions(await readDeclarations(url, { readOnly: true })), [])
  })

  for (const [end, note, isReadOnly] of [
    [
      "'.123+02:00'",
      'it is read-only, because all of its datetimes have the offset +02:00, and new ones would be stored in UTC, out of their order',
      true,
    ],
    [
      "iif(i % 2, '+01:00', '+02:00')",
      'its datetimes have several offsets from UTC, such as +01:00 and +02:00; new ones are stored as 2024-01-31T12:00:00.000000Z',
      false,
    ],
    [
      "'.1234567Z'",
      'its datetimes have a format that cannot be declared; new ones are stored as 2024-01-31T12:00:00.000000Z',
      false,
    ],
  ] as const)
    it(`that end with ${end} are described as they are`, async (test) => {
      const url = await filled(
        test,
        sqlite,
        `create table a (id integer primary key, at datetime, name text);
         with recursive s (i) as (select 10 union all select i + 1 from s where i < 59)
           insert into a select i, '2024-05-05T10:00:' || i || ${end}, 'x' from s`,
      )
      const declarations = await readDeclarations(url, { types: 'plural' })
      assert.deepEqual(formatOmissions(declarations), [`a.at: ${note}`])
      assert.deepEqual(formatOmissions(await readDeclarations(url, { readOnly: true })), [])
      const { send } = await serve(test, url)
      const attributes = { at: '2025-01-02T03:04:05Z', name: 'y' }
      assert.equal((await send('POST', '/as', { type: 'as', attributes })).status, 201)
      const [row] = await execute(url, "select at from a where name = 'y'")
      assert.equal(row?.at, isReadOnly ? null : '2025-01-02T03:04:05.000000Z')
    })

  it('beyond the sample decide what init declares, because its declarations are strict', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table a (id integer primary key, at datetime, made datetime);
       with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
         insert into a select i, iif(i <= 1200, datetime('2024-01-01'), '2024-01-01T00:00:00+01:00'), datetime('2024-01-01') from s`,
    )
    const { resources } = await readDeclarations(url, { types: 'plural', checksAllRows: true })
    assert.match(resources[0]?.text ?? '', /at: attribute\(datetime\)/)
    assert.match(resources[0]?.text ?? '', /made: attribute\(storedAs\(datetime, /)
  })
})

/** Keys that are numbers and texts, beyond the first 1,000 rows and within them, and foreign keys to them. */
const mixedKeys = `
  create table latekey (grp text not null, code integer_or_text not null, n text, primary key (grp, code));
  with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500)
    insert into latekey select iif(i <= 1100, 'EPSG', 'IGNF'), iif(i <= 1100, i, 'T' || i), 'n' || i from s;
  create table mixedkey (code integer_or_text not null primary key, n text);
  insert into mixedkey values (4326, 'a'), ('AMANU49', 'b'), (1.5, 'c'), (-7, 'd');
  create table numberkey (no int not null primary key, n text);
  with recursive s (i) as (select 1 union all select i + 1 from s where i < 1500) insert into numberkey select iif(i < 1500, i, 'last'), 'n' from s;
  create table use (id integer primary key, mixed_code integer_or_text references mixedkey (code), grp text, code integer_or_text,
    foreign key (grp, code) references latekey (grp, code));
  insert into use values (1, 4326, 'EPSG', 7), (2, 'AMANU49', 'IGNF', 'T1400'), (3, null, null, null)`

describe('Keys of SQLite that are numbers in some rows and texts in others', () => {
  const cleanup = new Cleanup()
  let url: string
  let served: Awaited<ReturnType<typeof serve>>
  before(async () => {
    url = await filled(cleanup, sqlite, mixedKeys)
    served = await serve(cleanup, url)
  })
  after(() => cleanup.run())

  it('are all served, and counted as SQL counts them', async () => {
    assert.equal((await served.get('/latekeys?page[size]=1')).meta?.count, 1500)
    assert.equal((await served.get('/latekeys?filter[grp]=IGNF')).meta?.count, 400)
    assert.equal((await served.get('/numberkeys?page[size]=1')).meta?.count, 1500)
    const ids = (await served.list('/mixedkeys')).map(({ id }) => id)
    assert.deepEqual(ids, ['-7', '1.5', '4326', 'AMANU49'])
    assert.deepEqual(
      (await served.list('/mixedkeys?sort=-id')).map(({ id }) => id),
      ids.toReversed(),
    )
  })

  for (const path of [
    ...['/latekeys/EPSG,7', '/latekeys/IGNF,T1400', '/mixedkeys/4326', '/mixedkeys/AMANU49'],
    ...['/mixedkeys/1.5', '/mixedkeys/-7', '/numberkeys/last', '/numberkeys/12'],
  ]) {
    it(`are found by their texts: ${path}`, async () => {
      const { data } = await served.get(path)
      assert.ok(data && 'id' in data)
      assert.equal(path.endsWith(`/${data.id}`), true)
    })
  }

  for (const id of [
    '04326',
    '4326.0',
    '+4326',
    ' 4326',
    '4.326e3',
    '1.50',
    '99999999999999999999',
  ]) {
    it(`have no other spelling: ${id}`, async () => {
      const { status } = await served.send('GET', `/mixedkeys/${encodeURIComponent(id)}`)
      assert.equal(status, 404)
    })
  }

  it('are found by filters of the id and of other types', async () => {
    const find = async (path: string, filter: unknown) =>
      (await served.list(`${path}?filter=${encodeURIComponent(JSON.stringify([filter]))}`)).map(
        ({ id }) => id,
      )
    const codes = ['4326', 'AMANU49', 'none']
    assert.deepEqual(
      await find('/mixedkeys', { name: 'id', op: 'in_', val: codes }),
      codes.slice(0, 2),
    )
    assert.deepEqual(await find('/mixedkeys', { name: 'id', op: 'gt', val: '4326' }), ['AMANU49'])
    assert.deepEqual(await find('/latekeys', { name: 'id', op: 'eq', val: 'IGNF,T1400' }), [
      'IGNF,T1400',
    ])
    assert.deepEqual(await find('/latekeys', { name: 'code', op: 'eq', val: 'T1400' }), [
      'IGNF,T1400',
    ])
    assert.deepEqual(
      await find('/uses', {
        name: 'mixed_code',
        op: 'has',
        val: { name: 'n', op: 'eq', val: 'b' },
      }),
      ['2'],
    )
  })

  it('are linkage, and are included, in pages and in streams', async () => {
    for (const size of ['', '&page[size]=1000']) {
      const { data, included = [] } = await served.get(`/uses?include=mixed_code,latekey${size}`)
      assert.ok(Array.isArray(data))
      const linkage = (data as Resource[]).map(({ relationships }) => [
        relationships?.mixed_code?.data,
        relationships?.latekey?.data,
      ])
      assert.deepEqual(linkage, [
        [
          { type: 'mixedkeys', id: '4326' },
          { type: 'latekeys', id: 'EPSG,7' },
        ],
        [
          { type: 'mixedkeys', id: 'AMANU49' },
          { type: 'latekeys', id: 'IGNF,T1400' },
        ],
        [null, null],
      ])
      assert.equal(included.length, 4)
    }
    assert.deepEqual(
      (await served.list('/mixedkeys/AMANU49/uses')).map(({ id }) => id),
      ['2'],
    )
  })

  it('are created, changed and deleted by their texts', async () => {
    for (const [id, type] of [
      ['99', 'integer'],
      ['N99', 'text'],
    ]) {
      const created = await served.send('POST', '/mixedkeys', {
        type: 'mixedkeys',
        id,
        attributes: { n: 'x' },
      })
      assert.equal(created.status, 201, created.text)
      const [row] = await execute(url, `select typeof(code) as type from mixedkey where n = 'x'`)
      assert.equal(row?.type, type)
      const again = await served.send('POST', '/mixedkeys', {
        type: 'mixedkeys',
        id,
        attributes: {},
      })
      assert.equal(again.status, 409)
      const changed = await served.send('PATCH', `/mixedkeys/${id}`, {
        type: 'mixedkeys',
        id,
        attributes: { n: 'y' },
      })
      assert.equal(changed.status, 200, changed.text)
      const linked = await served.send('PATCH', '/uses/3/relationships/mixed_code', {
        type: 'mixedkeys',
        id,
      })
      assert.ok([200, 204].includes(linked.status), linked.text)
      await served.send('PATCH', '/uses/3/relationships/mixed_code', null)
      const deleted = await served.send('DELETE', `/mixedkeys/${id}`)
      assert.equal(deleted.status, 200, deleted.text)
    }
    const other = await served.send('POST', '/mixedkeys', {
      type: 'mixedkeys',
      id: '007',
      attributes: {},
    })
    assert.equal(other.status, 422, other.text)
  })

  it('may change their kind after the start', async () => {
    await execute(url, "insert into mixedkey values ('late', 'x')")
    assert.equal((await served.get('/mixedkeys/late')).data !== null, true)
    await execute(url, "delete from mixedkey where code = 'late'")
  })
})

describe('Tables and views of SQLite without a key', () => {
  it('have the rowid as the id, are read-only, and the start says so', async (test) => {
    const url = await filled(
      test,
      sqlite,
      `create table csvlike ("Name", "Amount", "Day"); insert into csvlike values ('a', 1, '2024-01-01'), ('b', 2.5, '2024-01-02'), ('b', 2.5, '2024-01-02');
       create table named (rowid text, oid text); insert into named values ('x', 'y');
       create table untyped (code not null primary key); insert into untyped values (1), ('1'), ('a');
       create table holes (code text primary key); insert into holes values (null), (null), ('a');
       create table blobs (code blob primary key not null); insert into blobs values (x'00'), (x'01');
       create table partial (code text not null); create unique index partial_code on partial (code) where code <> 'x'; insert into partial values ('x'), ('x');
       create table uniq (code text not null unique, n text); insert into uniq values ('a', 'x'), ('b', 'y')`,
    )
    const { list, send, get } = await serve(test, url)
    assert.deepEqual(
      (await list('/csvlikes')).map(({ id, attributes }) => [
        id,
        attributes?.Amount ?? attributes?.amount,
      ]),
      [
        ['1', 1],
        ['2', 2.5],
        ['3', 2.5],
      ],
    )
    for (const path of ['/untypeds', '/holes', '/blobs', '/partials', '/nameds', '/uniqs']) {
      const table = path.slice(1, -1).replace('hole', 'holes').replace('holess', 'holes')
      const [counted] = await execute(
        url,
        `select count(*) as n from ${table === 'blob' ? 'blobs' : table}`,
      )
      const found = await get(path)
      assert.equal(found.meta?.count, counted?.n, path)
      assert.equal((await list(path)).length, counted?.n, path)
    }
    assert.equal(
      (await send('POST', '/csvlikes', { type: 'csvlikes', attributes: {} })).status,
      403,
    )
    assert.equal((await send('DELETE', '/csvlikes/1')).status, 403)
    assert.equal((await get('/uniqs/a')).data !== null, true)
    const lines = formatOmissions(await readDeclarations(url, { types: 'plural' }))
    assert.ok(
      lines.includes(
        'csvlike is read-only: no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum',
      ),
    )
  })
})
