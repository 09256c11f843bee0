/**
 * The tables of the Northwind sample database, with few rows. On PostgreSQL, `integer primary key` is replaced by an identity
 * column.
 */
export const northwind = `
  create table categories (category_id integer primary key, category_name varchar(15) not null, description text, picture text);
  create table suppliers (supplier_id integer primary key, company_name varchar(40) not null, country varchar(15), home_page text);
  create table shippers (shipper_id integer primary key, company_name varchar(40) not null, phone varchar(24));
  create table region (region_id integer primary key, region_description varchar(60) not null);
  create table territories (territory_id varchar(20) not null primary key, territory_description varchar(60) not null,
    region_id integer not null references region);
  create table employees (employee_id integer primary key, last_name varchar(20) not null, birth_date date,
    hire_date date, notes text, reports_to integer references employees, salary real);
  create table employee_territories (employee_id integer not null references employees,
    territory_id varchar(20) not null references territories, primary key (employee_id, territory_id));
  create table customers (customer_id varchar(5) not null primary key, company_name varchar(40) not null, city varchar(15));
  create table customer_demographics (customer_type_id varchar(5) not null primary key, customer_desc text);
  create table customer_customer_demo (customer_id varchar(5) not null references customers,
    customer_type_id varchar(5) not null references customer_demographics, primary key (customer_id, customer_type_id));
  create table products (product_id integer primary key, product_name varchar(40) not null,
    supplier_id integer references suppliers, category_id integer references categories, unit_price numeric(10,2),
    units_in_stock smallint default 0, discontinued integer not null default 0);
  create table orders (order_id integer primary key, customer_id varchar(5) references customers,
    employee_id integer references employees, order_date date, ship_via integer references shippers, freight real);
  create table order_details (order_id integer not null references orders, product_id integer not null references products,
    unit_price numeric(10,2) not null, quantity smallint not null default 1, discount real not null default 0,
    primary key (order_id, product_id));
  create view "Products by Category" as select c.category_name, p.product_name from categories as c
    join products as p on p.category_id = c.category_id;
  create view order_subtotals as select order_id as id, sum(unit_price * quantity) as subtotal, count(*) as details
    from order_details group by order_id;
  create view quarterly_orders as select customer_id as id, order_date from orders;

  insert into categories (category_id, category_name, description) values (1, 'Beverages', 'Soft drinks'), (2, 'Condiments', null);
  insert into suppliers (supplier_id, company_name, country) values (1, 'Exotic Liquids', 'UK'), (2, 'New Orleans', 'USA');
  insert into shippers (shipper_id, company_name) values (1, 'Speedy Express'), (2, 'United Package');
  insert into region values (1, 'Eastern'), (2, 'Western');
  insert into territories values ('01581', 'Westboro', 1), ('98004', 'Bellevue', 2), ('98052', 'Redmond', 2);
  insert into employees (employee_id, last_name, birth_date, reports_to, salary) values (2, 'Fuller', '1952-02-19', null, 2.5);
  insert into employees (employee_id, last_name, birth_date, reports_to) values (1, 'Davolio', '1948-12-08', 2), (3, 'Leverling', null, 2);
  insert into employee_territories values (1, '01581'), (1, '98004'), (3, '98004');
  insert into customers values ('ALFKI', 'Alfreds', 'Berlin'), ('ANATR', 'Ana Trujillo', 'México'), ('BOLID', 'Bólido', null);
  insert into customer_demographics values ('NEW', 'new customers');
  insert into customer_customer_demo values ('ALFKI', 'NEW');
  insert into products (product_id, product_name, supplier_id, category_id, unit_price) values (1, 'Chai', 1, 1, 18), (2, 'Chang', 1, 1, 19.5),
    (3, 'Aniseed Syrup', null, 2, 10);
  insert into orders (order_id, customer_id, employee_id, order_date, ship_via, freight) values (10248, 'ALFKI', 1, '1996-07-04', 1, 32.5),
    (10249, 'ALFKI', 3, '1996-07-05', 2, 11.25), (10250, null, null, null, null, null);
  insert into order_details values (10248, 1, 14, 12, 0), (10248, 2, 9.5, 10, 0.25), (10249, 1, 18, 9, 0)`
