/**
 * The tables of the Sakila sample database of video rentals, with few rows. On PostgreSQL, `integer primary key` is replaced by
 * an identity column.
 */
export const sakila = `
  create table language (language_id integer primary key, name char(20) not null, last_update timestamp);
  create table category (category_id integer primary key, name varchar(25) not null, last_update timestamp);
  create table actor (actor_id integer primary key, first_name varchar(45) not null, last_name varchar(45) not null, last_update timestamp);
  create table country (country_id integer primary key, country varchar(50) not null);
  create table city (city_id integer primary key, city varchar(50) not null, country_id integer not null references country);
  create table address (address_id integer primary key, address varchar(50) not null, city_id integer not null references city);
  create table film (film_id integer primary key, title varchar(255) not null, release_year integer,
    language_id integer not null references language, original_language_id integer references language,
    rental_rate decimal(4,2) not null default 4.99, rating varchar(10) default 'G'
      check (rating in ('G', 'PG', 'PG-13', 'R', 'NC-17')), last_update timestamp);
  create table film_actor (actor_id integer not null references actor, film_id integer not null references film,
    last_update timestamp, primary key (actor_id, film_id));
  create table film_category (film_id integer not null references film, category_id integer not null references category,
    last_update timestamp not null, primary key (film_id, category_id));
  create table film_text (film_id smallint not null primary key, title varchar(255) not null, description text);
  create table store (store_id integer primary key, manager_staff_id integer, address_id integer not null references address);
  create table staff (staff_id integer primary key, first_name varchar(45) not null, address_id integer not null references address,
    store_id integer not null references store, active smallint not null default 1, username varchar(16), password varchar(40));
  create table customer (customer_id integer primary key, store_id integer not null references store,
    first_name varchar(45) not null, email varchar(50), address_id integer not null references address, create_date timestamp);
  create table inventory (inventory_id integer primary key, film_id integer not null references film,
    store_id integer not null references store);
  create table rental (rental_id integer primary key, rental_date timestamp not null,
    inventory_id integer not null references inventory, customer_id integer not null references customer,
    return_date timestamp, staff_id integer not null references staff, unique (rental_date, inventory_id, customer_id));
  create table payment (payment_id integer primary key, customer_id integer not null references customer,
    staff_id integer not null references staff, rental_id integer references rental, amount decimal(5,2) not null);
  create view customer_list as select c.customer_id as id, c.first_name || ' of ' || y.city as name, y.city
    from customer as c join address as a on a.address_id = c.address_id join city as y on y.city_id = a.city_id;
  create view film_list as select f.film_id as fid, f.title, c.name as category from film as f
    join film_category as fc on fc.film_id = f.film_id join category as c on c.category_id = fc.category_id;
  create view sales_by_store as select store_id as id, count(*) as customers from customer group by store_id;

  insert into language values (1, 'English', '2006-02-15 05:02:19'), (2, 'Italian', null);
  insert into category values (1, 'Action', null), (2, 'Animation', '2006-02-15 04:46:27');
  insert into actor values (1, 'PENELOPE', 'GUINESS', '2006-02-15 04:34:33'), (2, 'NICK', 'WAHLBERG', null), (3, 'ED', 'CHASE', null);
  insert into country values (1, 'Canada'), (2, 'Australia');
  insert into city values (1, 'Lethbridge', 1), (2, 'Woodridge', 2);
  insert into address values (1, '47 MySakila Drive', 1), (2, '28 MySQL Boulevard', 2);
  insert into film (film_id, title, release_year, language_id, original_language_id, rating) values
    (1, 'ACADEMY DINOSAUR', 2006, 1, null, 'PG'), (2, 'ACE GOLDFINGER', 2006, 1, 2, 'G'), (3, 'ADAPTATION HOLES', null, 2, 1, null);
  insert into film_actor values (1, 1, '2006-02-15 05:05:03'), (1, 2, null), (2, 2, null);
  insert into film_category values (1, 1, '2006-02-15 05:07:09'), (2, 2, '2006-02-15 05:07:09');
  insert into film_text values (1, 'ACADEMY DINOSAUR', 'A Epic Drama'), (2, 'ACE GOLDFINGER', null);
  insert into store values (1, 1, 1), (2, 2, 2);
  insert into staff values (1, 'Mike', 1, 1, 1, 'Mike', '8cb2237d'), (2, 'Jon', 2, 2, 0, 'Jon', null);
  insert into customer values (1, 1, 'MARY', 'mary@example.org', 1, '2006-02-14 22:04:36'), (2, 1, 'PATRICIA', null, 2, null);
  insert into inventory values (1, 1, 1), (2, 1, 1), (3, 2, 2);
  insert into rental values (1, '2005-05-24 22:53:30', 1, 1, '2005-05-26 22:04:30', 1), (2, '2005-05-24 22:54:33', 3, 2, null, 2);
  insert into payment values (1, 1, 1, 1, 2.99), (2, 2, 2, null, 0.99)`

/** Pagila, the form of Sakila for PostgreSQL: its payments are partitioned by their date, which is a part of their key. */
export const pagila = sakila.replace(
  /create table payment .*?;/s,
  `create table payment (payment_id integer generated by default as identity, customer_id integer not null references customer,
     staff_id integer not null references staff, rental_id integer references rental, amount decimal(5,2) not null,
     payment_date timestamptz not null default '2022-01-23 15:00:12.5+02', primary key (payment_date, payment_id))
     partition by range (payment_date);
   create table payment_p2022_01 partition of payment for values from ('2022-01-01') to ('2022-02-01');
   create table payment_p2022_02 partition of payment for values from ('2022-02-01') to ('2022-03-01');`,
)
