import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import {
  attribute,
  bytes,
  defineModel,
  expression,
  json,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import pg from 'pg'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The number of resources that the hook after each read received. */
let hooked = 0

const createNote = <Type extends string>(type: Type, hooks = {}) =>
  resource(type, {
    path: `/${type}s`,
    table: 'note',
    hooks,
    fields: {
      title: attribute(text),
      body: attribute(text),
      data: attribute(json),
      scan: attribute(bytes),
      loud: expression(text, (column) => sql`upper(${column('body')})`),
      parent: toOne(type, { column: 'parent_id' }),
      children: toMany(type, { column: 'parent_id' }),
    },
  })

/** More than a page of 500 resources, or 500 included ones, may have on average. */
const large = 70_000
function countHooked(resources: readonly unknown[]): void {
  hooked += resources.length
}

const served = {
  model: defineModel([createNote('note'), createNote('memo', { afterRead: countHooked })], {
    maxPageSize: null,
  }),
  // The texts are compressible: what is stored is smaller than what is sent.
  tables: ({ newId }: ColumnTypes) => `
    create table note (id ${newId}, title text, body text, data jsonb, scan bytea, parent_id integer references note (id));
    insert into note (title, body, data, scan, parent_id)
      select 'title ' || i, repeat('b', ${large}), to_jsonb(repeat('d', ${large})), decode(repeat('00', ${large}), 'hex'),
        case when i > 1 then 1 end
      from generate_series(1, 5) as many (i);
    insert into note (title) values ('without texts');`,
  only: 'postgres' as const,
}

engine('Lists of large texts', served, (app) => {
  const { emit } = pg.Connection.prototype
  /** The bytes of the longest row that the database sent. */
  let longest = 0

  beforeEach(() => {
    longest = 0
    pg.Connection.prototype.emit = function (name, ...values) {
      if (name === 'dataRow') longest = Math.max(longest, values[0].length)
      return emit.call(this, name, ...values)
    }
  })
  afterEach(() => {
    pg.Connection.prototype.emit = emit
  })

  const some = { 'page[size]': '500' }
  for (const [path, fields, query] of [
    ['/notes', 'title,body', some],
    ['/notes', 'body', { 'page[size]': '0' }],
    ['/notes', 'data', some],
    ['/notes', 'scan', some],
    ['/notes', 'loud', some],
    ['/notes', 'body', { ...some, sort: '-title' }],
    ['/notes/1/children', 'body', some],
    ['/notes/1', 'body,children', { include: 'children' }],
    ['/notes/2', 'body,parent,children', { include: 'parent.children' }],
    ['/memos', 'body', some],
    ['/memos/1', 'body,children', { include: 'children' }],
  ] as const)
    it(`are never all in memory at once: ${fields} of ${path} ${JSON.stringify(query)}`, async () => {
      hooked = 0
      const fieldset = { [path.startsWith('/memos') ? 'fields[memo]' : 'fields[note]']: fields }
      const response = await app.get(path, { ...query, ...fieldset })
      assert.equal(response.status, 200)
      // That of one resource, and a related one.
      assert.ok(longest > large && longest < 2.5 * large, `${longest} bytes`)
      assert.equal(hooked > 0, path.startsWith('/memos'))
      const resources = [response.body.data ?? [], response.body.included ?? []].flat()
      assert.ok(resources.length >= 4)
      for (const { type, id, attributes } of resources) {
        const one = await app.get(`/${type}s/${id}`, fieldset)
        assert.deepEqual(one.one.attributes, attributes)
      }
    })

  it('are in memory if their page has few resources', async () => {
    const response = await app.get('/notes', { 'page[size]': '5', 'fields[note]': 'body' })
    assert.equal(response.headers['transfer-encoding'], undefined)
    assert.equal(String(response.many[0]?.attributes?.body).length, large)
  })

  it('are limited in the response to a write, which is not stored then', async () => {
    await app.execute(
      `insert into note (parent_id, body) select 2, repeat('b', 5000000) from generate_series(1, 27)`,
    )
    longest = 0
    const data = { type: 'note', id: '2', attributes: { title: 'changed' } }
    const rejected = await app.call('PATCH', '/notes/2', {
      query: { include: 'children', 'fields[note]': 'title,body,children' },
      body: { data },
    })
    assert.deepEqual([rejected.status, rejected.error.code], [400, 'too_many_resources'])
    assert.match(rejected.error.detail, /more than 33554432 characters of included resources/)
    assert.ok(longest < 1.5 * large, `${longest} bytes`)
    const unchanged = await app.get('/notes/2', { 'fields[note]': 'title' })
    assert.equal(unchanged.one.attributes?.title, 'title 2')
  })
})

const createLine = (type: string) =>
  resource(type, { path: `/${type}s`, table: type, fields: { body: attribute(text) } })

const streamed = {
  model: defineModel(
    ['short', 'long', 'view', 'partition', 'parent'].map((type) => createLine(`${type}_line`)),
    { maxPageSize: null },
  ),
  // The sizes of the first rows do not show that of the last one.
  tables: ({ newId }: ColumnTypes) => `
    create table short_line (id ${newId}, body text);
    insert into short_line (body) select 'short' from generate_series(1, 1000);
    create table long_line (id ${newId}, body text);
    insert into long_line (body) select 'short' from generate_series(1, 999);
    insert into long_line (body) values (repeat('long', 100000));
    create view view_line as select * from long_line;
    create table partition_line (id ${newId}, body text) partition by range (id);
    create table partition_line_1 partition of partition_line default;
    insert into partition_line (body) select body from long_line order by id;
    create table parent_line (id ${newId}, body text);
    insert into parent_line (body) values ('short');
    create table child_line () inherits (parent_line);
    insert into child_line select 1 + id, body from long_line where id < 1000;`,
  only: 'postgres' as const,
}

engine('Streams of rows', streamed, (app) => {
  const { emit } = pg.Connection.prototype
  afterEach(() => {
    pg.Connection.prototype.emit = emit
  })

  for (const [type, batchSize] of [
    ['short_line', 200],
    ['long_line', 50],
    ['view_line', 50],
    ['partition_line', 50],
    ['parent_line', 50],
  ] as const)
    it(`read at most ${batchSize} rows of ${type} at a time`, async () => {
      let largest = 0
      pg.Connection.prototype.emit = function (name, ...values) {
        const [, rows] =
          /^FETCH (\d+)$/.exec(name === 'commandComplete' ? values[0].text : '') ?? []
        largest = Math.max(largest, Number(rows ?? 0))
        return emit.call(this, name, ...values)
      }
      const response = await app.get(`/${type}s`, { 'page[size]': '0' })
      assert.equal(response.many.length, 1000)
      assert.equal(largest, batchSize)
    })
})
