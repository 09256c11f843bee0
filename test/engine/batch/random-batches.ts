import type { Random } from '../../property/random-choices.ts'

/** The rows of the office, as plain objects: names by id, computers with their owners, and members. */
export interface Rows {
  readonly people: Map<string, { name: string; boss: string | null }>
  readonly computers: Map<string, { serial: string; owner: string | null }>
  /** Persons of the team 1. */
  readonly members: Set<string>
}

/** A resource of a batch: one that is stored, or one that an earlier operation creates. */
interface Target {
  readonly key: string
  readonly identifier: Readonly<{ type: string; id: string } | { type: string; lid: string }>
}

/** A random batch, and what it does to plain objects. */
interface RandomBatch {
  readonly operations: readonly Readonly<Record<string, unknown>>[]
  /** The rows after it; those before it if an operation fails. New rows have the key `new <index>` instead of an id. */
  readonly after: Rows
  /** The index of the operation that fails. */
  readonly failing: number | undefined
}

/** Copies rows. */
function copy({ people, computers, members }: Rows): Rows {
  const clone = <Row extends object>(rows: Map<string, Row>) =>
    new Map([...rows].map(([key, row]) => [key, { ...row }]))
  return { people: clone(people), computers: clone(computers), members: new Set(members) }
}

/** The largest number of operations. */
const most = 10

/** The local id of what an operation creates. Resources of two types may have the same. */
const localId = (type: string, index: number) =>
  String(type === 'person' ? index : most - 1 - index)

const createdKey = (index: number) => `new ${index}`

/** Makes a batch of up to ten operations, each of which sees what those before it did. */
export function makeBatch(before: Rows, random: Random, name: string): RandomBatch {
  const rows = copy(before)
  const operations: Readonly<Record<string, unknown>>[] = []
  const count = 1 + random.below(most)
  for (let index = 0; index < count; index += 1) {
    const make = random.pick(kinds)
    const { operation, isFailing = false } = make({ rows, random, index, name: `${name}.${index}` })
    operations.push(operation)
    if (isFailing) return { operations, after: copy(before), failing: index }
  }
  return { operations, after: rows, failing: undefined }
}

interface Making {
  readonly rows: Rows
  readonly random: Random
  readonly index: number
  readonly name: string
}

type Made = Readonly<{ operation: Readonly<Record<string, unknown>>; isFailing?: boolean }>

/** Names a resource: a new one by its local id, a stored one by its id. */
function identify(type: string, key: string): Target {
  const [, index] = /^new (\d+)$/.exec(key) ?? []
  return {
    key,
    identifier:
      index === undefined ? { type, id: key } : { type, lid: localId(type, Number(index)) },
  }
}

function pickPerson({ rows, random }: Making): Target | undefined {
  const keys = [...rows.people.keys()]
  return keys.length === 0 ? undefined : identify('person', random.pick(keys))
}

/** The target of an operation: `ref`, or for a stored resource perhaps `href`. */
function toTarget({ identifier }: Target, { random }: Making, relationship?: string): object {
  if ('id' in identifier && random.chance(0.4)) {
    const below = relationship === undefined ? '' : `/relationships/${relationship}`
    const path = identifier.type === 'person' ? 'persons' : 'computers'
    return { href: `/${path}/${identifier.id}${below}` }
  }
  return { ref: { ...identifier, ...(relationship !== undefined && { relationship }) } }
}

const addPerson = ({ rows, random, index, name }: Making): Made => {
  const lid = localId('person', index)
  const boss = random.chance(0.2) ? createdKey(index) : undefined
  const relationships = { boss: { data: { type: 'person', lid } } }
  rows.people.set(createdKey(index), { name, boss: boss ?? null })
  const data = { type: 'person', lid, attributes: { name }, ...(boss && { relationships }) }
  return { operation: { op: 'add', data } }
}

/** Every kind of operation. One without a resource to change adds a person. */
const kinds: readonly ((making: Making) => Made)[] = [
  addPerson,
  (making) => {
    const { rows, random, index, name } = making
    const owner = random.chance(0.7) ? pickPerson(making) : undefined
    rows.computers.set(createdKey(index), { serial: name, owner: owner?.key ?? null })
    const data = { type: 'computer', lid: localId('computer', index), attributes: { serial: name } }
    const relationships = { owner: { data: owner?.identifier ?? null } }
    return { operation: { op: 'add', data: { ...data, relationships } } }
  },
  (making) => {
    const [person, boss] = [pickPerson(making), pickPerson(making)]
    if (!person || !boss) return addPerson(making)
    const { name } = making
    making.rows.people.set(person.key, { name, boss: boss.key })
    const relationships = { boss: { data: boss.identifier } }
    const data = { ...person.identifier, attributes: { name }, relationships }
    const target = making.random.chance(0.5) ? toTarget(person, making) : {}
    return { operation: { op: 'update', ...target, data } }
  },
  (making) => {
    const person = pickPerson(making)
    if (!person) return addPerson(making)
    const { rows } = making
    const operation = { op: 'remove', ...toTarget(person, making) }
    // Its computers reference it.
    if ([...rows.computers.values()].some(({ owner }) => owner === person.key))
      return { operation, isFailing: true }
    rows.people.delete(person.key)
    rows.members.delete(person.key)
    for (const each of rows.people.values()) if (each.boss === person.key) each.boss = null
    return { operation }
  },
  (making) => {
    const { rows, random } = making
    const computers = [...rows.computers.keys()]
    const person = pickPerson(making)
    if (!person || computers.length === 0) return addPerson(making)
    const chosen = computers.filter(() => random.chance(0.4))
    const op = random.pick(['add', 'update', 'remove'] as const)
    for (const [key, computer] of rows.computers) {
      const isOwn = computer.owner === person.key
      if (op !== 'remove' && chosen.includes(key)) computer.owner = person.key
      else if (isOwn && (op === 'update' || (op === 'remove' && chosen.includes(key))))
        computer.owner = null
    }
    const data = chosen.map((key) => identify('computer', key).identifier)
    return { operation: { op, ...toTarget(person, making, 'computers'), data } }
  },
  (making) => {
    const { rows, random } = making
    const computers = [...rows.computers.keys()]
    const person = random.chance(0.8) ? pickPerson(making) : undefined
    if (computers.length === 0) return addPerson(making)
    const computer = identify('computer', random.pick(computers))
    const stored = rows.computers.get(computer.key)
    if (stored) stored.owner = person?.key ?? null
    const data = person?.identifier ?? null
    return { operation: { op: 'update', ...toTarget(computer, making, 'owner'), data } }
  },
  (making) => {
    const { rows, random } = making
    const chosen = [...rows.people.keys()].filter(() => random.chance(0.3))
    const op = random.pick(['add', 'update', 'remove'] as const)
    if (op === 'update') rows.members.clear()
    for (const key of chosen) op === 'remove' ? rows.members.delete(key) : rows.members.add(key)
    const ref = { type: 'team', id: '1', relationship: 'people' }
    return { operation: { op, ref, data: chosen.map((key) => identify('person', key).identifier) } }
  },
  (making) => {
    // Mostly there are no failing ones, or nothing would ever be stored.
    if (making.random.chance(0.8)) return addPerson(making)
    const ref = { type: making.random.pick(['person', 'computer']), id: '99999' }
    const data = { ...ref, attributes: {} }
    const operation = making.random.chance(0.5)
      ? { op: 'remove', ref }
      : { op: 'update', ref, data }
    return { operation, isFailing: true }
  },
]

/** Gives new rows their ids. @param ids - by the index of the operation */
export function withIds({ people, computers, members }: Rows, ids: readonly string[]): Rows {
  const rename = (key: string) => {
    const [, index] = /^new (\d+)$/.exec(key) ?? []
    return index === undefined ? key : String(ids[Number(index)])
  }
  const renameOrNull = (key: string | null) => (key === null ? null : rename(key))
  return {
    people: new Map(
      [...people].map(([key, row]) => [rename(key), { ...row, boss: renameOrNull(row.boss) }]),
    ),
    computers: new Map(
      [...computers].map(([key, row]) => [rename(key), { ...row, owner: renameOrNull(row.owner) }]),
    ),
    members: new Set([...members].map(rename)),
  }
}
