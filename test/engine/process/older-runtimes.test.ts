import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { defineModel } from 'lapidary'
import { openPostgres } from 'lapidary/postgres'

const model = defineModel([])

/** Replaces the versions of the process by those of another runtime until the end of a test. */
function pretend(test: TestContext, versions: Readonly<Record<string, string>>): void {
  const actual = Object.getOwnPropertyDescriptor(process, 'versions')
  assert.ok(actual)
  test.after(() => Object.defineProperty(process, 'versions', actual))
  Object.defineProperty(process, 'versions', {
    ...actual,
    value: { ...process.versions, ...versions },
  })
}

describe('openPostgres', () => {
  for (const node of ['20.20.2', '24.9.0'])
    it(`given Node.js ${node}, when it is called, then its error names the supported runtimes`, async (test) => {
      pretend(test, { node })
      await assert.rejects(openPostgres(model, 'postgres://localhost/music'), {
        message: `lapidary/postgres needs Node.js 24.10, Bun 1.4, Deno 2.9, or a later version; this is Node.js ${node}`,
      })
    })

  for (const runtime of [{ node: '24.10.0' }, { node: '25.0.0' }, { bun: '1.4.0', node: '24.3.0' }])
    it(`given ${JSON.stringify(runtime)}, when it is called, then it connects`, async (test) => {
      pretend(test, runtime)
      await assert.rejects(openPostgres(model, 'postgres://127.0.0.1:1/music'), /ECONNREFUSED/)
    })
})
