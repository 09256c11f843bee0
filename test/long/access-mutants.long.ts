import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { mutants as allMutants, type Mutant } from '../property/access/mutants.ts'
import { readCount } from '../read-count.ts'

/** The scenarios that run at most, from the seed of a mutant on, until one fails. */
const maxScenarios = 200
const folder = fileURLToPath(new URL('../property/access/', import.meta.url))

interface Result {
  readonly status: number
  /** The seed of the scenario that failed. */
  readonly failed: string
  readonly errors: string
}

/** Runs scenarios, until one fails, in a process of its own. @param mutant - the title of the mutant; the engine itself if absent */
async function runScenarios(
  variant: string,
  seeds: readonly number[],
  mutant?: string,
): Promise<Result> {
  const apply = mutant === undefined ? [] : ['--import', `${folder}apply-mutant.ts`]
  const child = spawn(
    process.execPath,
    [...apply, `${folder}run-scenarios.ts`, variant, ...seeds.map(String)],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ACCESS_MUTANT: mutant } },
  )
  let [failed, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    failed += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  const [status] = await once(child, 'close')
  return { status, failed: failed.trim(), errors }
}

/** Each of so many mutants runs. */
const step = readCount('LAPIDARY_MUTANT_STEP', 1, 12)
const mutants = allMutants.filter((_, index) => index % step === 0)

const variantOf = ({ variant = 'sqlite' }: Mutant) => variant
/** The seeds of the scenarios that have detected a mutant, by variant. */
const detected = new Map(mutants.map((mutant) => [variantOf(mutant), new Set<number>()]))

describe('The property of access rules, with a mutant of the engine', { concurrency: 2 }, () => {
  for (const mutant of mutants)
    it(`fails when ${mutant.title}`, async (test) => {
      const seeds = Array.from({ length: maxScenarios }, (_, index) => mutant.seed + index)
      const { status, failed, errors } = await runScenarios(variantOf(mutant), seeds, mutant.title)
      // A scenario has failed, and nothing else.
      assert.equal(status, 2, errors)
      assert.match(failed, /^\d+$/, errors)
      test.diagnostic(`detected by scenario ${failed}`)
      detected.get(variantOf(mutant))?.add(Number(failed))
    })
})

describe('The property of access rules, with the engine itself', { concurrency: 2 }, () => {
  for (const [variant, seeds] of detected)
    it(`holds in the scenarios that have detected a mutant · ${variant}`, async () => {
      assert.notEqual(seeds.size, 0)
      const { status, failed, errors } = await runScenarios(variant, [...seeds])
      assert.equal(status, 0, `scenario ${failed}: ${errors}`)
    })
})
