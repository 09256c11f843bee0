/** Tables that only PostgreSQL has. */
export const postgresSql = `
  create extension citext; create extension hstore;
  create schema archive; create schema zeta;
  create table archive.customer (id integer primary key, name text);
  create table archive.product (id integer primary key, product_id integer references public.product, note text);
  create table archive.people (id integer primary key, name text);
  create table zeta.only_here (id integer primary key, archived_id integer references archive.product);
  insert into archive.customer values (1, 'old'); insert into archive.product values (1, 1, 'x'), (2, null, null);
  insert into archive.people values (1, 'old'); insert into zeta.only_here values (1, 1), (2, null);
  create table customer (id integer primary key, name text); insert into customer values (1, 'new'), (2, 'newer');

  create table citext_key (code citext primary key, label text);
  create table citext_ref (id integer primary key, code citext references citext_key, plain text);
  insert into citext_key values ('Abc', 'one'), ('xyz', 'two'); insert into citext_ref values (1, 'ABC', 'x'), (2, 'xyz', null), (3, null, null);
  create collation any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table any_case_key (code text collate any_case primary key, x text);
  create table any_case_ref (id integer primary key, code text collate any_case references any_case_key);
  insert into any_case_key values ('Straße', 'a'), ('B', 'b'); insert into any_case_ref values (1, 'STRAßE'), (2, 'b');
  create table char_key (code char(5) primary key, x text); create table char_ref (id integer primary key, code char(5) references char_key);
  insert into char_key values ('AB', 'x'), ('ABCDE', 'y'); insert into char_ref values (1, 'AB'), (2, null);
  create table null_key (code text unique, x integer); insert into null_key values ('k', 1), (null, 2), (null, 3);
  create table numeric_key (id numeric(18,0) primary key, x text); insert into numeric_key values (123456789012345678, 'x'), (-1, 'y');
  create table numeric_ref (id integer primary key, ref numeric(18,0) references numeric_key); insert into numeric_ref values (1, -1), (2, null);
  create table big_id (id bigint primary key, x text); insert into big_id values (9223372036854775807, 'max'), (-9223372036854775808, 'min'), (0, 'zero');
  create table edge_key (code text primary key, x text); insert into edge_key values ('.', 'dot'), ('..', 'dots'), ('x', 'fine');

  create domain amount as numeric(12, 2) check (value >= 0); create type mood as enum ('sad', 'it''s fine', 'happy');
  create type pair as (a int, b text); create domain code as varchar(9) not null;
  create table every_type (id serial primary key, a smallint, b bigint, c numeric, d numeric(10,2), e real, f double precision, g boolean,
    h date, i timestamp, j timestamptz, k time, l timetz, m interval, n uuid, o json, p jsonb, q bytea, r char(3), s varchar(5), t citext,
    u amount, v mood, w pair, x hstore, y xml, z tsvector, aa inet, ab cidr, ac macaddr, ad money, ae bit(3), af varbit, ag point, ah circle,
    ai int4range, aj tstzrange, ak int4multirange, al oid, am name, an "char", ao pg_lsn, ap tid, aq regclass, ar code default 'x');
  insert into every_type (a) values (null);
  insert into every_type values (2, -32768, 9223372036854775807, 123456789012345678901234567890.123456789, 2.5, 21.35, 1e300, true, '2024-02-29',
    '2024-02-29 12:00', '2024-02-29 12:00+02', '23:59:59.999999', '12:00+02', '1 day 02:00', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '{"a":[1,null]}', '[1]',
    '\\x00ff', 'a', 'b', 'Ci', 5, 'it''s fine', '(1,x)', 'a=>1', '<a/>', 'some words', '::1', '10.0.0.0/8', '08:00:2b:01:02:03', 12.34, '101', '11', '(1,2)', '<(0,0),5>',
    '[1,5)', '[2024-01-01,)', '{[1,3)}', 5, 'name', 'c', '0/16B3748', '(0,1)', 'product', 'x');
  create table every_array (id serial primary key, a int[], b text[], c mood[], d amount[], e timestamptz[], f int[][], g jsonb[], h boolean[], i uuid[]);
  insert into every_array values (2, '{1,2}', '{"a,b",null,""}', '{sad}', '{1.5}', '{2024-01-01}', '{{1,2},{3,4}}', array['{"a":1}'::jsonb], '{t,f,null}', '{}'); insert into every_array default values;
  create table odd_value (id serial primary key, born date, at timestamptz, made timestamp, price numeric, size double precision, ratio real, clock time,
    extra json, many int[], at_all timestamptz[]);
  insert into odd_value (born, at, made, price, size, ratio, clock, extra, many, at_all) values
    ('0044-03-15 BC', 'infinity', '-infinity', 'NaN', 1e-7, 0.1, '24:00', 'null', '[0:1]={1,2}', '{infinity}'),
    ('infinity', '0044-03-15 BC', '294276-12-31 23:59:59', 5, -5e-324, '-0', '12:00', '"text"', '{}', null),
    ('1815-12-10', '2024-01-01', '2024-01-01', 6, 1.5, 21.35, null, '5', null, '{2024-01-01}'),
    ('5874897-12-31', '10000-01-01', '4713-01-01 BC', 1e200, 0, 0, '00:00', '{"a":1}', '{1}', null),
    ('1815-12-10', '2024-01-01', '2024-01-01', 6, 1.5, 21.35, '01:00', '[]', '{1}', null), ('1815-12-10', '2024-01-01', '2024-01-01', 6, 1.5, 21.35, '01:00', '{}', '{1}', null),
    ('1815-12-10', '2024-01-01', '2024-01-01', 6, 1.5, 21.35, '01:00', '{}', '{1}', '{2024-01-01}'), ('1815-12-10', '2024-01-01', '2024-01-01', 6, 1.5, 21.35, '01:00', '{}', '{1}', '{2024-01-01}');

  create table identity_always (id bigint generated always as identity primary key, x text); insert into identity_always (x) values ('a'), ('b');
  create table generated_default (id uuid primary key default gen_random_uuid(), made timestamptz default now(), twice int generated always as (2 * 2) stored);
  insert into generated_default default values;
  create table part (id integer, day date, x text, primary key (day, id)) partition by range (day);
  create table part_2023 partition of part for values from ('2023-01-01') to ('2024-01-01');
  create table part_rest partition of part default; insert into part values (1, '2023-05-05', 'a'), (1, '2025-01-01', 'b');
  create table part_ref (id integer primary key, part_day date, part_id integer, foreign key (part_day, part_id) references part);
  insert into part_ref values (1, '2023-05-05', 1), (2, null, null);
  create table parent (id integer primary key, x text); create table child (y text, primary key (id)) inherits (parent);
  insert into parent values (1, 'p'); insert into child values (1, 'c', 'y'), (2, 'c', 'z');
  create table clean_parent (id integer primary key, x text); create table clean_child (y text, primary key (id)) inherits (clean_parent);
  insert into clean_parent values (1, 'p'); insert into clean_child values (2, 'c', 'y');
  create table orphan (id integer primary key, product_id integer, employee_id integer);
  insert into orphan values (1, 1, 1), (2, 99, 98), (3, null, 99);
  alter table orphan add foreign key (product_id) references product not valid, add foreign key (employee_id) references employee not valid;
  create table later (id integer primary key, next_id integer references later deferrable initially deferred); insert into later values (1, 2), (2, 1);
  create table ruled (id serial primary key, x text); create table ruled_log (id serial primary key, x text);
  create rule ruled_insert as on insert to ruled do instead insert into ruled_log (x) values (new.x);
  create table soft (id serial primary key, x text, gone boolean default false); insert into soft (x) values ('a'), ('b');
  create rule soft_delete as on delete to soft do instead update soft set gone = true where id = old.id;
  create table guarded (id serial primary key, amount integer check (amount > 0), code text unique); insert into guarded (amount, code) values (5, 'a'), (7, null), (null, null);
  create table hidden (id integer primary key, product_id integer references product, x text); insert into hidden values (1, 1, 'x');
  create table half_hidden (id integer primary key, name text, salary integer); insert into half_hidden values (1, 'x', 5);

  create view failing_view as select id, 1 / (id - 1) as x from product;
  create materialized view summary as select department_id as id, count(*) as n from employee where department_id is not null group by 1;
  create unique index on summary (id);
  create view desk_view as select s.id, s.name, 1 as one from supplier as s;
  create function desk() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then delete from supplier where id = old.id; return old; end if;
    if tg_op = 'INSERT' then insert into supplier (id, name) values (coalesce(new.id, 77), new.name) returning id into new.id; else update supplier set name = new.name where id = old.id; end if;
    return new; end $$;
  create trigger desk instead of insert or update or delete on desk_view for each row execute function desk();
  create function keep() returns trigger language plpgsql as 'begin update keep_forever set deleted = 1 where id = old.id; return null; end';
  create trigger keep before delete on keep_forever for each row execute function keep();
  create function drop_row() returns trigger language plpgsql as 'begin return null; end';
  create trigger drop_mail before insert on inbox for each row execute function drop_row();
  create function stamp() returns trigger language plpgsql as 'begin new.id = new.id + 100; new.changed_by = ''trigger''; return new; end';
  create trigger stamp before insert on stamped for each row execute function stamp();
  create function guard() returns trigger language plpgsql as 'begin raise exception ''guarded is closed''; end';
  create trigger guard before update on guarded for each row execute function guard()`
