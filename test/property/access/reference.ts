import type {
  FieldRule,
  LinkAccess,
  LinkOperation,
  Operation,
  ResourceAccess,
  RowRule,
  RuleFilter,
} from 'lapidary'
import type { Rules } from './random-rules.ts'
import { type Identity, nextOf, previousOf, relationshipsOf, type Type, types } from './schema.ts'
import { readMeaning } from './sql-rules.ts'
import { type Data, linked, type Thing, type Truth } from './things.ts'

/** The operations of a type. */
type TypeOperation = Exclude<Operation, LinkOperation>

/**
 * An interpreter of access rules over plain objects. It shares no code with the engine: it evaluates the declarations themselves.
 */
export class Reference {
  readonly #rules: Rules
  readonly #identity: Identity | undefined

  constructor(rules: Rules, identity: Identity | undefined) {
    this.#rules = rules
    this.#identity = identity
  }

  /** Whether a rule allows an operation on a row. */
  allows(operation: TypeOperation, type: Type, thing: Thing, data: Data): boolean {
    const { access } = this.#rules[type]
    if (this.#identity === undefined && !access.anonymous?.includes(operation)) return false
    const rule = access[operation]
    return rule === undefined || this.#holds(rule, type, thing, data)
  }

  /** Whether the rules refuse an operation on every row, whatever is stored. */
  isNever(operation: TypeOperation, type: Type): boolean {
    const { access } = this.#rules[type]
    if (this.#identity === undefined && !access.anonymous?.includes(operation)) return true
    const rule = access[operation]
    return rule !== undefined && this.#isNeverTrue(rule)
  }

  #isNeverTrue(rule: RowRule<never>): boolean {
    if (typeof rule === 'boolean') return !rule
    if (typeof rule === 'function' || 'is' in rule) return !this.#decides(rule as FieldRule)
    if ('any' in rule) return rule.any.every((each) => this.#isNeverTrue(each))
    if ('all' in rule) return rule.all.some((each) => this.#isNeverTrue(each))
    const needsIdentity =
      'sql' in rule ? readMeaning(rule).usesIdentity : rule.filter.some(usesIdentity)
    return needsIdentity && this.#identity === undefined
  }

  /** Whether the declaration of a type closes it for all writes, so that it is read-only. */
  isNeverWritten(type: Type): boolean {
    const { create, update, delete: remove } = this.#rules[type].access
    return create === false && update === false && remove === false
  }

  canRead(type: Type, thing: Thing, data: Data): boolean {
    return this.allows('read', type, thing, data)
  }

  /** Whether the identity may read a field. */
  isVisible(type: Type, name: string): boolean {
    const { readable } = this.#rules[type]
    if (name === 'nextNumber') return this.#isNextNumberVisible(type)
    if (name === 'ownNumber' && !this.#rules[type].isNumbered) return false
    const own = readable[name]
    if (own !== undefined) return this.#decides(own)
    const { [name]: relationship } = relationshipsOf(type)
    if (relationship) {
      const other = this.#rules[relationship.to].readable[relationship.inverse]
      return other === undefined || this.#decides(other)
    }
    const source = { mixed: 'secret', loud: 'note' }[name]
    return source === undefined || this.isVisible(type, source)
  }

  /** An attribute over a key shows the relationship of either side, and the column that the key references. */
  #isNextNumberVisible(type: Type): boolean {
    const [own, other] = [this.#rules[type], this.#rules[nextOf[type]]]
    const rules = [own.readable.next, other.readable.previous, other.readable.ownNumber]
    return own.isNumbered && rules.every((rule) => this.#decides(rule ?? true))
  }

  /** Whether no update may change a field: it is immutable, or a relationship whose other side is. */
  isFixed(type: Type, name: string): boolean {
    const isNextFixed = (of: Type) => this.#rules[of].immutable.includes('next')
    return name === 'previous'
      ? isNextFixed(previousOf[type])
      : this.#rules[type].immutable.includes(name)
  }

  /** Whether the identity may filter by an attribute, or sort by it. */
  isRanked(right: 'filterable' | 'sortable', type: Type, name: string): boolean {
    return this.isVisible(type, name) && this.#decides(this.#rules[type][right][name] ?? true)
  }

  /** Whether the identity may call an action, of rows for which the rule `call` holds. */
  isCallable(type: Type, action: string): boolean {
    return this.#decides(this.#rules[type].callable[action] ?? true)
  }

  /** The rule for actions of a type. */
  callRule(type: Type): RowRule | undefined {
    return this.#rules[type].access.call
  }

  /** The rule of a relationship for its links; `undefined` without one. */
  linkRule(operation: LinkOperation, type: Type, name: string): RowRule<never> | undefined {
    return this.#rules[type].links[name]?.[operation]
  }

  /** Whether the rule of a relationship allows to link or unlink a row; true without one. */
  allowsLink(
    operation: LinkOperation,
    type: Type,
    name: string,
    thing: Thing,
    data: Data,
  ): boolean {
    const rule = this.linkRule(operation, type, name)
    if (rule === undefined) return true
    return this.#isLinkUsed(operation, type) && this.#holds(rule, type, thing, data)
  }

  /** Whether the rule of a relationship refuses to link or unlink every row. */
  isNeverLinked(operation: LinkOperation, type: Type, name: string): boolean {
    const rule = this.linkRule(operation, type, name)
    return rule !== undefined && (!this.#isLinkUsed(operation, type) || this.#isNeverTrue(rule))
  }

  #isLinkUsed(operation: LinkOperation, type: Type): boolean {
    return (
      this.#identity !== undefined ||
      (this.#rules[type].access.anonymous?.includes(operation) ?? false)
    )
  }

  /** Whether the identity may write a field. A relationship may be written from its own side, or from the other. */
  isWritable(type: Type, name: string): boolean {
    const { [name]: relationship } = relationshipsOf(type)
    if (relationship === undefined) return this.#decides(this.#ownWritable(type, name) ?? true)
    const { to, inverse } = relationship
    return [
      [type, name],
      [to, inverse],
    ].some(
      ([from, side]) =>
        this.isVisible(from as Type, side ?? '') && this.isLinkWritable(from as Type, side ?? ''),
    )
  }

  /** Whether the rules of fields let the identity write a relationship: its own, or those of both sides. */
  isLinkWritable(type: Type, name: string): boolean {
    const own = this.#ownWritable(type, name)
    if (this.#rules[type].writable[name] !== undefined) return this.#decides(own ?? true)
    const { [name]: relationship } = relationshipsOf(type)
    if (relationship === undefined) return false
    const { readable, writable } = this.#rules[relationship.to]
    // Who may not read one side must not write it from the other.
    const others = [readable, writable].map((rules) => rules[relationship.inverse] ?? true)
    return [own ?? true, ...others].every((rule) => this.#decides(rule))
  }

  /** The own rule for writes of a field: without one, that for reads. */
  #ownWritable(type: Type, name: string): FieldRule | undefined {
    const { readable, writable } = this.#rules[type]
    return writable[name] ?? readable[name]
  }

  /** The result of each condition of the rules of a type for a row: writes may combine them otherwise than reads. */
  results(type: Type, thing: Thing, data: Data): unknown {
    const resultsOf = (rule: RowRule<never> | undefined): unknown => {
      if (typeof rule !== 'object' || 'is' in rule) return undefined
      if ('any' in rule) return rule.any.map(resultsOf)
      return 'all' in rule ? rule.all.map(resultsOf) : this.#holds(rule, type, thing, data)
    }
    const { read, create, update, delete: remove, call }: ResourceAccess = this.#rules[type].access
    const ofLinks = Object.values<LinkAccess>(this.#rules[type].links)
    return [read, create, update, remove, call]
      .map(resultsOf)
      .concat(ofLinks.flatMap(({ link, unlink }) => [resultsOf(link), resultsOf(unlink)]))
  }

  #decides(rule: FieldRule): boolean {
    if (typeof rule === 'boolean') return rule
    if (this.#identity === undefined) return false
    const decide = typeof rule === 'function' ? rule : rule.compute
    return (decide as (identity: Identity) => boolean)(this.#identity)
  }

  #holds(rule: RowRule<never>, type: Type, thing: Thing, data: Data): boolean {
    if (typeof rule === 'boolean') return rule
    if (typeof rule === 'function' || 'is' in rule) return this.#decides(rule as FieldRule)
    if ('any' in rule) return rule.any.some((each) => this.#holds(each, type, thing, data))
    if ('all' in rule) return rule.all.every((each) => this.#holds(each, type, thing, data))
    if ('sql' in rule) {
      const { usesIdentity: needsIdentity, holds } = readMeaning(rule)
      const identity = this.#identity
      if (needsIdentity && identity === undefined) return false
      return holds({ type, thing, data, identity }) === true
    }
    if (this.#identity === undefined && rule.filter.some(usesIdentity)) return false
    return rule.filter.every((filter) => this.#matches(filter, type, thing, data) === true)
  }

  #matches(filter: RuleFilter, type: Type, thing: Thing, data: Data): Truth {
    if ('not' in filter) {
      const inner = this.#matches(filter.not, type, thing, data)
      return inner === undefined ? undefined : !inner
    }
    if (!('val' in filter)) throw new Error('The scenarios have no such filter.')
    const { name, op, val } = filter
    const [first = '', rest] = name.split('__')
    if (first === 'place') return compare(thing.place?.word ?? null, op, this.#value(val))
    if (rest !== undefined)
      return linked(type, thing, first, data).some(
        ([other, row]) => this.#matches({ name: rest, op, val }, other, row, data) === true,
      )
    return compare(Reflect.get(thing, first), op, this.#value(val))
  }

  #value(value: unknown): unknown {
    const isDeferred = typeof value === 'object' && value !== null && 'compute' in value
    if (!isDeferred) return value
    return (value.compute as (identity: Identity | undefined) => unknown)(this.#identity)
  }
}

function usesIdentity(filter: RuleFilter): boolean {
  if ('not' in filter) return usesIdentity(filter.not)
  return 'val' in filter && typeof filter.val === 'object' && filter.val !== null
}

function compare(
  stored: string | number | readonly string[] | null,
  op: string,
  value: unknown,
): Truth {
  if (stored === null || value === null || value === undefined) return undefined
  switch (op) {
    case 'eq':
      return String(stored) === String(value)
    case 'ne':
      return String(stored) !== String(value)
    case 'gt':
      return Number(stored) > Number(value)
    case 'le':
      return Number(stored) <= Number(value)
    case 'contains':
    case 'overlaps': {
      const has = (each: unknown) => (stored as readonly unknown[]).includes(each)
      const listed = value as readonly unknown[]
      return op === 'contains' ? listed.every(has) : listed.some(has)
    }
    case 'in_':
      return (value as readonly unknown[]).some((each) => String(each) === String(stored))
    default:
      throw new Error(`The scenarios have no operator ${op}.`)
  }
}

/** A resource as an identity may see it. */
interface SeenThing {
  readonly id: string
  /** The visible attributes, by name. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The ids of visible related resources, by the name of the visible relationship. */
  readonly linkage: Readonly<Record<string, readonly string[]>>
}

/** Orders ids by their numbers. */
export function compareIds(one: string, other: string): number {
  const [left, right] = [one, other].map((id) => id.split(',').map(Number))
  const differences = (left ?? []).map((part, index) => part - (right?.[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

/** Everything that an identity may see of some data. */
export function see(
  reference: Reference,
  data: Data,
): Readonly<Record<Type, readonly SeenThing[]>> {
  const entries = types.map((type) => {
    const rows = [...data.things[type].values()]
      .filter((thing) => reference.canRead(type, thing, data))
      .sort((one, other) => compareIds(one.id, other.id))
    return [type, rows.map((thing) => seeThing(reference, type, thing, data))]
  })
  return Object.fromEntries(entries)
}

/** The last column of an id. */
function toNumber(id: string): number {
  return Number(id.split(',').at(-1))
}

function seeThing(reference: Reference, type: Type, thing: Thing, data: Data): SeenThing {
  const { id, next, ...stored } = thing
  const { name, note, secret } = stored
  const all = {
    ...stored,
    mixed: `${name} ${secret}`,
    loud: note === null ? null : note.toUpperCase(),
    ownNumber: toNumber(id),
    nextNumber: next === null ? null : toNumber(next),
  }
  const attributes = Object.entries(all).filter(([field]) => reference.isVisible(type, field))
  const linkage = Object.keys(relationshipsOf(type))
    .filter((field) => reference.isVisible(type, field))
    .map((field) => {
      const ids = linked(type, thing, field, data)
        .filter(([other, row]) => reference.canRead(other, row, data))
        .map(([, row]) => row.id)
      return [field, ids.sort(compareIds)] as const
    })
  return { id, attributes: Object.fromEntries(attributes), linkage: Object.fromEntries(linkage) }
}

/** The keys of a row that reference rows which do not exist. The engine finds a row by such a key. */
function listDangling(type: Type, { id, next }: Thing, { things, fans }: Data): string[] {
  const keys = next === null || things[nextOf[type]].has(next) ? [] : [next]
  const [own, other, position] =
    type === 'red' ? ([0, 1, 'green'] as const) : ([1, 0, 'red'] as const)
  const pairs = [...fans].filter((pair) => {
    const ends = pair.split(' ')
    return type !== 'blue' && ends[own] === id && !things[position].has(ends[other] ?? '')
  })
  return [...keys, ...pairs.sort()]
}

/** Everything on which the responses to an identity may depend. */
export function summarize(reference: Reference, data: Data): string {
  const results = types.map((type) =>
    [...data.things[type].values()]
      .filter((thing) => reference.canRead(type, thing, data))
      .map((thing) => {
        const dangling = listDangling(type, thing, data)
        return [thing.id, reference.results(type, thing, data), dangling] as const
      })
      .sort(([one], [other]) => compareIds(one, other)),
  )
  return JSON.stringify([see(reference, data), results])
}
