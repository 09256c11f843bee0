import assert from 'node:assert/strict'
import { it } from 'node:test'
import { collectStartGarbage } from '../../../process/run-server.ts'

it('given a heap with garbage, when the garbage of the start is collected, then the heap is smaller', async () => {
  // Held until the heap has grown, so that no collection of V8 removes it before.
  let garbage: object[] | undefined = Array.from({ length: 200_000 }, (_, index) => ({ index }))
  const { heapUsed } = process.memoryUsage()
  assert.equal(garbage.length, 200_000)
  garbage = undefined
  const collected = collectStartGarbage(0)
  // A timer keeps the process running, which the collection does not.
  const timer = setTimeout(() => {}, 60_000)
  await collected
  clearTimeout(timer)
  const difference = heapUsed - process.memoryUsage().heapUsed
  assert.ok(difference > 4_000_000, `${difference} bytes less`)
})
