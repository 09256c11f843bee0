import {
  type AuthValue,
  array,
  attribute,
  auth,
  computed,
  defineModel,
  expression,
  type FieldRule,
  integer,
  json,
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
/** The attributes that a scenario may hide: texts, an array, and JSON with a path. */
export const secrets = ['note', 'secret', 'tags', 'info'] as const

/**
 * Returns the id of a row of a type. The ids of blue things are composite: two columns, the first of which several rows share.
 * @param number - the second column, or the only one
 */
export function toId(type: Type, number: string): string {
  return type === 'blue' ? `${Number(number) % 2},${number}` : number
}

/** The ids that a client may give to new blue things. No data has them. */
export const newIds = ['0,50', '1,51', '0,52', '1,53', '0,54', '1,55'] as const

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
const wordsOf = auth((identity: Identity) => [identity.word])
const friendsOf = (type: Type) =>
  auth((identity: Identity) => identity.friends.map((id) => toId(type, id)))
const friends: Readonly<Record<Type, AuthValue>> = {
  red: friendsOf('red'),
  green: friendsOf('green'),
  blue: friendsOf('blue'),
}

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
    { name: 'id', op: 'in_', val: friends[type] },
    { name: 'next__id', op: 'in_', val: friends[nextOf[type]] },
    { name: 'place__word', op: random.pick(['eq', 'ne']), val: wordOf },
    { name: 'marks', op: random.pick(['contains', 'overlaps']), val: wordsOf },
    ...(type === 'blue'
      ? []
      : [{ name: type === 'red' ? 'fans__id' : 'stars__id', op: 'eq', val: idOf }]),
  ]
  const leaf = random.pick(leaves)
  return random.chance(0.15) ? { not: leaf } : leaf
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
      ...(type === 'blue' && {
        id: { column: ['part', 'number'], kind: [integer, integer], client: 'required' },
      }),
      fields: {
        name: attribute(text),
        rank: attribute(integer),
        note: attribute(text, ruled('note')),
        secret: attribute(text, ruled('secret')),
        place: attribute(json, { paths: { word: text } }),
        marks: attribute(array(text)),
        tags: attribute(array(text), ruled('tags')),
        info: attribute(json, { paths: { 'place.word': text }, ...ruled('info') }),
        mixed: computed(
          text,
          { name: text, secret: text },
          ({ name, secret }) => `${name} ${secret}`,
          readMixed,
        ),
        loud: expression(text, (column) => sql`upper(${column('note')})`, readLoud),
        next: toOne(nextOf[type], { column: [...nextColumns(type)], ...ruled('next') }),
        previous: toMany(previousOf[type], {
          column: [...nextColumns(previousOf[type])],
          count: true,
          ...ruled('previous'),
        }),
        ...joined,
      },
    })
  })
  return defineModel(resources as never, {
    ...{ pageSize: 4, maxPageSize: null, clientIds: 'forbid' },
  }) as Model
}

/** The columns of the key that references a thing of the next type. */
export function nextColumns(type: Type): readonly [string, ...string[]] {
  return nextOf[type] === 'blue' ? ['next_part', 'next_id'] : ['next_id']
}

/** The tables. Generated ids do not depend on the rows that exist. */
export function createTables({ newId }: ColumnTypes): string {
  const isPostgres = !newId.startsWith('integer')
  const generated = newId.replace('integer primary key', 'integer primary key autoincrement')
  const [list, object] = isPostgres ? ['text[]', 'jsonb'] : ['text', 'text']
  const things = types.map((type) => {
    const isBlue = type === 'blue'
    const id = isBlue ? 'part bigint not null, number bigint not null' : `id ${generated}`
    const keys = nextColumns(type).map((column) => `${column} bigint`)
    return `
      create table ${type} (${id}, name text, rank integer, note text, secret text, place ${object}, marks ${list},
        tags ${list}, info ${object}, ${keys.join(', ')}${isBlue ? ', primary key (part, number)' : ''});
      create index ${type}_next on ${type} (${nextColumns(type).join(', ')});`
  })
  return `${things.join('')} create table fan (red_id bigint not null, green_id bigint not null, primary key (red_id, green_id));
    create index fan_green on fan (green_id);`
}
