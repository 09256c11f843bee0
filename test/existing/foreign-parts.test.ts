import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { openSqlite } from 'lapidary/sqlite'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { serveDatabase } from '../cli/walk-database.ts'
import { everyDatabase } from '../databases.ts'

/** Creates a database of SQL. `other_program` is a collation that SQLite does not have, and `by_program` a function. */
async function createDatabase(test: TestContext, sql: string): Promise<string> {
  const database = everyDatabase.find(({ dialect }) => dialect === 'sqlite')
  assert.ok(database)
  const { url, remove } = await database.create()
  test.after(remove)
  const connection = new DatabaseSync(url.replace('sqlite:', ''), { defensive: false })
  connection.function('by_program', () => 1)
  connection.exec(`${sql}; pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, 'collate nocase /*other*/', 'collate other_program');
    delete from sqlite_schema where name like 'words\\_%' escape '\\'`)
  connection.close()
  return url
}

const tables = `
  create table deck (id integer primary key, name text collate nocase /*other*/, state text check (state in ('a', 'b')) collate nocase /*other*/);
  create table tag (name text primary key not null collate nocase /*other*/) without rowid;
  create table type (id integer primary key, name text collate nocase /*other*/ unique);
  create table card (id integer primary key, type_id integer references type (id), deck_id integer references deck (id));
  create table book (id integer primary key, title text, sort text);
  create table note (id integer primary key, line text check (by_program() = 1));
  create table mark (id integer primary key, name text);
  create table lost (id integer primary key, gone_id integer references gone (id));
  create virtual table words using fts5(line);
  create view shelf as select id, title from book;
  insert into deck values (1, 'b', 'a'), (2, 'A', 'b'), (3, 'a', null); insert into tag values ('x'); insert into type values (1, 'x');
  insert into card values (1, 1, 2); insert into book values (1, 'A', 'a'); insert into note values (1, 'x'); insert into mark values (1, 'x');
  create trigger book_insert after insert on book begin update book set sort = by_program() where id = new.id; end;
  create trigger mark_update after update of name on mark begin insert into gone_table values (1); end;
  create trigger mark_delete after delete on mark begin update book set no_column = 1; end;
  create trigger shelf_insert instead of insert on shelf begin insert into book (title) values (new.title); end;
  create trigger shelf_update instead of update on shelf begin select 1; end;
  create trigger shelf_delete instead of delete on shelf begin select 1; end`

describe('A database of SQLite with parts that only another program has', () => {
  it('is served: what SQLite cannot read or change is omitted or read-only, with the reason', async (test) => {
    const { get, send, omitted, warnings, model } = await serveDatabase(
      test,
      await createDatabase(test, tables),
    )
    const unreadable =
      'it cannot be read: an index of it has the collation other_program, which only another program has'
    assert.deepEqual(omitted, [
      `tag is omitted: ${unreadable}`,
      `type is omitted: ${unreadable}`,
      'words is omitted: it cannot be read: vtable constructor failed: words',
      'book is read-only: the database cannot insert its rows: no such function: by_program',
      'lost: the foreign key (gone_id) to gone is omitted: there is no table gone',
      'mark is read-only: the database cannot update its rows: no such table: main.gone_table',
      'shelf is read-only: the database cannot insert its rows: no such function: by_program',
    ])
    const [collation] = warnings
    assert.equal(
      collation,
      'decks.fields.name: only another program has its collation, so filters and sorts compare code points; to fix it: create "deck" again with "name" collate binary',
    )
    const [check] = warnings.filter((line) => line.startsWith('notes:'))
    assert.match(
      check ?? '',
      /cannot insert rows of "note": unknown function: by_program\(\); creates are 409/,
    )
    const created = await send('POST', '/notes', '{"data":{"type":"notes"}}')
    assert.equal(created.status, 409, created.text)
    for (const { path } of model.types.values()) await get(path)
    const ids = async (query: string) =>
      [(await get(`/decks?${query}`)).data].flat().map((each) => each?.id)
    assert.deepEqual(await ids('sort=name'), ['2', '3', '1'])
    assert.deepEqual(await ids('filter[name]=a'), ['3'])
    assert.deepEqual(await ids('filter[state]=b'), ['2'])
    const starts = JSON.stringify([{ name: 'name', op: 'startswith', val: 'A' }])
    assert.deepEqual(await ids(`filter=${encodeURIComponent(starts)}`), ['2'])
    assert.equal((await get('/cards/1/deck')).data === null, false)
    assert.deepEqual((await get('/cards/1')).data, {
      type: 'cards',
      id: '1',
      attributes: { type_id: 1 },
      relationships: {
        deck: { links: { self: '/cards/1/relationships/deck', related: '/cards/1/deck' } },
      },
      links: { self: '/cards/1' },
    })
  })

  it('given declarations by hand, then the start names what SQLite cannot change, and refuses what it cannot read', async (test) => {
    const url = await createDatabase(test, tables)
    const verify = async (table: string, fields: Record<string, ReturnType<typeof attribute>>) => {
      const model = defineModel([resource('thing', { path: '/things', table, fields })])
      const store = openSqlite(model, url.replace('sqlite:', ''))
      test.after(() => store.close())
      return (await store.verify()).warnings
    }
    const remedy = 'to fix it: correct its triggers and checks, or set access: "read-only"'
    assert.deepEqual(await verify('mark', { name: attribute(text) }), [
      `thing: SQLite cannot update rows of "mark": no such table: main.gone_table; updates are 409; ${remedy}`,
      `thing: SQLite cannot delete rows of "mark": no such column: no_column; deletions are 409; ${remedy}`,
    ])
    await assert.rejects(verify('type', { name: attribute(text) }), {
      message:
        'thing.table: "type" cannot be read: an index of it has the collation other_program, which only another program has',
    })
  })

  it('is introspected read-only without what clients could not write', async (test) => {
    const url = await createDatabase(test, tables)
    const lines = formatOmissions(await readDeclarations(url, { readOnly: true }))
    assert.equal(lines.length, 4)
  })
})
