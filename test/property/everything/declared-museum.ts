import {
  attribute,
  boolean,
  bytes,
  date,
  datetime,
  decimal,
  defineModel,
  email,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  type Model,
  number,
  resource,
  sql,
  text,
  time,
  toMany,
  toOne,
  url,
  uuid,
} from 'lapidary'
import { areSharded, type ColumnTypes } from '../../databases.ts'

/** Texts that look similar. */
export const states = ['open', 'closed', 'Open', 'Größe', 'GRÖSSE', ''] as const

/** The roles of people; some are guides. */
export const roles = ['guide', 'guard', 'clerk'] as const

/** The numbers of all halls at once, for a database that refuses a correlated subquery. */
const countedItems = sql`(select jsonb_object_agg(hall_id, number) from
  (select hall_id, count(*) as number from item where hall_id is not null group by hall_id) as counted)`

/** A museum. Its halls are a tree. Plans reference the codes of halls instead of their ids. */
const hall = resource('hall', {
  path: '/halls',
  table: 'hall',
  id: 'hall_no',
  fields: {
    name: attribute(text, { required: true }),
    code: attribute(text, { required: true, access: 'immutable' }),
    floor: attribute(integer),
    area: attribute(number),
    opened: attribute(date),
    item_count: expression(integer, (column) =>
      areSharded
        ? sql`coalesce((${countedItems} ->> ${column('hall_no')}::text)::bigint, 0)`
        : sql`(select count(*) from item as counted where counted.hall_id = ${column('hall_no')})`,
    ),
    parent: toOne('hall', { column: 'parent_id' }),
    children: toMany('hall', { column: 'parent_id', count: true }),
    items: toMany('item', { column: 'hall_id', count: true }),
    shelves: toMany('shelf', { column: 'hall_id', count: true }),
    loans: toMany('item', { column: 'origin_id', count: true }),
    plan: toOne('plan', { foreignKey: 'other', column: 'hall_code', references: 'code' }),
    drafts: toMany('plan', { column: 'draft_code', references: 'code', count: true }),
    head: toOne('guide', { foreignKey: 'other', column: 'heads_id' }),
    guides: toMany('guide', { column: 'hall_id', count: true }),
    staff: toMany('staff', { column: 'hall_id', count: true }),
  },
})

/** An item has an attribute of every kind, and a second one to compare it with. */
const item = resource('item', {
  path: '/items',
  table: 'item',
  id: { kind: uuid, client: 'optional' },
  fields: {
    title: attribute(text, { required: true }),
    contact: attribute(email),
    link: attribute(url),
    small: attribute(integer),
    big: attribute(integer64()),
    huge: attribute(integer64({ largeValuesAs: 'string' }), { column: 'huge_number' }),
    price: attribute(decimal({ precision: 12, scale: 2 })),
    fee: attribute(decimal({ precision: 12, scale: 2 })),
    exact: attribute(decimal()),
    ratio: attribute(number),
    sealed: attribute(boolean),
    lent: attribute(boolean),
    made: attribute(date),
    found: attribute(date),
    seen: attribute(datetime),
    gone: attribute(datetime),
    opens: attribute(time),
    closes: attribute(time),
    mark: attribute(uuid),
    state: attribute(enumeration(states)),
    before: attribute(enumeration(states)),
    notes: attribute(json),
    scan: attribute(bytes),
    remark: attribute(text, { access: 'write-only', filter: true }),
    twice: expression(integer, (column) => sql`${column('amount')} * 2`),
    amount: attribute(integer),
    label: expression(text, (column) => sql`coalesce(${column('contact')}, ${column('title')})`),
    hall: toOne('hall', { column: 'hall_id' }),
    origin: toOne('hall', { column: 'origin_id' }),
    shelf: toOne('shelf', { column: ['shelf_no', 'shelf_name'] }),
    keeper: toOne('staff', { column: 'keeper_id' }),
    keeping_guide: toOne('guide', { column: 'keeper_id', access: 'read-only' }),
    expert: toOne('guide', { column: 'expert_id' }),
    tags: toMany('tag', {
      through: { table: 'item_tag', from: 'item_id', to: 'tag_name' },
      count: true,
    }),
    likes: toMany('item', {
      through: { table: 'item_like', from: 'item_id', to: 'liked_id' },
      count: true,
    }),
    liked_by: toMany('item', {
      through: { table: 'item_like', from: 'liked_id', to: 'item_id' },
      count: true,
    }),
  },
})

const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  id: { column: 'name', kind: text, client: 'required' },
  fields: {
    label: attribute(text),
    items: toMany('item', {
      through: { table: 'item_tag', from: 'tag_name', to: 'item_id' },
      count: true,
    }),
    guides: toMany('guide', {
      through: { table: 'person_tag', from: 'tag_name', to: 'person_id' },
      count: true,
    }),
    broader: toOne('tag', { column: 'broader_name' }),
    narrower: toMany('tag', { column: 'broader_name', count: true }),
    shelves: toMany('shelf', {
      through: { table: 'shelf_tag', from: 'tag_name', to: ['shelf_no', 'shelf_name'] },
      count: true,
    }),
  },
})

/** Two columns are the id of a shelf: every shape of relationship leads to such ids. */
const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  id: { column: ['no', 'name'], kind: [integer, text], client: 'required' },
  fields: {
    width: attribute(integer),
    hall: toOne('hall', { column: 'hall_id' }),
    items: toMany('item', { column: ['shelf_no', 'shelf_name'], count: true }),
    beside: toOne('shelf', { column: ['beside_no', 'beside_name'] }),
    neighbours: toMany('shelf', { column: ['beside_no', 'beside_name'], count: true }),
    tags: toMany('tag', {
      through: { table: 'shelf_tag', from: ['shelf_no', 'shelf_name'], to: 'tag_name' },
      count: true,
    }),
  },
})

const plan = resource('plan', {
  path: '/plans',
  table: 'plan',
  fields: {
    title: attribute(text),
    hall: toOne('hall', { column: 'hall_code', references: 'code' }),
    draft_of: toOne('hall', { column: 'draft_code', references: 'code' }),
  },
})

/** All people, and the guides among them: two resource types over one table. */
const staff = resource('staff', {
  path: '/staff',
  table: 'person',
  fields: {
    name: attribute(text, { required: true }),
    role: attribute(enumeration(roles), { required: true }),
    active: attribute(boolean),
    hall: toOne('hall', { column: 'hall_id' }),
    heads: toOne('hall', { column: 'heads_id' }),
    keeps: toMany('item', { column: 'keeper_id', count: true }),
    tags: toMany('tag', {
      through: { table: 'person_tag', from: 'person_id', to: 'tag_name' },
      count: true,
    }),
  },
})

const guide = resource('guide', {
  path: '/guides',
  table: 'person',
  scope: (column) => sql`${column('role')} = 'guide' and ${column('active')} is not false`,
  insertDefaults: { role: 'guide' },
  fields: {
    name: attribute(text, { required: true }),
    active: attribute(boolean),
    hall: toOne('hall', { column: 'hall_id' }),
    heads: toOne('hall', { column: 'heads_id' }),
    knows: toMany('item', { column: 'expert_id', count: true }),
    keeps: toMany('item', { column: 'keeper_id', access: 'read-only', count: true }),
    tags: toMany('tag', {
      through: { table: 'person_tag', from: 'person_id', to: 'tag_name' },
      count: true,
    }),
  },
})

/** A model with every kind of attribute and every shape of relationship. */
export const everything: Model = defineModel([hall, item, tag, shelf, plan, staff, guide], {
  maxPageSize: null,
})

/** The tables of the model, in the column types of a database. */
export function tablesOfEverything(type: ColumnTypes): string {
  const hallId = (column: string) =>
    `${column} ${type.id} references hall (hall_no) on delete set null`
  const personId = (column: string) =>
    `${column} ${type.id} references person (id) on delete set null`
  return `
    create table hall (hall_no ${type.newId}, name ${type.text} not null,
      code ${type.text} not null unique, floor ${type.integer}, area ${type.number},
      opened ${type.date}, ${hallId('parent_id')});
    create table plan (id ${type.newId}, title ${type.text},
      hall_code ${type.text} unique references hall (code) on delete set null,
      draft_code ${type.text} references hall (code) on delete set null);
    create table person (id ${type.newId}, name ${type.text} not null, role ${type.enumeration} not null,
      active ${type.boolean}, ${hallId('hall_id')}, ${hallId('heads_id')}, unique (heads_id));
    create table tag (name ${type.text} not null primary key, label ${type.text},
      broader_name ${type.text} references tag (name) on delete set null);
    create table shelf (no ${type.id} not null, name ${type.text} not null, width ${type.integer}, ${hallId('hall_id')},
      beside_no ${type.id}, beside_name ${type.text}, primary key (no, name),
      foreign key (beside_no, beside_name) references shelf (no, name) on delete set null);
    create table shelf_tag (shelf_no ${type.id} not null, shelf_name ${type.text} not null,
      tag_name ${type.text} not null references tag (name) on delete cascade, primary key (shelf_no, shelf_name, tag_name),
      foreign key (shelf_no, shelf_name) references shelf (no, name) on delete cascade);
    create table item (id ${type.uuid} not null primary key, title ${type.text} not null,
      contact ${type.email}, link ${type.url}, small ${type.integer}, big ${type.integer64},
      huge_number ${type.integer64}, price numeric(12, 2), fee ${type.decimal},
      exact ${type.decimal}, ratio ${type.number}, sealed ${type.boolean}, lent ${type.boolean},
      made ${type.date}, found ${type.date}, seen ${type.datetime}, gone ${type.datetime},
      opens ${type.time}, closes ${type.time}, mark ${type.uuid}, state ${type.enumeration},
      before ${type.enumeration}, notes ${type.json}, scan ${type.bytes}, remark ${type.text},
      amount ${type.integer}, ${hallId('hall_id')}, ${hallId('origin_id')},
      ${personId('keeper_id')}, ${personId('expert_id')}, shelf_no ${type.id}, shelf_name ${type.text},
      foreign key (shelf_no, shelf_name) references shelf (no, name) on delete set null);
    create table item_tag (item_id ${type.uuid} not null references item (id) on delete cascade,
      tag_name ${type.text} not null references tag (name) on delete cascade,
      primary key (item_id, tag_name));
    create table item_like (item_id ${type.uuid} not null references item (id) on delete cascade,
      liked_id ${type.uuid} not null references item (id) on delete cascade,
      primary key (item_id, liked_id));
    create table person_tag (person_id ${type.id} not null references person (id) on delete cascade,
      tag_name ${type.text} not null references tag (name) on delete cascade,
      primary key (person_id, tag_name))`
}
