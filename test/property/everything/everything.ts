/**
 * The schema of the museum for the reference. It repeats the declarations by hand, so that the reference does not depend on the
 * engine.
 */

import type {
  AttributeDescription,
  RelationshipDescription,
  Row,
  Schema,
  TableDescription,
} from '../schema.ts'
import { roles, states } from './declared-museum.ts'
import { cell, tableRows } from './rows.ts'

type Attributes = Readonly<Record<string, AttributeDescription>>

/** A to-one relationship with a foreign key in the type's own table. */
function withOwnKey(to: string, column: string, otherKey: string): RelationshipDescription {
  return { to, many: false, link: { foreignKey: 'own', ownKey: column, otherKey } }
}

/** A relationship with a foreign key in the other table. */
function withOtherKey(
  to: string,
  column: string,
  ownKey: string,
  many: 'one' | 'many',
): RelationshipDescription {
  const isCounted = many === 'many'
  const link = { foreignKey: 'other', ownKey, otherKey: column } as const
  return { to, many: isCounted, isCounted, link }
}

function withJoinTable(
  to: string,
  [ownKey, from]: readonly [ownKey: string, from: string],
  joinTable: string,
  [toColumn, otherKey]: readonly [toColumn: string, otherKey: string],
): RelationshipDescription {
  return {
    to,
    many: true,
    isCounted: true,
    link: { foreignKey: 'join table', ownKey, otherKey, joinTable, from, to: toColumn },
  }
}

const amountOfMoney: AttributeDescription = { kind: 'decimal', scale: 2 }
const state: AttributeDescription = { kind: 'enumeration', values: states }

const itemAttributes: Attributes = {
  title: { kind: 'text', required: true },
  contact: { kind: 'email' },
  link: { kind: 'url' },
  small: { kind: 'integer' },
  big: { kind: 'integer64' },
  huge: { kind: 'integer64', column: 'huge_number', largeValuesAs: 'string' },
  price: amountOfMoney,
  fee: amountOfMoney,
  exact: { kind: 'decimal' },
  ratio: { kind: 'number' },
  sealed: { kind: 'boolean' },
  lent: { kind: 'boolean' },
  made: { kind: 'date' },
  found: { kind: 'date' },
  seen: { kind: 'datetime' },
  gone: { kind: 'datetime' },
  opens: { kind: 'time' },
  closes: { kind: 'time' },
  mark: { kind: 'uuid' },
  state,
  before: state,
  notes: { kind: 'json' },
  scan: { kind: 'bytes' },
  remark: { kind: 'text', access: 'write-only' },
  twice: { kind: 'integer', access: 'read-only', of: twice },
  amount: { kind: 'integer', range: 1000 },
  label: { kind: 'text', access: 'read-only', of: label },
}

function twice(row: Row): bigint | null {
  const amount = cell(row, 'amount')
  return amount === null ? null : BigInt(String(amount)) * 2n
}

function label(row: Row): string {
  return String(cell(row, 'contact') ?? cell(row, 'title'))
}

const references = (table: string, column: string) =>
  ({ table, column, onDelete: 'set null' }) as const
const belongsTo = (table: string, column: string) =>
  ({ table, column, onDelete: 'cascade' }) as const
const hallKey = references('hall', 'hall_no')

const tables: Readonly<Record<string, TableDescription>> = {
  hall: { unique: ['code'], references: { parent_id: hallKey } },
  plan: {
    unique: ['hall_code'],
    references: { hall_code: references('hall', 'code'), draft_code: references('hall', 'code') },
  },
  person: { unique: ['heads_id'], references: { hall_id: hallKey, heads_id: hallKey } },
  tag: { references: { broader_name: references('tag', 'name') } },
  shelf: { references: { hall_id: hallKey, beside_key: references('shelf', 'key') } },
  shelf_tag: {
    references: { shelf_key: belongsTo('shelf', 'key'), tag_name: belongsTo('tag', 'name') },
  },
  item: {
    references: {
      hall_id: hallKey,
      origin_id: hallKey,
      keeper_id: references('person', 'id'),
      expert_id: references('person', 'id'),
      shelf_key: references('shelf', 'key'),
    },
  },
  item_tag: {
    references: { item_id: belongsTo('item', 'id'), tag_name: belongsTo('tag', 'name') },
  },
  item_like: {
    references: { item_id: belongsTo('item', 'id'), liked_id: belongsTo('item', 'id') },
  },
  person_tag: {
    references: { person_id: belongsTo('person', 'id'), tag_name: belongsTo('tag', 'name') },
  },
}

/** The museum. */
export const everything: Schema = {
  types: {
    hall: {
      path: '/halls',
      table: 'hall',
      id: { column: 'hall_no', kind: 'id' },
      attributes: {
        name: { kind: 'text', required: true },
        code: { kind: 'text', required: true, access: 'immutable' },
        floor: { kind: 'integer' },
        area: { kind: 'number' },
        opened: { kind: 'date' },
        item_count: {
          kind: 'integer',
          access: 'read-only',
          of: (row, data) => {
            const items = tableRows(data, 'item')
            return BigInt(items.filter((item) => item.hall_id === row.hall_no).length)
          },
        },
      },
      relationships: {
        parent: withOwnKey('hall', 'parent_id', 'hall_no'),
        children: withOtherKey('hall', 'parent_id', 'hall_no', 'many'),
        items: withOtherKey('item', 'hall_id', 'hall_no', 'many'),
        shelves: withOtherKey('shelf', 'hall_id', 'hall_no', 'many'),
        loans: withOtherKey('item', 'origin_id', 'hall_no', 'many'),
        plan: withOtherKey('plan', 'hall_code', 'code', 'one'),
        drafts: withOtherKey('plan', 'draft_code', 'code', 'many'),
        head: withOtherKey('guide', 'heads_id', 'hall_no', 'one'),
        guides: withOtherKey('guide', 'hall_id', 'hall_no', 'many'),
        staff: withOtherKey('staff', 'hall_id', 'hall_no', 'many'),
      },
    },
    item: {
      path: '/items',
      table: 'item',
      id: { column: 'id', kind: 'uuid', client: 'optional' },
      attributes: itemAttributes,
      relationships: {
        hall: withOwnKey('hall', 'hall_id', 'hall_no'),
        origin: withOwnKey('hall', 'origin_id', 'hall_no'),
        shelf: withOwnKey('shelf', 'shelf_key', 'key'),
        keeper: withOwnKey('staff', 'keeper_id', 'id'),
        keeping_guide: { ...withOwnKey('guide', 'keeper_id', 'id'), access: 'read-only' },
        expert: withOwnKey('guide', 'expert_id', 'id'),
        tags: withJoinTable('tag', ['id', 'item_id'], 'item_tag', ['tag_name', 'name']),
        likes: withJoinTable('item', ['id', 'item_id'], 'item_like', ['liked_id', 'id']),
        liked_by: withJoinTable('item', ['id', 'liked_id'], 'item_like', ['item_id', 'id']),
      },
    },
    tag: {
      path: '/tags',
      table: 'tag',
      id: { column: 'name', kind: 'text', client: 'required' },
      attributes: { label: { kind: 'text' } },
      relationships: {
        items: withJoinTable('item', ['name', 'tag_name'], 'item_tag', ['item_id', 'id']),
        guides: withJoinTable('guide', ['name', 'tag_name'], 'person_tag', ['person_id', 'id']),
        broader: withOwnKey('tag', 'broader_name', 'name'),
        narrower: withOtherKey('tag', 'broader_name', 'name', 'many'),
        shelves: withJoinTable('shelf', ['name', 'tag_name'], 'shelf_tag', ['shelf_key', 'key']),
      },
    },
    shelf: {
      path: '/shelves',
      table: 'shelf',
      id: { column: 'key', kind: 'key', client: 'required' },
      attributes: { width: { kind: 'integer' } },
      relationships: {
        hall: withOwnKey('hall', 'hall_id', 'hall_no'),
        items: withOtherKey('item', 'shelf_key', 'key', 'many'),
        beside: withOwnKey('shelf', 'beside_key', 'key'),
        neighbours: withOtherKey('shelf', 'beside_key', 'key', 'many'),
        tags: withJoinTable('tag', ['key', 'shelf_key'], 'shelf_tag', ['tag_name', 'name']),
      },
    },
    plan: {
      path: '/plans',
      table: 'plan',
      id: { column: 'id', kind: 'id' },
      attributes: { title: { kind: 'text' } },
      relationships: {
        hall: withOwnKey('hall', 'hall_code', 'code'),
        draft_of: withOwnKey('hall', 'draft_code', 'code'),
      },
    },
    staff: {
      path: '/staff',
      table: 'person',
      id: { column: 'id', kind: 'id' },
      attributes: {
        name: { kind: 'text', required: true },
        role: { kind: 'enumeration', values: roles, required: true },
        active: { kind: 'boolean' },
      },
      relationships: {
        hall: withOwnKey('hall', 'hall_id', 'hall_no'),
        heads: withOwnKey('hall', 'heads_id', 'hall_no'),
        keeps: withOtherKey('item', 'keeper_id', 'id', 'many'),
        tags: withJoinTable('tag', ['id', 'person_id'], 'person_tag', ['tag_name', 'name']),
      },
    },
    guide: {
      path: '/guides',
      table: 'person',
      id: { column: 'id', kind: 'id' },
      scope: (row) => row.role === 'guide' && row.active !== false,
      insertDefaults: { role: 'guide' },
      attributes: {
        name: { kind: 'text', required: true },
        active: { kind: 'boolean' },
      },
      relationships: {
        hall: withOwnKey('hall', 'hall_id', 'hall_no'),
        heads: withOwnKey('hall', 'heads_id', 'hall_no'),
        knows: withOtherKey('item', 'expert_id', 'id', 'many'),
        keeps: { ...withOtherKey('item', 'keeper_id', 'id', 'many'), access: 'read-only' },
        tags: withJoinTable('tag', ['id', 'person_id'], 'person_tag', ['tag_name', 'name']),
      },
    },
  },
  tables,
}
