import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, resource, text } from 'lapidary'
import { evaluateDeclarations } from '../../cli/introspect/evaluate-declarations.ts'
import { formatSingleFile } from '../../cli/introspect/format-files.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { type Database, databases } from '../databases.ts'
import { serveModel } from '../existing/serve-model.ts'
import { filled } from '../filled.ts'

/** The statements of triggers for all changes of `shout`, and for the updates of `renamed`. */
const triggers: Readonly<Record<Database['dialect'], string>> = {
  sqlite: `
    create trigger shout_insert instead of insert on shout
      begin insert into note (id, title) values (new.id, lower(new.title)); end;
    create trigger shout_update instead of update on shout
      begin update note set title = lower(new.title) where id = old.id; end;
    create trigger shout_delete instead of delete on shout
      begin update note set closed = 1 where id = old.id; end;
    create trigger renamed_update instead of update on renamed
      begin update note set title = new.label where id = old.id; end;
    create trigger kept_insert instead of insert on kept
      begin insert into note (id, title) values (new.id, new.title); end;
    create trigger kept_update instead of update on kept
      begin update note set title = new.title, removed_at = new.removed_at where id = old.id; end;`,
  postgres: `
    create function write_shout() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        insert into note (title) values (lower(new.title)) returning id into new.id;
        return new;
      elsif tg_op = 'UPDATE' then
        update note set title = lower(new.title) where id = old.id;
        return new;
      end if;
      update note set closed = 1 where id = old.id;
      return old;
    end $$;
    create trigger shout_write instead of insert or update or delete on shout for each row execute function write_shout();
    create function write_renamed() returns trigger language plpgsql as $$ begin
      update note set title = new.label where id = old.id;
      return new;
    end $$;
    create trigger renamed_update instead of update on renamed for each row execute function write_renamed();
    create function write_kept() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        insert into note (id, title) values (new.id, new.title);
      else
        update note set title = new.title, removed_at = new.removed_at where id = old.id;
      end if;
      return new;
    end $$;
    create trigger kept_write instead of insert or update on kept for each row execute function write_kept();`,
}

const tables = (database: Database) => `
  create table note (id ${database.columnTypes.newId}, title text not null, closed integer not null default 0, removed_at ${database.columnTypes.datetime});
  insert into note (title) values ('one'), ('two');
  insert into note (title, closed) values ('closed', 1);
  create view shout as select id, upper(title) as title from note where closed = 0;
  create view renamed as select id, title as label from note group by id, title;
  create view kept as select id, title, removed_at from note group by id, title, removed_at;
  create view counted as select closed as id, count(*) as notes from note group by closed;
  ${triggers[database.dialect]}`

for (const database of databases)
  describe(`Declarations generated from views · ${database.name}`, () => {
    const isPostgres = database.dialect === 'postgres'

    it('can be written if the view accepts every change', async (test) => {
      const url = await filled(test, database, tables(database))
      const declarations = await readDeclarations(url, { types: 'plural' })
      const { warnings, get, post, patch, ...server } = await serveModel(
        test,
        defineModel(evaluateDeclarations(declarations)),
        url,
      )
      assert.deepEqual(warnings, [])
      const created = await post('/shouts', { type: 'shouts', attributes: { title: 'THREE' } })
      assert.equal(created.status, 201)
      assert.equal(created.one.attributes?.title, 'THREE')
      const path = `/shouts/${created.one.id}`
      const changed = await patch(path, {
        type: 'shouts',
        id: created.one.id,
        attributes: { title: 'FOUR' },
      })
      assert.equal(changed.status, 200)
      const [stored] = (
        await get('/notes', { filter: '[{"name":"title","op":"eq","val":"four"}]' })
      ).many
      assert.equal(stored?.id, created.one.id)
      assert.equal((await server.delete(path)).status, 200)
      assert.equal((await get(path)).status, 404)
      assert.equal((await get(`/notes/${created.one.id}`)).one.attributes?.closed, 1)
    })

    it('are read-only for other views, and say why', async (test) => {
      const url = await filled(test, database, tables(database))
      const declarations = await readDeclarations(url, { types: 'plural' })
      const lines = formatSingleFile(declarations).split('\n')
      assert.deepEqual(
        lines.filter((line) => line.includes('of the view')),
        [
          '/** Rows of the view `counted`. Read-only: it is a view. */',
          '/** Rows of the view `kept`. Read-only: it is a view that accepts no delete. */',
          '/** Rows of the view `renamed`. Read-only: it is a view that accepts no insert and no delete. */',
          '/** Rows of the view `shout`. */',
        ],
      )
      const server = await serveModel(test, defineModel(evaluateDeclarations(declarations)), url)
      for (const path of ['/counted', '/renamed']) {
        const type = path.slice(1)
        const rejected = await server.post(path, { type, attributes: {} })
        assert.deepEqual([rejected.status, rejected.error.code], [403, 'read_only'])
      }
    })

    it('can be written by hand without deletions, if a deletion is an update', async (test) => {
      const url = await filled(test, database, tables(database))
      const model = defineModel([
        resource('kept', {
          path: '/kept',
          table: 'kept',
          id: { client: 'required' },
          softDelete: 'removed_at',
          fields: { title: attribute(text, { required: true }) },
        }),
      ])
      const server = await serveModel(test, model, url)
      const data = { type: 'kept', id: '1', attributes: { title: 'first' } }
      assert.equal((await server.patch('/kept/1', data)).one.attributes?.title, 'first')
      assert.equal((await server.delete('/kept/1')).status, 200)
      assert.equal((await server.get('/kept/1')).status, 404)
      const created = await server.post('/kept', { ...data, id: '9' })
      assert.deepEqual([created.status, created.one.id], [201, '9'])
    })

    if (!isPostgres)
      it('are read-only if only updates of some columns run a trigger', async (test) => {
        const url = await filled(
          test,
          database,
          tables(database).replace(
            'instead of update on shout',
            'instead of update of title on shout',
          ),
        )
        const text = formatSingleFile(await readDeclarations(url, { types: 'plural' }))
        assert.match(text, /view `shout`\. Read-only: it is a view that accepts no update\./)
      })

    if (isPostgres)
      it('can be written through views that PostgreSQL updates', async (test) => {
        const url = await filled(
          test,
          database,
          `create table note (id bigint generated always as identity primary key, title text not null, closed boolean not null default false);
           create table tag (id bigint primary key, label text);
           create view open_note as select id, title, upper(title) as loud, closed from note where not closed with check option;
           create view label as select id, label from tag;
           create view twice as select id, label, label as name from tag`,
        )
        const declarations = await readDeclarations(url, { types: 'plural' })
        const model = defineModel(evaluateDeclarations(declarations))
        const { post, patch, ...server } = await serveModel(test, model, url)
        const type = 'open-notes'
        const created = await post(`/${type}`, { type, attributes: { title: 'one' } })
        assert.equal(created.status, 201, created.text)
        assert.deepEqual(created.one.attributes, { title: 'one', loud: 'ONE', closed: false })
        const { id } = created.one
        const path = `/${type}/${id}`
        const changed = await patch(path, { type, id, attributes: { title: 'two' } })
        assert.equal(changed.one.attributes?.loud, 'TWO')
        // A computed column is read-only.
        const ignored = await patch(path, { type, id, attributes: { loud: 'THREE' } })
        assert.equal(ignored.one.attributes?.loud, 'TWO')
        // The check option of the view, an id that the database always generates, one that it never does,
        // and two columns that are the same.
        for (const [method, target, data] of [
          [patch, path, { type, id, attributes: { closed: true } }],
          [post, `/${type}`, { type, id: '70', attributes: { title: 'three' } }],
          [post, `/${type}`, { type, attributes: {} }],
          [post, '/labels', { type: 'labels', attributes: { label: 'new' } }],
          [post, '/twices', { type: 'twices', id: '6', attributes: { label: 'a', name: 'b' } }],
        ] as const) {
          const rejected = await method(target, data)
          assert.ok(rejected.status >= 400 && rejected.status < 500, rejected.text)
        }
        const labelled = await post('/labels', { type: 'labels', id: '5', attributes: {} })
        assert.deepEqual([labelled.status, labelled.one.id], [201, '5'])
        assert.equal((await server.delete(path)).status, 200)
      })
  })
