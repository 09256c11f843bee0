import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, sql, text, toMany } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

const box = resource('box', {
  path: '/boxes',
  table: 'box',
  fields: {
    size: attribute(integer),
    items: toMany('item', { column: 'box_id' }),
    tags: toMany('tag', { through: { table: 'box_tag', from: 'box_id', to: 'tag_id' } }),
  },
})
/** Whether a row still is one has to be looked at after it was linked. */
const item = resource('item', {
  path: '/items',
  table: 'item',
  scope: (column) => sql`${column('name')} <> ''`,
  fields: { name: attribute(text) },
})
const tag = resource('tag', { path: '/tags', table: 'tag', fields: {} })

/** On SQLite a rejection may end the transaction, so that what follows would be on its own. */
const triggers: Readonly<Record<DialectName, string>> = {
  sqlite: `
    create trigger no_thirteen before update on box when new.size = 13
      begin select raise(rollback, 'no thirteen'); end;
    create trigger no_seven before insert on box_tag when new.tag_id = 7
      begin select raise(rollback, 'no seven'); end`,
  postgres: `
    create function reject() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger no_thirteen before update on box for each row when (new.size = 13) execute function reject();
    create trigger no_seven before insert on box_tag for each row when (new.tag_id = 7) execute function reject()`,
}

const served = {
  model: defineModel([box, item, tag]),
  tables: ({ newId }: ColumnTypes, dialect: DialectName) => `
    create table box (id ${newId}, size integer);
    create table item (id ${newId}, name text, box_id integer references box (id));
    create table tag (id ${newId});
    create table box_tag (box_id integer references box (id), tag_id integer references tag (id));
    ${triggers[dialect]};
    insert into box values (1, 1);
    insert into item values (1, 'a', null), (2, 'b', null);
    insert into tag values (6), (7)`,
}

const linkage = (type: string, ...ids: string[]) => ({ data: ids.map((id) => ({ type, id })) })

engine('A write that the database rejects', served, (app) => {
  /** The parts of an update of which one is rejected, whichever comes after it. */
  const updates = {
    'the row, before its links': { attributes: { size: 13 }, items: ['1', '2'], tags: ['6'] },
    'a link, after one whose members are looked at again': { items: ['1'], tags: ['7'] },
  }
  for (const [which, { items, tags, ...more }] of Object.entries(updates)) {
    it(`is reported as what rejected it, and leaves nothing: ${which}`, async () => {
      const relationships = { items: linkage('item', ...items), tags: linkage('tag', ...tags) }
      const data = { type: 'box', id: '1', ...more, relationships }
      const response = await app.call('PATCH', '/boxes/1', { body: { data } })
      assert.equal(response.status, 409, response.text)
      assert.equal(response.body.errors?.[0]?.code, 'constraint_conflict')
      for (const name of ['items', 'tags'])
        assert.deepEqual((await app.get(`/boxes/1/relationships/${name}`)).body.data, [])
      assert.equal((await app.get('/boxes', { 'filter[size]': '1' })).body.meta?.count, 1)
    })
  }
})
