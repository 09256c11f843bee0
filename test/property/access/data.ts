import type { Random } from './random.ts'
import { type Data, type Reference, summarize, type Thing } from './reference.ts'
import { type Type, types, words } from './schema.ts'

/** The ids that rows may have. The last one always exists, so that the next generated id is known. */
const ids = ['1', '2', '3', '4', '5', '6', '7']
const lastId = '20'

/** Creates random rows. */
export function randomData(random: Random): Data {
  const things = types.map((type) => {
    const rows = [...random.some(ids, 0.75), lastId].map((id) => randomThing(id, random))
    return [type, new Map(rows.map((row) => [row.id, row]))]
  })
  const pairs = ids.flatMap((red) => ids.map((green) => `${red} ${green}`))
  return { things: Object.fromEntries(things), fans: new Set(random.some(pairs, 0.2)) }
}

function randomThing(id: string, random: Random): Thing {
  const word = () => (random.chance(0.15) ? null : random.pick(words))
  const rank = random.chance(0.1) ? null : random.int(5)
  const next = random.chance(0.2) ? null : random.pick([...ids, '99'])
  return { id, name: word(), rank, note: word(), secret: word(), next }
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
  for (let attempt = 0; attempt < 60; attempt += 1) {
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
  const rows = things[random.pick<Type>(types)]
  const id = random.pick([...ids, lastId])
  const old = rows.get(id)
  if (old && id !== lastId && random.chance(0.2)) {
    rows.delete(id)
    return () => void rows.set(id, old)
  }
  const drawn = randomThing(id, random)
  const changed = old ? { ...old, ...pickOne(drawn, random) } : drawn
  rows.set(id, changed)
  return () => void (old ? rows.set(id, old) : rows.delete(id))
}

function pickOne(thing: Thing, random: Random): Partial<Thing> {
  const field = random.pick(['name', 'rank', 'note', 'secret', 'next'] as const)
  return { [field]: thing[field] }
}

/** Writes the statements that store data. */
export function writeInserts({ things, fans }: Data): string {
  const quote = (value: string | number | null) =>
    value === null ? 'null' : typeof value === 'number' ? String(value) : `'${value}'`
  const rows = types.flatMap((type) =>
    [...things[type].values()].map(
      ({ id, name, rank, note, secret, next }) =>
        `insert into ${type} (id, name, rank, note, secret, next_id) values (${[Number(id), name, rank, note, secret].map(quote).join(', ')}, ${next ?? 'null'})`,
    ),
  )
  const pairs = [...fans].map((pair) => `insert into fan values (${pair.replace(' ', ', ')})`)
  return [...rows, ...pairs].join(';\n')
}
