import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Hole, holes } from '../property/access/holes.ts'

/** The scenarios that run at most, from the seed of a hole on, until one finds it. */
const maxScenarios = 200
const folder = fileURLToPath(new URL('../property/access/', import.meta.url))

interface Result {
  readonly status: number
  /** The seed of the scenario that failed. */
  readonly failed: string
  readonly errors: string
}

/** Runs scenarios, until one fails, in a process of its own. @param hole - the title of the planted hole, if there is one */
async function runScenarios(
  variant: string,
  seeds: readonly number[],
  hole?: string,
): Promise<Result> {
  const plant = hole === undefined ? [] : ['--import', `${folder}plant-hole.ts`]
  const child = spawn(
    process.execPath,
    [...plant, `${folder}run-scenarios.ts`, variant, ...seeds.map(String)],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ACCESS_HOLE: hole } },
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

const variantOf = ({ variant = 'sqlite' }: Hole) => variant
/** The seeds of the scenarios that have found a hole, by variant. */
const found = new Map(holes.map((hole): [string, number[]] => [variantOf(hole), []]))

describe('The property of access rules, with a planted hole', { concurrency: 2 }, () => {
  for (const hole of holes)
    it(`fails when ${hole.title}`, async (test) => {
      const seeds = Array.from({ length: maxScenarios }, (_, index) => hole.seed + index)
      const { status, failed, errors } = await runScenarios(variantOf(hole), seeds, hole.title)
      assert.equal(status, 1, errors)
      assert.match(failed, /^\d+$/)
      test.diagnostic(`found by scenario ${failed}`)
      found.get(variantOf(hole))?.push(Number(failed))
    })
})

describe('The property of access rules, without a hole', { concurrency: 2 }, () => {
  for (const [variant, seeds] of found)
    it(`holds in the scenarios that have found one · ${variant}`, async () => {
      assert.notEqual(seeds.length, 0)
      const { status, failed, errors } = await runScenarios(variant, seeds)
      assert.equal(status, 0, `scenario ${failed}: ${errors}`)
    })
})
