import { parseArgs } from 'node:util'
import type { Pace } from './measure.ts'
import { isFolder } from './subjects.ts'
import { workloads } from './workloads.ts'

/** What the service may be measured against. */
export const opponents = ['floor', 'porch', 'peers', 'shapes', 'growth', 'long', 'start'] as const

/** What a run of the benchmark is to do. */
export interface Options {
  readonly against: readonly string[]
  readonly databases: readonly string[]
  readonly persons: readonly number[]
  readonly workloads: readonly string[]
  /** `undefined`: what suits the workload. */
  readonly connections: readonly number[] | undefined
  readonly pace: Pace
  readonly saves: boolean
}

/** What it is measured against unless something else is said: peers and the porch have to be asked for. */
const usual = opponents.filter((name) => name !== 'peers' && name !== 'porch')

const usage = `Measures the service against a program written by hand, against peers, and against itself.

Usage: npm run bench -- [options]; every list is separated by commas

  --against <list>       ${opponents.join(', ')}, or a folder with another version of the
                         project, its path with a slash
                         (default: ${usual.join(', ')})
  --database <list>      sqlite, postgres (default: both)
  --persons <list>       sizes of the databases (default: 1000,100000,1000000)
  --workload <list>      ${workloads.map(({ name }) => name).join(', ')}
  --connections <list>   at the same time (default: 32, and 1 and 256 for some)
  --rounds <number>      per side (default: 12)
  --launches <number>    how many times both servers are started anew; rounds are shared out (default: 3)
  --milliseconds <time>  of a round (default: 400)
  --quick                1000 persons, 3 short rounds
  --profile <folder>     CPU profiles of the servers
  --no-save              prints only`

/**
 * Reads the command line.
 * @returns `undefined` when help was asked for, and printed
 */
export function readOptions(words: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({
    args: [...words],
    allowNegative: true,
    options: {
      against: text,
      database: text,
      persons: text,
      workload: text,
      connections: text,
      rounds: text,
      launches: text,
      milliseconds: text,
      profile: text,
      quick: flag,
      save: flag,
      help: flag,
    },
  })
  if (values.help) {
    console.log(usage)
    return undefined
  }
  const isQuick = values.quick === true
  const all = workloads.map(({ name }) => name)
  return {
    against: listed(values.against, opponents, isFolder) ?? usual,
    databases: listed(values.database, ['sqlite', 'postgres']) ?? ['sqlite', 'postgres'],
    persons: numbers(values.persons) ?? (isQuick ? [1000] : [1000, 100_000, 1_000_000]),
    workloads: listed(values.workload, all) ?? all,
    connections: numbers(values.connections) ?? (isQuick ? [32] : undefined),
    pace: {
      rounds: numbers(values.rounds)?.[0] ?? (isQuick ? 3 : 12),
      launches: numbers(values.launches)?.[0] ?? (isQuick ? 1 : 3),
      milliseconds: numbers(values.milliseconds)?.[0] ?? (isQuick ? 200 : 400),
      warmUp: isQuick ? 500 : 2000,
      profiles: values.profile,
    },
    saves: values.save ?? true,
  }
}

function listed(
  text: string | undefined,
  known: readonly string[],
  isKnown = (name: string) => known.includes(name),
): string[] | undefined {
  const names = text?.split(',')
  const strange = names?.find((name) => !known.includes(name) && !isKnown(name))
  if (strange !== undefined) throw new Error(`"${strange}" is none of ${known.join(', ')}.`)
  return names
}

function numbers(text: string | undefined): number[] | undefined {
  const read = text?.split(',').map(Number)
  if (read?.some((number) => !Number.isSafeInteger(number) || number < 1))
    throw new Error(`"${text}" is no list of whole numbers from 1.`)
  return read
}
