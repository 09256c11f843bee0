import type { Random } from './random.ts'
import { type Reference, summarize } from './reference.ts'
import {
  idColumns,
  nextColumns,
  nextOf,
  ownTenant,
  type Type,
  toId,
  types,
  words,
} from './schema.ts'
import type { Data, Thing } from './things.ts'

/** The numbers of rows, of which their ids consist. The last one always exists, so that the next generated id is known. */
const ids = ['1', '2', '3', '4', '5', '6', '7']
const lastId = '20'

/** Creates random rows. */
export function randomData(random: Random): Data {
  const things = types.map((type) => {
    const rows = [...random.some(ids, 0.75), lastId].map((id) => randomThing(type, id, random))
    return [type, new Map(rows.map((row) => [row.id, row]))]
  })
  const pairs = ids.flatMap((red) => ids.map((green) => `${red} ${green}`))
  return { things: Object.fromEntries(things), fans: new Set(random.some(pairs, 0.2)) }
}

/** Creates a random row. @param number - that of its id */
export function randomThing(type: Type, number: string, random: Random): Thing {
  const word = () => (random.chance(0.15) ? null : random.pick(words))
  const list = () => (random.chance(0.15) ? null : random.some(words))
  const place = () => (random.chance(0.15) ? null : { word: word() })
  const rank = random.chance(0.1) ? null : random.int(5)
  const next = random.chance(0.2) ? null : toId(nextOf[type], random.pick([...ids, '99']))
  const inner = place()
  return {
    ...{ id: toId(type, number), name: word(), rank, note: word(), secret: word() },
    ...{ place: place(), marks: list(), tags: list(), info: inner && { place: inner }, next },
  }
}

/**
 * Changes a copy of data in what an identity may not see: rows that it may not read, and fields that it may not read.
 * @returns the other data, and the number of changes
 */
export function changeUnseen(
  data: Data,
  reference: Reference,
  random: Random,
): Readonly<{ other: Data; changes: number }> {
  const other = copy(data)
  const seen = summarize(reference, data)
  let changes = 0
  for (let attempt = 0; attempt < 90; attempt += 1) {
    const undo = changeOnce(other, random)
    if (undo === undefined) continue
    if (summarize(reference, other) === seen) changes += 1
    else undo()
  }
  return { other, changes }
}

function copy({ things, fans }: Data): Data {
  const copied = types.map((type) => [
    type,
    new Map([...things[type]].map(([id, thing]) => [id, { ...thing }])),
  ])
  return { things: Object.fromEntries(copied), fans: new Set(fans) }
}

/** Makes one random change. @returns how to undo it; `undefined` if nothing changed */
function changeOnce({ things, fans }: Data, random: Random): (() => void) | undefined {
  if (random.chance(0.25)) {
    const pair = `${random.pick(ids)} ${random.pick(ids)}`
    const had = fans.has(pair)
    const set = (isIn: boolean) => void (isIn ? fans.add(pair) : fans.delete(pair))
    set(!had)
    return () => set(had)
  }
  const type = random.pick<Type>(types)
  const rows = things[type]
  const number = random.pick([...ids, lastId])
  const id = toId(type, number)
  const old = rows.get(id)
  if (old && number !== lastId && random.chance(0.2)) {
    rows.delete(id)
    return () => void rows.set(id, old)
  }
  const drawn = randomThing(type, number, random)
  const changed = old ? { ...old, ...pickOne(drawn, random) } : drawn
  rows.set(id, changed)
  return () => void (old ? rows.set(id, old) : rows.delete(id))
}

/**
 * Adds the same rows of red things to both data. Nothing references them and they reference nothing, so what an identity may see of
 * them does not depend on other rows.
 */
export function addFiller(
  pair: readonly [Data, Data],
  count: number,
  random: Random,
): readonly [Data, Data] {
  const rows = Array.from({ length: count }, (_, index): Thing => {
    return { ...randomThing('red', String(1000 + index), random), next: null }
  })
  for (const { things } of pair) for (const row of rows) things.red.set(row.id, { ...row })
  return pair
}

/** The stored attributes of a row. */
export const storedAttributes = [
  ...(['name', 'rank', 'note', 'secret', 'place', 'marks', 'tags', 'info'] as const),
] as const

function pickOne(thing: Thing, random: Random): Partial<Thing> {
  const field = random.pick([...storedAttributes, 'next'] as const)
  return { [field]: thing[field] }
}

/** Writes the statements that store data. @param isPostgres - whether arrays are written as PostgreSQL does, or as JSON */
export function writeInserts({ things, fans }: Data, isPostgres: boolean): string {
  const quote = (value: unknown): string => {
    if (value === null) return 'null'
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string') return `'${value}'`
    return Array.isArray(value) && isPostgres
      ? `'{${value.join(',')}}'`
      : `'${JSON.stringify(value)}'`
  }
  const rows = types.flatMap((type) => {
    const values = [...things[type].values()].map((thing) => writeRow(type, thing).map(quote))
    const columns = writeColumns(type).join(', ')
    return values.length === 0
      ? []
      : [
          `insert into ${type} (${columns}) values ${values.map((row) => `(${row.join(', ')})`).join(', ')}`,
        ]
  })
  const pairs = [...fans].map((pair) => `insert into fan values (${pair.replace(' ', ', ')})`)
  return [...rows, ...pairs].join(';\n')
}

function writeColumns(type: Type): readonly string[] {
  return [...idColumns(type), ...storedAttributes, ...nextColumns(type)]
}

function writeRow(type: Type, thing: Thing): readonly unknown[] {
  const keys =
    thing.next?.split(',').map(Number) ??
    nextColumns(type).map((name) => (name === 'org' ? ownTenant : null))
  const values = storedAttributes.map((name) => thing[name])
  return [...thing.id.split(',').map(Number), ...values, ...keys]
}
