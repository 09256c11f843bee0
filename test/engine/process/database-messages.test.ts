import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, toMany, toOne } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

const options = (databaseMessages?: boolean) => ({
  table: 'box',
  ...(databaseMessages !== undefined && { databaseMessages }),
  fields: {
    size: attribute(integer),
    items: toMany('item', { column: 'box_id' }),
    tags: toMany('tag', { through: { table: 'box_tag', from: 'box_id', to: 'tag_id' } }),
  },
})
const open = resource('open', { path: '/open', ...options(true) })
const closed = resource('closed', { path: '/closed', ...options(false) })
const silent = resource('silent', { path: '/silent', ...options() })
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: { box: toOne('open', { column: 'box_id' }) },
})
const tag = resource('tag', { path: '/tags', table: 'tag', fields: {} })

const long = 'x'.repeat(2000)

const triggers: Readonly<Record<DialectName, string>> = {
  sqlite: `
    create trigger no_create before insert on box when new.size = 13
      begin select raise(abort, 'Thirteen is too many.'); end;
    create trigger no_long before insert on box when new.size = 14 begin select raise(fail, '${long}'); end;
    create trigger no_update before update on box when new.size = 13
      begin select raise(rollback, 'Thirteen is too many.'); end;
    create trigger no_delete before delete on box begin select raise(abort, 'Boxes stay.'); end;
    create trigger no_seven before insert on box_tag when new.tag_id = 7
      begin select raise(abort, 'Seven is taken.'); end;
    create trigger no_tag_delete before delete on tag begin select raise(abort, 'Tags stay.'); end`,
  postgres: `
    create function reject() returns trigger language plpgsql as $$ begin
      raise exception '%', tg_argv[0] using errcode = tg_argv[1]; end $$;
    create trigger no_create before insert or update on box for each row when (new.size = 13)
      execute function reject('Thirteen is too many.', 'P0001');
    create trigger no_permission before insert or update on box for each row when (new.size = 12)
      execute function reject('Only admins.', '42501');
    create trigger no_long before insert on box for each row when (new.size = 14) execute function reject('${long}', '45000');
    create trigger no_delete before delete on box for each row execute function reject('Boxes stay.', '23503');
    create trigger no_seven before insert on box_tag for each row when (new.tag_id = 7)
      execute function reject('Seven is taken.', '23505');
    create trigger no_tag_delete before delete on tag for each row execute function reject('Tags stay.', 'P0001')`,
}

const served = {
  model: defineModel([open, closed, silent, item, tag]),
  tables: ({ newId, id }: ColumnTypes, dialect: DialectName) => `
    create table box (id ${newId}, size integer unique);
    create table item (id ${newId}, box_id ${id} references box (id));
    create table tag (id ${newId});
    create table box_tag (box_id ${id} references box (id), tag_id ${id} references tag (id));
    ${triggers[dialect]};
    insert into box values (1, 1), (2, 2);
    insert into tag values (6), (7)`,
}

engine('Messages of triggers', served, (app) => {
  const rejected = async (type: string) => {
    const attributes = { size: 13 }
    return {
      create: await app.post(`/${type}`, { data: { type, attributes } }),
      update: await app.patch(`/${type}/1`, { data: { type, id: '1', attributes } }),
      remove: await app.delete(`/${type}/1`),
      link: await app.post(`/${type}/1/relationships/tags`, { data: [{ type: 'tag', id: '7' }] }),
    }
  }

  it('given databaseMessages, when a trigger rejects a write, then the detail is its message', async () => {
    const details = Object.entries(await rejected('open')).map(([name, { status, error }]) => {
      return [name, status, error.code, error.detail]
    })
    assert.deepEqual(details, [
      ['create', 409, 'constraint_conflict', 'Thirteen is too many.'],
      ['update', 409, 'constraint_conflict', 'Thirteen is too many.'],
      ['remove', 409, 'constraint_conflict', 'Boxes stay.'],
      ['link', 409, 'constraint_conflict', 'Seven is taken.'],
    ])
  })

  it('given a long message, when it is sent, then it is cut', async () => {
    const { error } = await app.post('/open', { data: { type: 'open', attributes: { size: 14 } } })
    assert.equal(error.detail, 'x'.repeat(1000))
  })

  for (const type of ['closed', 'silent']) {
    it(`given no databaseMessages (${type}), when a trigger rejects a write, then no response has its message`, async () => {
      for (const { status, text } of Object.values(await rejected(type))) {
        assert.equal(status, 409, text)
        assert.doesNotMatch(text, /Thirteen|Boxes stay|Seven/)
      }
    })
  }

  it('given databaseMessages, when the database itself rejects a write, then the detail is ours', async () => {
    const { status, error } = await app.post('/open', {
      data: { type: 'open', attributes: { size: 2 } },
    })
    assert.equal(status, 409)
    assert.equal(
      error.detail,
      'The database rejects the change: another resource of type open has the same "size".',
    )
  })

  it('when a trigger rejects a deletion, then the detail does not name references', async () => {
    const { status, error } = await app.delete('/tags/6')
    assert.equal(status, 409)
    assert.equal(
      error.detail,
      'The database does not allow this resource of type tag to be deleted.',
    )
  })

  it('given a trigger of PostgreSQL that denies permission, when it rejects a write, then the answer is 403', async () => {
    if (app.dialect !== 'postgres') return
    const denied = async (type: string) => {
      const attributes = { size: 12 }
      const created = await app.post(`/${type}`, { data: { type, attributes } })
      const updated = await app.patch(`/${type}/1`, { data: { type, id: '1', attributes } })
      return [created, updated].map(({ status, error }) => [status, error.code, error.detail])
    }
    const open = [403, 'permission_denied', 'Only admins.']
    assert.deepEqual(await denied('open'), [open, open])
    const closed = [
      403,
      'permission_denied',
      'The database rejects the change: it is not permitted.',
    ]
    assert.deepEqual(await denied('closed'), [closed, closed])
  })

  it('given a function of a view that denies permission, when it is read, then the answer is 403', async () => {
    if (app.dialect !== 'postgres') return
    await app.execute(`
      create function deny(size integer) returns integer language plpgsql as $$ begin
        raise exception 'secret' using errcode = 'insufficient_privilege'; end $$;
      alter table box rename to stored_box; create view box as select id, deny(size) as size from stored_box`)
    const { status, error } = await app.get('/open')
    assert.deepEqual(
      [status, error.code, error.detail],
      [403, 'permission_denied', 'The database does not permit this.'],
    )
  })
})
