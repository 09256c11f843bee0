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

/** Runs scenarios, until one fails, in a process of its own. */
async function runProgram(
  { variant = 'sqlite', title }: Hole,
  seed: number,
  { isPlanted, scenarios }: Readonly<{ isPlanted: boolean; scenarios: number }>,
): Promise<Result> {
  const plant = isPlanted ? ['--import', `${folder}plant-hole.ts`] : []
  const child = spawn(
    process.execPath,
    [...plant, `${folder}run-scenarios.ts`, variant, String(seed), String(scenarios)],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ACCESS_HOLE: title } },
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

describe('The property of access rules', { concurrency: 2 }, () => {
  for (const hole of holes)
    it(`fails when ${hole.title}, and holds otherwise`, async (test) => {
      const found = await runProgram(hole, hole.seed, { isPlanted: true, scenarios: maxScenarios })
      assert.equal(found.status, 1, found.errors)
      assert.match(found.failed, /^\d+$/)
      test.diagnostic(`found by scenario ${found.failed}`)
      const failed = Number(found.failed)
      const sound = await runProgram(hole, failed, { isPlanted: false, scenarios: 1 })
      assert.equal(sound.status, 0, sound.errors)
    })
})
