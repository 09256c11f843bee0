import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ComparisonResult, Result } from './report.ts'
import type { StartupResult } from './startup.ts'
import type { StreamingResult } from './streaming.ts'

/** The results of all runs of the benchmark. */
export interface SavedResults {
  readonly comparisons: readonly ComparisonResult[]
  readonly streams: readonly StreamingResult[]
  readonly starts: readonly StartupResult[]
}

const folder = join(import.meta.dirname, 'results')

/** The names in results of version 0.1 and their present names. Saved files are not changed. */
const presentNames: ReadonlyMap<string, string> = new Map([
  ['floor', 'baseline'],
  ['porch', 'baseline-fastify'],
  ['firstEver', 'coldFirstByte'],
  ['grown', 'memoryGrowth'],
  ['held', 'loopBlocked'],
  ['heldByWork', 'loopBlockedCpu'],
  ['stopped', 'paused'],
  ['started', 'service'],
  ['bare', 'bareNode'],
])

/** Reads all saved results. Of two results of the same measurement, the later one counts. */
export function readSavedResults(): SavedResults {
  const comparisons = new Map<string, ComparisonResult>()
  const streams = new Map<string, StreamingResult>()
  const starts = new Map<string, StartupResult>()
  for (const result of readdirSync(folder).sort().flatMap(readResults)) {
    const { database, persons } = result
    if ('coldFirstByte' in result) streams.set(`${database} ${persons}`, result)
    else if ('bareNode' in result) starts.set(`${database} ${persons}`, result)
    else {
      const { against, workload, connections } = result
      comparisons.set([against, database, persons, workload, connections].join(' '), result)
    }
  }
  return {
    comparisons: [...comparisons.values()],
    streams: [...streams.values()],
    starts: [...starts.values()],
  }
}

function readResults(file: string): readonly Result[] {
  if (!file.endsWith('.json')) return []
  const text = readFileSync(join(folder, file), 'utf8')
  const run: Readonly<{ results: readonly Result[] }> = JSON.parse(text, renameFormerNames)
  return run.results
}

/** A reviver for `JSON.parse` that gives results of version 0.1 the present names. */
function renameFormerNames(key: string, value: unknown): unknown {
  if (key === 'against') return presentNames.get(String(value)) ?? value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [presentNames.get(name) ?? name, inner]),
  )
}
