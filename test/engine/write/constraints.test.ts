import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, number, resource, text, toMany, toOne } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import type { TestResponse } from '../../test-response.ts'
import { engine } from '../engine.ts'
import { rejectingTrigger } from '../triggers.ts'

const owner = resource('owner', {
  path: '/owners',
  table: 'owner',
  fields: { name: attribute(text), items: toMany('item', { column: 'owner_id' }) },
})
/** Declares fewer constraints than its table has. */
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    code: attribute(text),
    size: attribute(integer),
    weight: attribute(integer),
    label: attribute(text),
    amount: attribute(number),
    shelf: attribute(integer),
    box: attribute(integer),
    owner: toOne('owner', { column: 'owner_id' }),
  },
})

const served = {
  model: defineModel([owner, item], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes, dialect: DialectName) => `
    create table owner (id ${newId}, name text);
    create table shelf (id ${newId});
    create table item (
      id ${newId},
      code text unique,
      size integer check (size > 0),
      weight integer constraint secret_weight check (weight > 0),
      label text not null default 'none',
      amount integer,
      shelf integer references shelf (id),
      box integer references shelf (id) deferrable initially deferred,
      owner_id integer not null default 1 references owner (id)
    )${dialect === 'sqlite' ? ' strict' : ''};
    ${rejectingTrigger({ table: 'item', when: "new.label = 'forbidden'", words: 'constraint failed: secret words' }, dialect)};
    insert into owner values (1, 'Ada'), (2, 'Bob');
    insert into shelf values (1);
    insert into item (id, code) values (1, 'a'), (2, 'b')`,
}

/** Attributes that the table rejects, with the status of the error. */
// biome-ignore format: a table, one constraint a row
const rejections = [
  ['unique',                    { code: 'a' },          409, 'constraint_conflict', '/data/attributes/code'],
  ['check',                     { size: 0 },            422, 'invalid_value',       '/data/attributes/size'],
  ['check by name',             { weight: 0 },          422, 'invalid_value',       '/data'],
  ['not null',                  { label: null },        422, 'invalid_value',       '/data/attributes/label'],
  ['the type of the column',    { amount: 1.5 },        422, 'invalid_value',       '/data/attributes/amount'],
  ['foreign key',               { shelf: 99 },          409, 'constraint_conflict', '/data'],
  ['foreign key, at the end',   { box: 99 },            409, 'constraint_conflict', null],
] as const

engine('Constraints of the database', served, (app) => {
  const all = async () => (await app.get('/items', { 'page[size]': '0' })).text
  const body = (attributes: object, relationships: object = {}) => ({
    data: { type: 'item', id: '2', attributes, relationships },
  })

  function assertRejected(
    response: TestResponse,
    status: number,
    code: string,
    pointer: string | null = '/data',
  ): void {
    assert.equal(response.status, status, response.text)
    assert.equal(response.error.code, code)
    assert.equal(response.error.source?.pointer ?? null, pointer)
    assert.ok(!/secret|owner_id|UNIQUE|CHECK|FOREIGN|NOT NULL/.test(response.text), response.text)
  }

  for (const [constraint, attributes, status, code, pointer] of rejections) {
    it(`${constraint}: ${status}, and nothing is changed`, async () => {
      const before = await all()
      for (const response of [
        await app.post('/items', body(attributes)),
        await app.post('/owners/2/items', body(attributes)),
        await app.patch('/items/2', body({ size: 5, ...attributes })),
      ]) {
        assertRejected(response, status, code, pointer)
      }
      assert.equal(await all(), before)
      assert.equal((await app.patch('/items/2', body({ size: 5 }))).status, 200)
    })
  }

  it('a foreign key is rejected with the reason, at once and at the end', async () => {
    for (const attributes of [{ shelf: 99 }, { box: 99 }]) {
      const { error } = await app.post('/items', body(attributes))
      assert.equal(
        error.detail,
        'The database rejects the change: a record would reference another that does not exist.',
      )
    }
  })

  it('a trigger that rejects a write is a 409 without its message', async () => {
    const before = await all()
    assertRejected(
      await app.post('/items', body({ label: 'forbidden' })),
      409,
      'constraint_conflict',
    )
    assert.equal(await all(), before)
  })

  it('a foreign key that must not be null is a 422 for each request that would clear it', async () => {
    const before = await all()
    const clear = { owner: { data: null } }
    const cleared = await app.patch('/items/2', body({}, clear))
    assertRejected(cleared, 422, 'invalid_value', '/data/relationships/owner')
    for (const response of [
      await app.patch('/items/2/relationships/owner', { data: null }),
      await app.delete('/items/2/relationships/owner', { data: { type: 'owner', id: '1' } }),
      await app.patch('/owners/1/relationships/items', { data: [] }),
      await app.delete('/owners/1/relationships/items', { data: [{ type: 'item', id: '2' }] }),
    ]) {
      assertRejected(response, 422, 'invalid_value')
    }
    assert.equal(await all(), before)
  })

  it('the deletion of a resource that other rows reference is a 409 without a source', async () => {
    const response = await app.delete('/owners/1')
    assert.deepEqual([response.status, response.error.code], [409, 'constraint_conflict'])
    assert.equal(response.error.source, undefined)
    assert.equal(
      response.error.detail,
      'Other records still reference this resource of type owner.',
    )
    assert.equal((await app.get('/owners/1')).status, 200)
    assert.equal((await app.delete('/owners/2')).status, 200)
  })
})

const club = resource('club', {
  path: '/clubs',
  table: 'club',
  fields: {
    name: attribute(text),
    rivals: toMany('club', { through: { table: 'rivalry', from: 'one', to: 'other' } }),
    fans: toMany('fan', { through: { table: 'support', from: 'club', to: 'fan' } }),
  },
})
const fan = resource('fan', { path: '/fans', table: 'fan', fields: { name: attribute(text) } })
const joined = {
  model: defineModel([club, fan], { maxPageSize: null }),
  tables: ({ newId }: ColumnTypes, dialect: DialectName) => `
    create table club (id ${newId}, name text);
    create table fan (id ${newId}, name text);
    create table rivalry (one integer not null references club (id), other integer not null references club (id),
      constraint secret_check check (one <> other));
    create table support (club integer not null references club (id), fan integer not null unique references fan (id));
    insert into club values (1, 'a'), (2, 'b');
    insert into fan values (1, 'x'), (2, 'y');
    insert into support values (1, 1);
    ${rejectingTrigger({ table: 'support', when: 'new.fan > 2', words: 'secret words' }, dialect)}`,
}

/** Links that the join tables reject. */
// biome-ignore format: a table, one write a row
const unjoinable = [
  ['POST',  '/clubs/1/relationships/rivals', { data: [{ type: 'club', id: '2' }, { type: 'club', id: '1' }] }, 422, 'invalid_value', '/data'],
  ['PATCH', '/clubs/1/relationships/rivals', { data: [{ type: 'club', id: '1' }] },                            422, 'invalid_value', '/data'],
  ['POST',  '/clubs/2/relationships/fans',   { data: [{ type: 'fan', id: '2' }, { type: 'fan', id: '1' }] },   409, 'constraint_conflict', '/data'],
  ['PATCH', '/clubs/2', { data: { type: 'club', id: '2', attributes: { name: 'c' }, relationships: { fans: { data: [{ type: 'fan', id: '1' }] } } } }, 409, 'constraint_conflict', '/data/relationships/fans'],
  ['POST',  '/clubs',   { data: { type: 'club', relationships: { fans: { data: [{ type: 'fan', id: '1' }] } } } }, 409, 'constraint_conflict', '/data/relationships/fans'],
  ['POST',  '/clubs/1/fans', { data: { type: 'fan' } }, 409, 'constraint_conflict', '/data'],
] as const

engine('Constraints of a join table', joined, (app) => {
  for (const [method, path, body, status, code, pointer] of unjoinable)
    it(`given ${method} ${path} with ${JSON.stringify(body)}, then the error is that of the relationship, and nothing is changed`, async () => {
      const all = async () => {
        const clubs = await app.get('/clubs', { include: 'rivals,fans' })
        return clubs.text + (await app.get('/fans')).text
      }
      const before = await all()
      const response = await app.call(method, path, { body })
      assert.deepEqual([response.status, response.error.code], [status, code], response.text)
      assert.equal(response.error.source?.pointer, pointer)
      assert.ok(!/secret|rivalry|support/.test(response.text), response.text)
      assert.equal(await all(), before)
    })
})

const broken = {
  only: 'sqlite' as const,
  model: defineModel([
    resource('lost', { path: '/lost', table: 'lost', fields: { size: attribute(integer) } }),
    resource('vague', { path: '/vague', table: 'vague', fields: { size: attribute(integer) } }),
  ]),
  tables: `
    create table pair (a integer, b integer, primary key (a, b));
    create table lost (id integer primary key, size integer, other_id integer references nowhere (id));
    create table vague (id integer primary key, size integer, a integer references pair (a))`,
}

engine('Foreign keys that no row can satisfy', broken, (app) => {
  for (const type of ['lost', 'vague'])
    it(`are a conflict, and no internal error: ${type}`, async () => {
      const response = await app.post(`/${type}`, { data: { type, attributes: { size: 1 } } })
      assert.equal(response.status, 409, response.text)
      assert.equal(response.body.errors?.[0]?.code, 'constraint_conflict')
      assert.equal((await app.get(`/${type}`)).body.meta?.count, 0)
    })
})
