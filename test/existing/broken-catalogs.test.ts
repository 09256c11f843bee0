import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, integer, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { connect } from '../client.ts'
import { databases, everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { filled } from '../filled.ts'

const sqlite = everyDatabase.find(({ dialect }) => dialect === 'sqlite')

const declare = <const Type extends string>(type: Type, access: 'read-write' | 'read-only') =>
  resource(type, {
    path: `/${type}s`,
    table: type,
    access,
    fields: { name: attribute(text), no: attribute(integer) },
  })

describe('Foreign keys of SQLite that no row can satisfy', () => {
  const tables = `
    pragma foreign_keys = off;
    create table parent (id integer primary key, name text, no integer);
    create table keyless (name text, no integer);
    create table child (id integer primary key, name text, no integer, gone_id integer references gone, nope integer references parent (nope),
      parent_no integer references parent (no), keyless_id integer references keyless, fine integer references parent);
    insert into parent values (1, 'Ada', 5), (2, 'Grace', 6); insert into child (id, name) values (1, 'x')`

  it('are named at the start with the writes that are 409, and reads are served', async (test) => {
    assert.ok(sqlite)
    const model = defineModel([declare('parent', 'read-write'), declare('child', 'read-write')])
    const store = await openStore(model, await filled(test, sqlite, tables))
    const server = createServer({ model, store, logLevel: 'silent' })
    test.after(() => server.close().then(() => store.close()))
    const { warnings } = await store.verify()
    const both =
      'SQLite rejects writes to "child", and creates and deletes in "parent", so they are 409'
    const fix = 'to fix it: create "child" again without the foreign key'
    assert.deepEqual(warnings, [
      `child: the foreign key "keyless_id" of "child" to "keyless" cannot hold: "keyless" has no primary key; SQLite rejects writes to "child", and creates and deletes in "keyless", so they are 409; ${fix}`,
      `child: the foreign key "parent_no" of "child" to "parent" cannot hold: "no" of "parent" is not unique; ${both}; ${fix}`,
      `child: the foreign key "nope" of "child" to "parent" cannot hold: "parent" has no column "nope"; ${both}; ${fix}`,
      `child: the foreign key "gone_id" of "child" to "gone" cannot hold: there is no table "gone"; SQLite rejects writes to "child", so they are 409; ${fix}`,
    ])
    const client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
    test.after(() => client.close())
    const created = { body: { data: { type: 'child', attributes: { name: 'y' } } } }
    assert.equal((await client.send('POST', '/childs', created)).status, 409)
    const parent = { body: { data: { type: 'parent' } } }
    assert.equal((await client.send('POST', '/parents', parent)).status, 409)
    assert.equal((await client.send('DELETE', '/parents/1')).status, 409)
    assert.equal((await client.send('GET', '/childs')).status, 200)
    const renamed = { body: { data: { type: 'parent', id: '1', attributes: { name: 'z' } } } }
    assert.equal((await client.send('PATCH', '/parents/1', renamed)).status, 200)
  })

  it('are not named if clients can only read', async (test) => {
    assert.ok(sqlite)
    const model = defineModel([declare('parent', 'read-only'), declare('child', 'read-only')])
    const store = await openStore(model, await filled(test, sqlite, tables))
    test.after(() => store.close())
    assert.deepEqual((await store.verify()).warnings, [])
  })
})

for (const database of databases) {
  describe(`Ids that no URL can contain · ${database.name}`, () => {
    it('are named at the start', async (test) => {
      const url = await filled(
        test,
        database,
        `create table word (word text not null primary key, name text); create table fine (word text not null primary key);
         insert into word values ('a', 'x'), ('..', 'y'), ('.', 'z'), ('', 'w'); insert into fine values ('a.b'), ('/'), ('...')`,
      )
      const id = { column: 'word', kind: text, client: 'required' } as const
      const model = defineModel([
        resource('word', { path: '/words', table: 'word', id, fields: { name: attribute(text) } }),
        resource('fine', { path: '/fines', table: 'fine', id, fields: {} }),
      ])
      const store = await openStore(model, url)
      test.after(() => store.close())
      const { warnings } = await store.verify()
      assert.deepEqual(
        warnings.filter((line) => !line.includes('collate')),
        [
          'word.id: the column "word" of "word" contains "", which no segment of a URL can be; clients cannot address such resources; change or delete the rows',
        ],
      )
    })
  })
}

describe('Views of SQLite', () => {
  it('are served, although another view cannot be read', async (test) => {
    assert.ok(sqlite)
    const views = Array.from({ length: 20 }, (_, index) =>
      index % 5 === 0
        ? `create view v${index} as select id, nope from parent;`
        : `create view v${index} as select id, name, no from parent;`,
    )
    const url = await filled(
      test,
      sqlite,
      `create table parent (id integer primary key, name text, no integer); ${views.join('')}
       create virtual table words using fts5 (word); create view gone as select id from missing`,
    )
    const store = await openStore(defineModel([declare('parent', 'read-only')]), url)
    test.after(() => store.close())
    const { tables } = await store.catalog()
    const errors = tables.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error]]))
    assert.deepEqual(errors, [
      ['gone', 'no such table: main.missing'],
      ...['v0', 'v10', 'v15', 'v5'].map((name) => [name, 'no such column: nope']),
    ])
    for (const { name, columns, error } of tables)
      assert.equal(columns.size === 0, error !== undefined, name)
  })
})
