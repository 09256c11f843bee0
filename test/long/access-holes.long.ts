import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { holes } from '../property/access/holes.ts'

/** The scenarios that run at most, from the seed of a hole on, until one finds it. */
const maxScenarios = 100
const folder = fileURLToPath(new URL('../property/access/', import.meta.url))

interface Result {
  readonly status: number
  /** The seed of the scenario that failed. */
  readonly failed: string
  readonly errors: string
}

/** Runs scenarios, until one fails, in a process of its own. */
async function runProgram(seed: number, scenarios: number, hole?: string): Promise<Result> {
  const plant = hole === undefined ? [] : ['--import', `${folder}plant-hole.ts`]
  const child = spawn(
    process.execPath,
    [...plant, `${folder}run-sqlite.ts`, String(seed), String(scenarios)],
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

describe('The property of access rules', { concurrency: 2 }, () => {
  for (const { title, seed } of holes)
    it(`fails when ${title}, and holds otherwise`, async (test) => {
      const found = await runProgram(seed, maxScenarios, title)
      assert.equal(found.status, 1, found.errors)
      assert.match(found.failed, /^\d+$/)
      test.diagnostic(`found by scenario ${found.failed}`)
      const sound = await runProgram(Number(found.failed), 1)
      assert.equal(sound.status, 0, sound.errors)
    })
})
