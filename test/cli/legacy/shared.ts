import type { DialectName } from '../../../src/model/dialect.ts'

/** The columns of a table that somebody exported from a spreadsheet. */
const columns = Array.from({ length: 199 }, (_, index) => `"C${index + 1}" varchar(20)`)

/** Tables that both databases have, with names, keys and foreign keys as they grow in twenty years. */
const tables = `
  create table department (id integer primary key, name text not null);
  create table employee (id integer primary key, name text not null, department_id integer references department,
    manager_id integer references employee, deputy_id integer references employee, user_pass text, pin varchar(8),
    session_id text, secretary text);
  alter table department add column head_id integer references employee;
  create table message (id integer primary key, sender_id integer not null references employee,
    recipient_id integer references employee, type text, links text, id_ text);
  create table product (id integer primary key, "Product Name" text not null, "UnitPrice" numeric(10,2), hash text,
    is_active char(1) check (is_active in ('Y', 'N')));
  create table tag (id integer primary key, tag text not null);
  create table product_tag (product_id integer not null references product, tag_id integer not null references tag,
    primary key (product_id, tag_id));
  create table supplier (id integer primary key, name text);
  create table product_supplier (product_id integer not null references product, supplier_id integer not null references supplier,
    price numeric(8,2) not null, primary key (product_id, supplier_id));
  create table delivery (id integer primary key, product_id integer, supplier_id integer, delivered date,
    foreign key (product_id, supplier_id) references product_supplier (product_id, supplier_id));
  create table "Order" (id integer primary key, "select" text, "from" text, "group by" integer, "user" text);
  create table "order details" ("order id" integer not null references "Order" (id), "product id" integer not null references product (id),
    quantity integer not null default 1, primary key ("order id", "product id"));
  create table person (id integer primary key, name text);
  create table people (id integer primary key, name text);
  create table "Say ""hi""" (id integer primary key, "a ""quoted"" name" text, "it's" text, "größe" integer, "日本" text);
  create table "UPPER_CASE" ("ID" integer primary key, "SOME_VALUE" text, "PARENT_ID" integer references "UPPER_CASE" ("ID"));
  create table "2020 report" (id integer primary key, "2020" integer, "constructor" text, "__proto__" text, "toString" text);
  create table spreadsheet (id integer primary key, ${columns.join(', ')});
  create table audit_entry (at timestamp, what text);
  create table code_list (code varchar(20) not null primary key);
  create table untouched (id integer primary key, x text, y date);
  create table text_key (code text not null primary key, label text);
  create table text_key_note (id integer primary key, code text references text_key, note text);
  create table pair_key (a text not null, b text not null, label text, primary key (a, b));
  create table pair_note (id integer primary key, pair_a text, pair_b text, foreign key (pair_a, pair_b) references pair_key (a, b));
  create table triple_key (region text not null, year integer not null, day date not null, amount numeric(10,2), primary key (region, year, day));
  create table country (id integer primary key, iso char(2) not null unique, name text);
  create table city (id integer primary key, country_iso char(2) references country (iso), name text);
  create table account (id integer primary key, login text not null, pwd_hash text, api_token text, password_changed_at timestamp);
  create table profile (account_id integer primary key references account, bio text);
  create table tenant (id integer primary key, name text);
  create table tenant_order (tenant_id integer not null references tenant, no integer not null, note text, primary key (tenant_id, no));
  create table tenant_line (tenant_id integer not null, order_no integer not null, line integer not null, text text,
    primary key (tenant_id, order_no, line), foreign key (tenant_id, order_no) references tenant_order (tenant_id, no));
  create table computed_total (id integer primary key, a integer not null, b integer not null, total integer generated always as (a + b) stored);
  create table blob_store (id integer primary key, name text);
  create table keep_forever (id integer primary key, name text, deleted integer default 0);
  create table inbox (id integer primary key, subject text);
  create table stamped (id integer primary key, name text, changed_by text);
  create view plain_view as select id, name, department_id from employee;
  create view computing_view as select d.id, d.name as "Name", count(e.id) as employees, max(e.name) as last_name from department as d
    left join employee as e on e.department_id = d.id group by d.id, d.name;
  create view repeating_view as select department_id as id, name from employee where department_id is not null;
  create view null_view as select manager_id as id, name from employee;
  create view view_without_id as select name, count(*) as n from employee group by name;
  create view updatable_view as select id, name from supplier`

/** The rows of these tables. */
const rows = `
  insert into department (id, name) values (1, 'Sales'), (2, 'Ops'), (3, 'Empty');
  insert into employee (id, name, department_id, manager_id, deputy_id) values (1, 'Ann', 1, null, null);
  insert into employee (id, name, department_id, manager_id, deputy_id, user_pass) values (2, 'Bob', 1, 1, 1, 'x'), (3, 'Cid', 2, 1, 2, null), (4, 'Dot', null, 2, null, '');
  update employee set manager_id = 1 where id = 1;
  update department set head_id = id where id < 3;
  insert into message values (1, 1, 2, 'mail', 'http://x', 'a'), (2, 1, null, null, '', null), (3, 2, 1, 'fax', null, null);
  insert into product (id, "Product Name", "UnitPrice", hash, is_active) values (1, 'Chai', 18, 'ab', 'Y'), (2, 'Chang', 19.5, null, 'N'), (3, '', null, '', null);
  insert into tag values (1, 'hot'), (2, 'cold');
  insert into product_tag values (1, 1), (1, 2), (2, 1);
  insert into supplier values (1, 'Exotic'), (2, null);
  insert into product_supplier values (1, 1, 2.5), (1, 2, 3), (2, 1, 0);
  insert into delivery values (1, 1, 2, '2024-02-29'), (2, 2, 1, null), (3, null, null, '1999-12-31'), (4, 1, null, null);
  insert into "Order" values (1, 'a', 'b', 3, 'Ann'), (2, null, '', null, null);
  insert into "order details" values (1, 1, 5), (1, 2, 1), (2, 1, 7);
  insert into person values (1, 'Ada'); insert into people values (1, 'Folk'), (2, 'Volk');
  insert into "Say ""hi""" values (1, 'a"b', '''', 5, '漢字'), (2, null, '', null, '🙂');
  insert into "UPPER_CASE" values (1, 'X', null), (2, 'Y', 1);
  insert into "2020 report" values (1, 5, 'c', 'p', 't');
  insert into spreadsheet (id, "C1", "C199") values (1, 'first', 'last'), (2, null, '');
  insert into audit_entry values ('2024-01-01 10:00:00', 'start');
  insert into code_list values ('A'), ('b'), ('C-3');
  insert into text_key values ('a/b', 'slash'), ('a.b', 'dot'), ('~tilde', 'tilde'), ('ünï/漢', 'unicode'), ('sp ace', 'space'),
    ('100%', 'percent'), ('?x=1&y#z', 'reserved'), ('a+b', 'plus'), ('A/B', 'case'), ('"q"', 'quote'), ('back\\slash', 'backslash'), ('🙂', 'emoji');
  insert into text_key_note values (1, 'a/b', 'x'), (2, '~tilde', 'y'), (3, null, 'z'), (4, '?x=1&y#z', 'w');
  insert into pair_key (a, b) values ('a,b', 'c'), ('a', 'b,c'), ('~', '~1'), ('', ''), ('/', '.'), ('.', '..');
  insert into pair_note values (1, 'a,b', 'c'), (2, '', ''), (3, null, 'c'), (4, '.', '..');
  insert into triple_key values ('EU', 2024, '2024-02-29', 1.5), ('EU', 2024, '2024-03-01', null), ('US', -1, '0001-01-01', 0);
  insert into country values (1, 'DE', 'Germany'), (2, 'FR', null);
  insert into city values (1, 'DE', 'Bonn'), (2, null, 'Nowhere');
  insert into account values (1, 'ann', 'x', 'y', '2024-01-01 00:00:00'); insert into profile values (1, 'bio');
  insert into tenant values (1, 'one'), (2, 'two');
  insert into tenant_order values (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c');
  insert into tenant_line values (1, 1, 1, 'x'), (1, 1, 2, 'y'), (2, 1, 1, 'z');
  insert into computed_total (id, a, b) values (1, 2, 3), (2, -1, 1);
  insert into blob_store values (1, 'x');
  insert into keep_forever (id, name) values (1, 'never'), (2, 'gone');
  insert into inbox values (1, 'hello');
  insert into stamped (id, name) values (1, 'x')`

/** The SQL of the tables and rows that both databases have. */
export function sharedSql(dialect: DialectName): string {
  const identity = 'integer generated by default as identity primary key'
  const ddl = dialect === 'postgres' ? tables.replaceAll('integer primary key', identity) : tables
  return `${ddl};${rows};`
}
