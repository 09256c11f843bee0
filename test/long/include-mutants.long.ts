import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { includeMutants } from '../property/includes/include-mutants.ts'

const folder = fileURLToPath(new URL('../property/includes/', import.meta.url))

/** Sends random requests in a process of its own. @param mutant - the title of the mutant; the engine itself if absent */
function runRequests(mutant?: string): Promise<Readonly<{ status: unknown; errors: string }>> {
  const apply =
    mutant === undefined ? [] : ['--import', `${folder}../cursors/apply-cursor-mutant.ts`]
  const args = [...apply, `${folder}run-includes.ts`, '1', '400']
  const env = { ...process.env, CURSOR_MUTANT: mutant }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, _output, errors) =>
      resolve({ status: error?.code ?? 0, errors }),
    )
  })
}

describe('Pages of included resources, with a mutant of the engine', { concurrency: 2 }, () => {
  for (const { title } of includeMutants)
    it(`differ from plain objects when ${title}`, async () => {
      const { status, errors } = await runRequests(title)
      // A request has failed, and nothing else.
      assert.equal(status, 2, errors)
      assert.match(errors, /AssertionError/)
    })

  it('equal plain objects with the engine itself', async () => {
    const { status, errors } = await runRequests()
    assert.equal(status, 0, errors)
  })
})
