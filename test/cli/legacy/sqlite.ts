/** Tables that only SQLite has, with values that only SQLite stores. Foreign keys are off, as in most programs. */
export const sqliteSql = `
  pragma foreign_keys = off;
  create table nocase_key (code text primary key not null collate nocase, label text);
  create table nocase_ref (id integer primary key, code text collate nocase references nocase_key);
  insert into nocase_key values ('Abc', 'one'), ('xyz', 'two');
  insert into nocase_ref values (1, 'ABC'), (2, 'xyz'), (3, null), (4, 'nope');
  create table nocase_plain (id integer primary key, code text references nocase_key);
  insert into nocase_plain values (1, 'ABC'), (2, 'xyz'), (3, 'Abc');
  create table generated_key (a integer, code text generated always as ('k' || a) stored not null unique);
  insert into generated_key values (1), (2);
  create table desc_key (id integer primary key desc, x text);
  insert into desc_key values (2, 'two'), (1, 'one');
  create table "" (id integer primary key, x text);
  create table unnamed (id integer primary key, "" text, x text);
  create table null_key (code text primary key, x integer);
  insert into null_key values ('k', 1), (null, 2), (null, 3);
  create table null_part (a integer, b text, x text, primary key (a, b));
  insert into null_part values (1, 'x', 'fine'), (1, null, 'null'), (null, null, 'none');
  create table mismatch_key (no int primary key, x text);
  insert into mismatch_key values (1, 'one'), ('abc', 'text'), (2.5, 'real'), (x'00', 'blob');
  create table mismatch (id integer primary key, born date, at datetime, made datetime, size integer, price decimal(10,2), ratio real,
    flag boolean, answer boolean, mixed boolean, name text, clock time, no bigint, extra json, key uuid, raw blob);
  insert into mismatch values
    (1, '1815-12-10', 1700000000000, 1700000000, 5, 2.5, 1, 't', 'Y', 't', 'Ada', '12:00', 9223372036854775807, '{"a":1}', '00000000-0000-4000-8000-000000000001', x'0102'),
    (2, '0000-00-00', 1700000000001, 0, 'abc', '', 'n/a', 'f', 'N', 1, x'00ff', '24:00', 'many', 'null', 'no uuid', 'text'),
    (3, '', 1700000000002, 1, '', 1e300, 9e999, 't', 'Y', 'x', '', '', 1.5, '{broken', '', 5),
    (4, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
    (5, '10.12.1815', 1700000000003, 2, 7, 'a lot', '', 'f', 'Y', 0, 5, 'noon', 7, '', 'X', ''),
    (6, '1906-12-09', 1700000000004, 3, 8, 3, 2.5, 't', 'N', 0, 'Grace', '23:59:59', 8, '[1]', null, null),
    (7, '1912-06-23', 1700000000005, 4, 9, 4, 3.5, 't', 'N', 0, 'Alan', '23:59:59', 8, '[]', null, null),
    (8, '1903-12-28', 1700000000006, 5, 10, 5, 4.5, 't', 'N', 'y', 'John', '23:59:59', 8, '{}', null, null);
  create table lost_parent (id integer primary key, to_gone integer references gone (id), to_nope integer references product (nope),
    to_name text references product (hash), to_keyless integer references audit_entry);
  insert into lost_parent values (1, 5, 6, 'ab', 7), (2, null, null, null, null);
  create table orphan (id integer primary key, product_id integer references product, employee_id integer references employee,
    order_id integer, product_no integer, foreign key (order_id, product_no) references "order details");
  insert into orphan values (1, 1, 1, 1, 1), (2, 99, 98, 97, 96), (3, null, 99, 1, 99), (4, 'x', '', 'x', 'y');
  create table orphan_tag (product_id integer references product, tag_id integer references tag, primary key (product_id, tag_id));
  insert into orphan_tag values (1, 1), (77, 1), (1, 88), (77, 88);
  create table untyped (id integer primary key, x, y, z);
  insert into untyped values (1, 1, 'a', x'00'), (2, 2, 'b', 5);
  create table odd_type (id integer primary key, place point, took interval, shape geometry, made year, rate currency, label string,
    many unsigned big int, few tinyint(1), big text(10), note nvarchar(100), memo memo, num number(10), dbl double precision);
  insert into odd_type values (1, '(1,2)', '1 day', x'0102', 1999, 1, 'x', 5, 1, 'b', 'n', 'm', 3, 1.5), (2, x'00', 'P1D', x'03', 2000, 1.5, '007', null, 0, '', null, 5, 'x', 2);
  create table strict_table (id integer primary key, n int not null, t text, r real, b blob, a any) strict;
  insert into strict_table values (1, 5, 'x', 1.5, x'00', 'any'), (2, 6, null, null, null, 7);
  create table rowless (code text primary key, n integer) without rowid;
  insert into rowless values ('a', 1), ('b/c', 2);
  create table rowless_pair (a integer, b integer, note text, primary key (a, b)) without rowid;
  insert into rowless_pair values (1, 2, 'x'), (-1, 0, 'y');
  create table generated_default (id integer primary key autoincrement, made datetime default (datetime('now')),
    token_no text default (lower(hex(randomblob(4)))), twice integer generated always as (id * 2) virtual);
  insert into generated_default (id) values (1);
  create table big_id (id integer primary key, x text);
  insert into big_id values (9223372036854775807, 'max'), (-9223372036854775808, 'min'), (0, 'zero'), (9007199254740993, 'odd');
  create table tree (a integer, b text, parent_a integer, parent_b text, primary key (a, b), foreign key (parent_a, parent_b) references tree);
  insert into tree values (1, 'x', null, null), (1, 'y', 1, 'x'), (2, 'z', 1, null), (3, 'w', 8, 'gone');
  create table loop_a (id integer primary key, b_id integer not null references loop_b);
  create table loop_b (id integer primary key, a_id integer not null references loop_a);
  insert into loop_a values (1, 1); insert into loop_b values (1, 1);
  create table guarded (id integer primary key, amount integer check (amount > 0), code text unique);
  insert into guarded values (1, 5, 'a'), (2, 7, null), (3, null, null);
  create virtual table full_text using fts5 (title, body);
  insert into full_text values ('one', 'two');
  create table edge_text (id integer primary key, code text not null unique);
  insert into edge_text values (1, ''), (2, '.'), (3, '..'), (4, 'x');
  create table edge_key (code text not null primary key, x text);
  insert into edge_key values ('.', 'dot'), ('..', 'dots'), ('x', 'fine');

  create view broken_view as select nope from product;
  create view gone_view as select id from missing_table;
  create view failing_view as select id, json_extract('{', '$') as x from product;
  create view desk_view as select id, name from supplier;
  create trigger desk_insert instead of insert on desk_view begin insert into supplier (id, name) values (new.id, new.name); end;
  create trigger desk_update instead of update on desk_view begin update supplier set name = new.name where id = old.id; end;
  create trigger desk_delete instead of delete on desk_view begin delete from supplier where id = old.id; end;
  create trigger keep before delete on keep_forever begin update keep_forever set deleted = 1 where id = old.id; select raise(ignore); end;
  create trigger drop_mail before insert on inbox begin select raise(ignore); end;
  create trigger stamp after insert on stamped begin update stamped set changed_by = 'trigger' where id = new.id; end;
  create trigger guard before update on guarded begin select raise(abort, 'guarded is closed'); end`
