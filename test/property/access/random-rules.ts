import {
  type AuthValue,
  auth,
  type FieldRule,
  type LinkAccess,
  type ResourceAccess,
  type RowRule,
  type RuleFilter,
} from 'lapidary'
import { areDistributed } from '../../databases.ts'
import { actionNames, collectionActionNames } from './declared-calls.ts'
import type { Random } from './random.ts'
import {
  type Identity,
  nextOf,
  rankedAttributes,
  relationshipsOf,
  secrets,
  type Type,
  toId,
  types,
} from './schema.ts'
import { randomSqlRule } from './sql-rules.ts'

/** The rules of a type. */
export interface TypeRules {
  readonly access: ResourceAccess
  /** By the name of the field. */
  readonly readable: Readonly<Record<string, FieldRule>>
  readonly writable: Readonly<Record<string, FieldRule>>
  readonly filterable: Readonly<Record<string, FieldRule>>
  readonly sortable: Readonly<Record<string, FieldRule>>
  /** The rules for the links of relationships, by name. */
  readonly links: Readonly<Record<string, LinkAccess>>
  /** By the name of the action. */
  readonly callable: Readonly<Record<string, FieldRule>>
  /** The fields that only a create sets. */
  readonly immutable: readonly string[]
  /**
   * Whether `next` references a column that the attribute `ownNumber` shows, instead of the id, and `nextNumber` shows the key.
   */
  readonly isNumbered: boolean
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
    const drawRules = (some: readonly string[], probability: number) =>
      Object.fromEntries(random.some(some, probability).map((name) => [name, fieldRule(random)]))
    const { mixed: _, loud: __, ...writable } = drawRules(names, 0.15)
    const access = randomAccess(type, random)
    const fields = {
      readable: drawRules(names, 0.35),
      filterable: drawRules(rankedAttributes, 0.1),
      sortable: drawRules(rankedAttributes, 0.1),
    }
    const callable = drawRules([...actionNames, ...collectionActionNames], 0.25)
    const links = randomLinkRules(type, random)
    const others = { immutable: [], isNumbered: false }
    return [type, { access, ...fields, writable, callable, links, ...others }]
  })
  return Object.fromEntries(entries) as unknown as Rules
}

/** Makes fields of some scenarios immutable, and adds the attributes over keys to others. */
export function varyFields(rules: Rules, random: Random): Rules {
  const [hasImmutable, references] = [random.chance(0.5), random.chance(0.4)]
  // Keys that other tables reference have to be unique.
  const isNumbered = references && !areDistributed
  const entries = types.map((type): [Type, TypeRules] => {
    const immutable = hasImmutable ? random.some([...secrets, 'next'], 0.5) : []
    // Otherwise who may not read a field may not write it.
    const written = random.some(immutable, 0.3).map((name) => [name, true] as const)
    const writable = { ...rules[type].writable, ...Object.fromEntries(written) }
    const readable = {
      ...rules[type].readable,
      ...(isNumbered && { ownNumber: fieldRule(random) }),
    }
    return [type, { ...rules[type], readable, writable, immutable, isNumbered }]
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
    ...(random.chance(0.5) && { call: randomCallRule(type, random) }),
    ...(random.chance(0.5) && {
      anonymous: random.some(['read', 'update', 'create', 'call', 'link', 'unlink'] as const),
    }),
  }
}

/** A third of the relationships have a rule of their own to link, and a third to unlink. */
function randomLinkRules(type: Type, random: Random): TypeRules['links'] {
  const entries = Object.keys(relationshipsOf(type)).map((name): [string, LinkAccess] => [
    name,
    {
      ...(random.chance(0.35) && { link: randomRule(type, random, 1) }),
      ...(random.chance(0.35) && { unlink: randomRule(type, random, 1) }),
    },
  ])
  return Object.fromEntries(entries)
}

/** Half of the rules for calls are on rows, and forbid actions of the collection. */
function randomCallRule(type: Type, random: Random): RowRule {
  return random.chance(0.5) ? randomRule(type, random, 1) : isAbove(random.int(3))
}

/** Whether a rule is a condition on rows, or contains one. */
export function isOfRow(rule: RowRule | undefined): boolean {
  if (typeof rule !== 'object' || 'is' in rule) return false
  if ('any' in rule) return rule.any.some(isOfRow)
  return 'all' in rule ? rule.all.some(isOfRow) : true
}

function randomRule(type: Type, random: Random, depth: number): RowRule {
  if (depth > 0 && random.chance(0.45)) {
    const rules = [randomRule(type, random, depth - 1), randomRule(type, random, depth - 1)]
    return random.chance(0.6) ? { any: rules } : { all: rules }
  }
  if (random.chance(0.1)) return random.chance(0.7)
  if (random.chance(0.2)) return isAbove(random.int(3))
  if (random.chance(0.25)) return randomSqlRule(type, random)
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
