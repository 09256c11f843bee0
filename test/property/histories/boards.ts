import {
  action,
  attribute,
  defineModel,
  idempotencyTable,
  type Model,
  resource,
  text,
  toMany,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'

/** Where the versions of boards come from; `xmin` on PostgreSQL only. */
export type VersionSource = 'content' | 'column' | 'xmin'

/** Cards of boards: a write to the relationship of a board names one that no other write of its history names. */
export const cardCount = 300

/** The model of the histories: boards, which writers change at the same time. All clients are one principal. */
export function createBoardModel(source: VersionSource): Model {
  const version = source === 'column' ? 'row_version' : source
  const board = resource('board', {
    path: '/boards',
    table: 'board',
    version,
    fields: {
      title: attribute(text),
      note: attribute(text),
      cards: toMany('card', {
        through: { table: 'membership', from: 'board_id', to: 'card_id' },
      }),
    },
    actions: {
      rename: action({
        on: 'resource',
        parameters: { title: text },
        run: async ({ id, parameters, tx }) => {
          await tx.update('board', id, { title: parameters.title })
        },
      }),
    },
  })
  const card = resource('card', { path: '/cards', table: 'card', fields: {} })
  return defineModel([board, card], {
    ...{ principal: () => 'everybody', atomic: { actions: true } },
    secret: 'the secret of all servers of the histories',
  })
}

/** The tables, without anything that depends on the database but types of columns. */
export function boardTables({ newId, id }: ColumnTypes): string {
  // SQLite gives the id of a deleted row to another one otherwise.
  const boardId = newId === 'integer primary key' ? `${newId} autoincrement` : newId
  const cards = Array.from({ length: cardCount }, (_, index) => `(${index + 1})`).join()
  return `create table board (id ${boardId}, title text, note text, row_version integer not null default 1);
    create table card (id ${newId});
    create table membership (board_id ${id} not null references board (id) on delete cascade,
      card_id ${id} not null references card (id), primary key (board_id, card_id));
    insert into card (id) values ${cards};
    ${idempotencyTable};`
}

/**
 * The journal, which triggers write: what each transaction has changed, committed together with it. Of one board the numbers are in the
 * order of the commits, because a transaction holds the lock of its row.
 */
export const journalTables = {
  sqlite: `create table journal (seq integer primary key, tx integer, board integer not null, card integer, before text, after text);
    create trigger board_created after insert on board begin
      insert into journal (board, after) values (new.id, json_array(new.title, new.note)); end;
    create trigger board_updated after update on board begin
      insert into journal (board, before, after)
      values (new.id, json_array(old.title, old.note), json_array(new.title, new.note)); end;
    create trigger board_deleted after delete on board begin
      insert into journal (board, before) values (old.id, json_array(old.title, old.note)); end;
    create trigger member_added after insert on membership begin
      insert into journal (board, card, after) values (new.board_id, new.card_id, '1'); end;
    create trigger member_removed after delete on membership begin
      insert into journal (board, card, before) values (old.board_id, old.card_id, '1'); end;`,
  postgres: `create table journal (seq bigint generated always as identity primary key, tx bigint, board bigint not null,
      card bigint, before text, after text);
    create function note_board() returns trigger language plpgsql as $$ begin
      insert into journal (tx, board, before, after) values (txid_current(), coalesce(new.id, old.id),
        case when tg_op <> 'INSERT' then json_build_array(old.title, old.note)::text end,
        case when tg_op <> 'DELETE' then json_build_array(new.title, new.note)::text end);
      return null; end $$;
    create function note_member() returns trigger language plpgsql as $$ begin
      insert into journal (tx, board, card, before, after) values (txid_current(), coalesce(new.board_id, old.board_id),
        coalesce(new.card_id, old.card_id), case when tg_op = 'DELETE' then '1' end, case when tg_op = 'INSERT' then '1' end);
      return null; end $$;
    create trigger note_board after insert or update or delete on board for each row execute function note_board();
    create trigger note_member after insert or delete on membership for each row execute function note_member();`,
} as const
