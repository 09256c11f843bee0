import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { holes } from '../property/access/holes.ts'

/** The scenarios of these seeds find every hole. */
const [firstSeed, scenarios] = [300, 250]
const folder = fileURLToPath(new URL('../property/access/', import.meta.url))

/** Runs scenarios in a process of its own. @returns its exit status and what it wrote to standard error */
async function runProgram(hole?: string): Promise<{ status: number; output: string }> {
  const plant = hole === undefined ? [] : ['--import', `${folder}plant-hole.ts`]
  const child = spawn(
    process.execPath,
    [...plant, `${folder}run-sqlite.ts`, String(firstSeed), String(scenarios)],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ACCESS_HOLE: hole } },
  )
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += String(chunk)
  })
  const [status] = await once(child, 'close')
  return { status, output }
}

describe('The property of access rules', () => {
  it('holds', async () => {
    const { status, output } = await runProgram()
    assert.equal(status, 0, output)
  })

  for (const { title } of holes)
    it(`fails when ${title}`, async () => {
      const { status, output } = await runProgram(title)
      assert.equal(status, 1, output)
    })
})
