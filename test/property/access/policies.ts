import { randomThing, writeInserts } from './data.ts'
import type { Random } from './random.ts'
import type { Rules } from './random-rules.ts'
import { type Type, toId, types } from './schema.ts'
import type { Data, Thing } from './things.ts'

// Row-level security on PostgreSQL: policies hide rows, with rules and without.

/** Removes the rules for reads of some types: only policies hide their rows. */
export function withoutReadRules(rules: Rules, random: Random): Rules {
  const entries = types.map((type) => {
    const { access, ...others } = rules[type]
    const { read: _, ...rest } = access
    return [type, random.chance(0.7) ? { ...others, access: rest } : rules[type]]
  })
  return Object.fromEntries(entries)
}

/** Writes rows that policies hide. Other rows may reference them, which they do not where the rows are absent. */
export function writePoliced(both: readonly [Data, Data], random: Random): string {
  const things = types.map((type): [Type, Map<string, Thing>] => {
    const free = ['1', '2', '3', '4', '5', '6', '7'].filter((number) =>
      both.every((data) => !data.things[type].has(toId(type, number))),
    )
    const rows = free.map((number) => randomThing(type, number, random))
    return [type, new Map(rows.map((row) => [row.id, row]))]
  })
  const data = {
    things: Object.fromEntries(things) as unknown as Data['things'],
    fans: new Set(''),
  }
  const marks = things.flatMap(([type, rows]) =>
    [...rows.keys()].map((id) => {
      const number = id.split(',').at(-1)
      return `update ${type} set gone = '2020-01-01' where ${type === 'blue' ? 'number' : 'id'} = ${number}`
    }),
  )
  return [writeInserts(data, true), ...marks].filter((text) => text !== '').join(';\n')
}
