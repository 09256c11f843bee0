import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serve } from './serve.ts'

const run = promisify(execFile)

describe('@warp-drive/json-api, served with singular types', () => {
  const served = serve('singular')

  it('reads, filters, pages, creates, updates, relates, deletes and throws the errors', async () => {
    const program = join(import.meta.dirname, 'use-warp-drive.ts')
    const { stderr } = await run(process.execPath, ['--conditions=unpkg', program, served.url])
    assert.equal(stderr, '')
    assert.deepEqual(served.requests, [
      'GET /persons?include=computers',
      'GET /computers?filter[owner__name]=Ada&page[size]=1&sort=-serial',
      'GET /computers?filter[owner__name]=Ada&page[size]=1&sort=-serial&page[number]=2',
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
