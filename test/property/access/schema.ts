import {
  attribute,
  auth,
  computed,
  defineModel,
  expression,
  type FieldRule,
  integer,
  type Model,
  type ResourceAccess,
  type RowRule,
  type RuleFilter,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { Random } from './random.ts'

/** An identity. */
export interface Identity {
  readonly id: string
  readonly level: number
  readonly word: string
  readonly friends: readonly string[]
}

/** The resource types. A thing of one type references one of the next, and the first two have a join table. */
export const types = ['red', 'green', 'blue'] as const
/** The name of a resource type. */
export type Type = (typeof types)[number]
/** The type that a type references. */
export const nextOf: Readonly<Record<Type, Type>> = { red: 'green', green: 'blue', blue: 'red' }
/** The type that references a type. */
export const previousOf: Readonly<Record<Type, Type>> = { green: 'red', blue: 'green', red: 'blue' }

/** The words that attributes have. */
export const words = ['ash', 'birch', 'cedar'] as const
/** The attributes that a scenario may hide. */
export const secrets = ['note', 'secret'] as const

/** A relationship: the related type, and whether it has many members. */
export interface Relationship {
  readonly to: Type
  readonly many: boolean
  /** The relationship of the other side. */
  readonly inverse: string
}

/** The relationships of a type, by name. */
export function relationshipsOf(type: Type): Readonly<Record<string, Relationship>> {
  return {
    next: { to: nextOf[type], many: false, inverse: 'previous' },
    previous: { to: previousOf[type], many: true, inverse: 'next' },
    ...(type === 'red' && { fans: { to: 'green', many: true, inverse: 'stars' } }),
    ...(type === 'green' && { stars: { to: 'red', many: true, inverse: 'fans' } }),
  }
}

/** The rules of a type. */
export interface TypeRules {
  readonly access: ResourceAccess
  /** By the name of the field. */
  readonly readable: Readonly<Record<string, FieldRule>>
  readonly writable: Readonly<Record<string, FieldRule>>
}

/** The rules of a scenario, by type. */
export type Rules = Readonly<Record<Type, TypeRules>>

const isAbove = (level: number) => auth((identity: Identity) => identity.level > level)
const idOf = auth((identity: Identity) => identity.id)
const levelOf = auth((identity: Identity) => identity.level)
const wordOf = auth((identity: Identity) => identity.word)
const friendsOf = auth((identity: Identity) => identity.friends)

/** Random rules. The conditions of rules name no attribute that a rule may hide. */
export function randomRules(random: Random): Rules {
  const entries = types.map((type): [Type, TypeRules] => {
    const names = [...secrets, 'mixed', 'loud', ...Object.keys(relationshipsOf(type))]
    const fieldRules = (probability: number) =>
      Object.fromEntries(random.some(names, probability).map((name) => [name, fieldRule(random)]))
    const { mixed: _, loud: __, ...writable } = fieldRules(0.15)
    return [type, { access: randomAccess(type, random), readable: fieldRules(0.35), writable }]
  })
  return Object.fromEntries(entries) as unknown as Rules
}

function fieldRule(random: Random): FieldRule {
  return random.pick([false, true, isAbove(0), isAbove(1), isAbove(2)])
}

function randomAccess(type: Type, random: Random): ResourceAccess {
  return {
    read: randomRule(type, random, 2),
    ...(random.chance(0.6) && { create: randomRule(type, random, 1) }),
    ...(random.chance(0.7) && { update: randomRule(type, random, 2) }),
    ...(random.chance(0.6) && { delete: randomRule(type, random, 1) }),
    ...(random.chance(0.4) && { relate: randomRule(type, random, 1) }),
    ...(random.chance(0.5) && { anonymous: random.some(['read', 'update', 'create'] as const) }),
  }
}

function randomRule(type: Type, random: Random, depth: number): RowRule {
  if (depth > 0 && random.chance(0.45)) {
    const rules = [randomRule(type, random, depth - 1), randomRule(type, random, depth - 1)]
    return random.chance(0.6) ? { any: rules } : { all: rules }
  }
  if (random.chance(0.1)) return random.chance(0.7)
  if (random.chance(0.2)) return isAbove(random.int(3))
  return { filter: [randomLeaf(type, random)] }
}

function randomLeaf(type: Type, random: Random): RuleFilter {
  const leaves: readonly RuleFilter[] = [
    { name: 'rank', op: random.pick(['gt', 'le']), val: random.chance(0.5) ? levelOf : 2 },
    { name: 'name', op: random.pick(['eq', 'ne']), val: random.chance(0.5) ? wordOf : 'ash' },
    { name: 'id', op: random.pick(['eq', 'in_', 'in_']), val: friendsOf },
    { name: 'next__id', op: 'in_', val: friendsOf },
    ...(type === 'blue'
      ? []
      : [{ name: type === 'red' ? 'fans__id' : 'stars__id', op: 'eq', val: idOf }]),
  ]
  const leaf = random.pick(leaves)
  const fixed =
    'op' in leaf && leaf.op === 'eq' && leaf.name === 'id' ? { ...leaf, val: idOf } : leaf
  return random.chance(0.15) ? { not: fixed } : fixed
}

/** Declares the model of some rules. */
export function declareModel(rules: Rules): Model {
  const resources = types.map((type) => {
    const { access, readable, writable } = rules[type]
    const ruled = (name: string) => ({
      ...(readable[name] !== undefined && { readable: readable[name] }),
      ...(writable[name] !== undefined && { writable: writable[name] }),
    })
    const { writable: _, ...readLoud } = ruled('loud')
    const { writable: __, ...readMixed } = ruled('mixed')
    const joined = {
      ...(type === 'red' && {
        fans: toMany('green', {
          ...{ through: { table: 'fan', from: 'red_id', to: 'green_id' } },
          ...ruled('fans'),
        }),
      }),
      ...(type === 'green' && {
        stars: toMany('red', {
          ...{ through: { table: 'fan', from: 'green_id', to: 'red_id' } },
          ...ruled('stars'),
        }),
      }),
    }
    return resource(type, {
      ...{ path: `/${type}`, table: type, access },
      fields: {
        name: attribute(text),
        rank: attribute(integer),
        note: attribute(text, ruled('note')),
        secret: attribute(text, ruled('secret')),
        mixed: computed(
          text,
          { name: text, secret: text },
          ({ name, secret }) => `${name} ${secret}`,
          readMixed,
        ),
        loud: expression(text, (column) => sql`upper(${column('note')})`, readLoud),
        next: toOne(nextOf[type], { column: 'next_id', ...ruled('next') }),
        previous: toMany(previousOf[type], {
          column: 'next_id',
          count: true,
          ...ruled('previous'),
        }),
        ...joined,
      },
    })
  })
  return defineModel(resources as never, { pageSize: 4, clientIds: 'forbid' }) as Model
}

/** The tables. Generated ids do not depend on the rows that exist. */
export function createTables({ newId }: ColumnTypes): string {
  const id = newId.replace('integer primary key', 'integer primary key autoincrement')
  const things = types.map(
    (type) => `
      create table ${type} (id ${id}, name text, rank integer, note text, secret text, next_id bigint);
      create index ${type}_next on ${type} (next_id);`,
  )
  return `${things.join('')} create table fan (red_id bigint not null, green_id bigint not null, primary key (red_id, green_id));
    create index fan_green on fan (green_id);`
}
