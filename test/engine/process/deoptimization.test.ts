import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Serves lists of 30, single resources and updates so often that V8 optimizes the functions in their paths. */
const program = `
  import { startService } from ${JSON.stringify(pathToFileURL('service/start-service.ts').href)}
  const service = await startService({ databaseUrl: 'sqlite::memory:', port: 0, logLevel: 'error' })
  const headers = { 'content-type': 'application/vnd.api+json' }
  const send = async (path, method, data) => {
    const response = await fetch(service.url + path, { method, headers, body: data && JSON.stringify({ data }) })
    await response.text()
    if (!response.ok) throw new Error(path + ': ' + response.status)
  }
  for (let count = 0; count < 30; count += 1) {
    const birth_date = count % 3 === 0 ? null : '1815-12-10'
    await send('/persons', 'POST', { type: 'person', attributes: { name: 'Ada ' + count, birth_date } })
  }
  for (let count = 0; count < 600; count += 1) {
    await send('/persons?include=computers', 'GET')
    await send('/persons/1', 'GET')
    await send('/persons/1', 'PATCH', { type: 'person', id: '1', attributes: { name: 'Ada ' + count } })
  }
  await service.close()
`

/** V8 may discard the code of a function a few times, until it has seen all types of values. */
const maxDiscarded = 20

describe('The functions that a request enters', () => {
  it('given requests of the same kinds, when V8 has optimized a function, then it keeps the code', async () => {
    const parameters = ['--trace-deopt', '--input-type=module', '--eval', program]
    const { stdout } = await run(process.execPath, parameters, { maxBuffer: 2 ** 28 })
    const discarded = [...stdout.matchAll(/deoptimizing \S+ <JSFunction ([^>]*)>/g)]
    assert.ok(discarded.length > 0)
    const often = [...Map.groupBy(discarded, ([, name]) => name)]
      .map(([name, { length }]) => ({ name, length }))
      .filter(({ length }) => length > maxDiscarded)
    assert.deepEqual(often, [])
  })
})
