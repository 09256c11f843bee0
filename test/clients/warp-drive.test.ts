import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serve, startsWithG } from './serve.ts'

const run = promisify(execFile)

for (const [types, person, computer] of [
  ['singular', 'person', 'computer'],
  ['plural', 'persons', 'computers'],
] as const) {
  describe(`@warp-drive/json-api, served with ${types} types`, () => {
    const served = serve(types)

    it('reads, filters, pages, creates, updates, relates, deletes and throws the errors', async () => {
      const program = join(import.meta.dirname, 'use-warp-drive.ts')
      const args = ['--conditions=unpkg', program, served.url, person, computer]
      const { stderr } = await run(process.execPath, args)
      assert.equal(stderr, '')
      assert.deepEqual(served.requests, [
        'GET /persons?include=computers',
        'GET /computers?filter[owner__name]=Ada&page[size]=1&sort=-serial',
        'GET /computers?filter[owner__name]=Ada&page[size]=1&sort=-serial&page[number]=2',
        `GET /computers?filter=${startsWithG}`,
        'POST /computers',
        'PATCH /computers/4',
        'PATCH /computers/4/relationships/owner',
        'GET /computers?filter[id]=4&include=owner',
        'DELETE /computers/4',
        'GET /computers/4',
        'POST /computers',
      ])
    })
  })
}
