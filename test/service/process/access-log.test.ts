import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../raw-socket.ts'
import { serveNotes } from '../notes.ts'

describe('The access log', () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const server = serveNotes({ logger: { level: 'info', stream } }, 1_000)

  for (const [what, path] of [
    ['a document in memory', '/notes/1'],
    ['a stream', '/notes?page[size]=0'],
  ] as const) {
    it(`given ${what}, then it has the bytes of the body`, async () => {
      lines.length = 0
      const body = await (await fetch(`${server.origin}${path}`)).bytes()
      await eventually('the line', () => lines.length === 1)
      assert.equal(JSON.parse(lines[0] ?? '').bytes, body.length)
    })
  }

  it('given a HEAD request for a stream, then it has no bytes', async () => {
    lines.length = 0
    await fetch(`${server.origin}/notes?page[size]=0`, { method: 'HEAD' })
    await eventually('the line', () => lines.length === 1)
    assert.equal(JSON.parse(lines[0] ?? '').bytes, undefined)
  })
})
