import { parseArgs } from 'node:util'
import type { Timing } from './rounds.ts'
import { isFolder } from './servers.ts'
import { workloads } from './workloads.ts'

/** The servers that the service can be compared with, and the measurements of the service alone. */
const references = [
  'baseline',
  'baseline-fastify',
  'peers',
  'shapes',
  'growth',
  'access',
  'streaming',
  'startup',
] as const

/** The options of a run of the benchmark. */
export interface Options {
  readonly against: readonly string[]
  readonly databases: readonly string[]
  readonly persons: readonly number[]
  readonly workloads: readonly string[]
  /** `undefined`: the default of each workload. */
  readonly connections: readonly number[] | undefined
  readonly timing: Timing
  readonly saves: boolean
}

/** Peers need an installation of their own; the Fastify baseline and access rules are measured on request. */
const defaultReferences = references.filter(
  (name) => name !== 'peers' && name !== 'baseline-fastify' && name !== 'access',
)

const usage = `Compares the service with a hand-written baseline, with other servers, and with itself.

Usage: npm run bench -- [options]; lists are separated by commas

  --against <list>       ${references.join(', ')},
                         or the folder of another version of the project, a path with a slash
                         (default: ${defaultReferences.join(', ')})
  --database <list>      sqlite, postgres (default: both)
  --persons <list>       sizes of the databases (default: 1000,100000,1000000)
  --workload <list>      ${workloads.map(({ name }) => name).join(', ')}
  --connections <list>   number of connections (default: 32; some workloads also 1 and 256)
  --rounds <number>      rounds of each server (default: 12)
  --launches <number>    starts of both servers; the rounds are divided among them (default: 3)
  --milliseconds <time>  duration of a round (default: 400)
  --quick                1000 persons, 3 short rounds
  --profile <folder>     writes CPU profiles of the servers
  --no-save              prints the results without saving them`

/**
 * Parses the command line.
 * @returns `undefined` after `--help`, which prints the usage
 * @throws Error with one sentence for an invalid option
 */
export function parseOptions(parameters: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({
    args: [...parameters],
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
  const workloadNames = workloads.map(({ name }) => name)
  return {
    against: parseNames(values.against, references, isFolder) ?? defaultReferences,
    databases: parseNames(values.database, ['sqlite', 'postgres']) ?? ['sqlite', 'postgres'],
    persons: parseNumbers(values.persons) ?? (isQuick ? [1000] : [1000, 100_000, 1_000_000]),
    workloads: parseNames(values.workload, workloadNames) ?? workloadNames,
    connections: parseNumbers(values.connections) ?? (isQuick ? [32] : undefined),
    timing: {
      rounds: parseNumbers(values.rounds)?.[0] ?? (isQuick ? 3 : 12),
      launches: parseNumbers(values.launches)?.[0] ?? (isQuick ? 1 : 3),
      milliseconds: parseNumbers(values.milliseconds)?.[0] ?? (isQuick ? 200 : 400),
      warmUp: isQuick ? 500 : 2000,
      profiles: values.profile,
    },
    saves: values.save ?? true,
  }
}

function parseNames(
  text: string | undefined,
  names: readonly string[],
  isAllowed = (_name: string) => false,
): string[] | undefined {
  const parsed = text?.split(',')
  const unknown = parsed?.find((name) => !names.includes(name) && !isAllowed(name))
  if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${names.join(', ')}.`)
  return parsed
}

function parseNumbers(text: string | undefined): number[] | undefined {
  const parsed = text?.split(',').map(Number)
  if (parsed?.some((number) => !Number.isSafeInteger(number) || number < 1))
    throw new Error(`"${text}" is not a list of positive integers.`)
  return parsed
}
