import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, boolean, defineModel, resource, sql, text, toMany, uuid } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { assertErrors } from '../../service/assert-errors.ts'
import { ids, type Resource, type TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'

const named = { name: attribute(text) }
const model = defineModel([
  // Its trigger marks a deleted row, and the type shows the mark.
  resource('note', {
    path: '/notes',
    table: 'note',
    fields: { ...named, gone: attribute(boolean, { access: 'read-only' }) },
  }),
  // The same table, without the marked rows.
  resource('memo', {
    path: '/memos',
    table: 'note',
    scope: (column) => sql`${column('gone')} = ${false}`,
    insertDefaults: { gone: false },
    fields: named,
  }),
  // A trigger drops a new row that is named "spam".
  resource('post', { path: '/posts', table: 'post', fields: named }),
  // The same with an id of the server.
  resource('mail', { path: '/mails', table: 'mail', id: { kind: uuid }, fields: named }),
  // A trigger changes the id of a new row.
  resource('word', {
    path: '/words',
    table: 'word',
    id: { kind: text, client: 'optional' },
    fields: { ...named, marks: toMany('mark', { column: 'word_id' }) },
  }),
  resource('mark', { path: '/marks', table: 'mark', fields: {} }),
])

const sqliteTriggers = `
  create trigger note_gone before delete on note when not old.gone
    begin update note set gone = 1 where id = old.id; select raise(ignore); end;
  create trigger no_spam before insert on post when new.name = 'spam' begin select raise(ignore); end;
  create trigger no_spam_mail after insert on mail when new.name = 'spam'
    begin delete from mail where id = new.id; end;
  create trigger word_id after insert on word when new.id is null or new.id <> lower(new.id)
    begin update word set id = coalesce(lower(new.id), 'w' || new.rowid) where rowid = new.rowid; end`
const postgresTriggers = `
  create or replace function note_gone() returns trigger language plpgsql as $$ begin
    if not old.gone then update note set gone = true where id = old.id; return null; end if; return old; end $$;
  create trigger note_gone before delete on note for each row execute function note_gone();
  create or replace function no_spam() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger no_spam before insert on post for each row when (new.name = 'spam') execute function no_spam();
  create or replace function no_spam_mail() returns trigger language plpgsql as $$ begin
    delete from mail where id = new.id; return null; end $$;
  create trigger no_spam_mail after insert on mail for each row when (new.name = 'spam') execute function no_spam_mail();
  create or replace function word_id() returns trigger language plpgsql as $$ begin
    new.id := coalesce(lower(new.id), 'w1'); return new; end $$;
  create trigger word_id before insert on word for each row execute function word_id()`

const served = {
  model,
  tables: (types: ColumnTypes, dialect: DialectName) => `
    create table note (id ${types.newId}, name text, gone ${types.boolean} default ${dialect === 'sqlite' ? '0' : 'false'});
    create table post (id ${types.newId}, name text);
    create table mail (id ${types.uuid} primary key, name text);
    create table word (id text primary key, name text);
    create table mark (id ${types.newId}, word_id text references word (id));
    insert into note (name) values ('first'), ('second');
    insert into mark (word_id) values (null), (null);
    ${dialect === 'sqlite' ? sqliteTriggers : postgresTriggers}`,
}

/** The attributes of each stored resource, by id. */
async function stored(app: Engine, path: string): Promise<Record<string, unknown>> {
  const { data } = (await app.get(path)).body
  assert.ok(Array.isArray(data))
  return Object.fromEntries(data.map(({ id, attributes }) => [id, attributes]))
}

/** The resource of a response. */
function getOne({ body: { data } }: TestResponse): Resource {
  assert.ok(data && !Array.isArray(data))
  return data
}

engine('Triggers that replace what is written', served, (app) => {
  const create = (path: string, type: string, more: object) =>
    app.post(path, { data: { type, ...more } })

  it('a delete that becomes an update is 200 and says that the resource still exists', async () => {
    const response = await app.delete('/notes/1')
    assert.equal(response.status, 200)
    assert.match(String(response.body.meta?.message ?? JSON.stringify(response.body)), /kept/)
    assert.deepEqual(await stored(app, '/notes'), {
      1: { name: 'first', gone: true },
      2: { name: 'second', gone: false },
    })
    const again = await app.delete('/notes/1')
    assert.equal(again.status, 200)
    assert.doesNotMatch(JSON.stringify(again.body), /kept/)
    assert.deepEqual(ids(await app.get('/notes')), ['2'])
  })

  it('a delete that becomes an update is 200, then 404, when the type no longer contains the row', async () => {
    const response = await app.delete('/memos/1')
    assert.equal(response.status, 200)
    assert.doesNotMatch(JSON.stringify(response.body), /kept/)
    assert.deepEqual(ids(await app.get('/memos')), ['2'])
    for (const id of ['1', '3']) assert.equal((await app.delete(`/memos/${id}`)).status, 404)
    assert.deepEqual(ids(await app.get('/notes')), ['1', '2'])
  })

  for (const [path, type] of [
    ['/posts', 'post'],
    ['/mails', 'mail'],
  ] as const)
    it(`an insert of type ${type} that a trigger dropped is 409 and says so`, async () => {
      const response = await create(path, type, { attributes: { name: 'spam' } })
      const says = `The database did not store this resource of type ${type}: a trigger or a rule dropped it`
      assertErrors(response, 409, { status: 409, at: '/data', says })
      assert.equal(response.body.errors?.[0]?.code, 'not_stored')
      assert.equal((await create(path, type, { attributes: { name: 'ham' } })).status, 201)
      assert.deepEqual(Object.values(await stored(app, path)), [{ name: 'ham' }])
    })

  it('an id that a trigger changed is returned as stored, and its links are kept', async () => {
    const relationships = { marks: { data: [{ type: 'mark', id: '1' }] } }
    const sent = { id: 'WORD', attributes: { name: 'a' }, relationships }
    const created = await create('/words', 'word', sent)
    assert.equal(created.status, 201, created.text)
    assert.equal(getOne(created).id, 'word')
    assert.equal(created.headers.location, '/words/word')
    const generated = await create('/words', 'word', { attributes: { name: 'b' } })
    assert.equal(generated.status, 201, generated.text)
    const { id } = getOne(generated)
    assert.deepEqual(await stored(app, '/words'), { word: { name: 'a' }, [`${id}`]: { name: 'b' } })
    const linkage = (await app.get('/words/word/relationships/marks')).body.data
    assert.deepEqual(linkage, [{ type: 'mark', id: '1' }])
  })
})
