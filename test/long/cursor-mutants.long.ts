import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cursorMutants } from '../property/cursors/cursor-mutants.ts'

const folder = fileURLToPath(new URL('../property/cursors/', import.meta.url))

/** Walks in a process of its own. @param mutant - the title of the mutant; the engine itself if absent */
function runWalks(mutant?: string): Promise<Readonly<{ status: unknown; errors: string }>> {
  const apply = mutant === undefined ? [] : ['--import', `${folder}apply-cursor-mutant.ts`]
  const args = [...apply, `${folder}run-walks.ts`, '1', '500']
  const env = { ...process.env, CURSOR_MUTANT: mutant }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, _output, errors) =>
      resolve({ status: error?.code ?? 0, errors }),
    )
  })
}

describe('Walks by cursors, with a mutant of the engine', { concurrency: 2 }, () => {
  for (const { title } of cursorMutants)
    it(`fail when ${title}`, async () => {
      const { status, errors } = await runWalks(title)
      // A walk has failed, and nothing else.
      assert.equal(status, 2, errors)
      assert.match(errors, /AssertionError/)
    })

  it('pass with the engine itself', async () => {
    const { status, errors } = await runWalks()
    assert.equal(status, 0, errors)
  })
})
