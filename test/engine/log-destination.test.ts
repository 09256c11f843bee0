import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { createTolerantDestination } from '../../src/http/log-destination.ts'

/** A stream that takes what it is given, or takes nothing for a while. */
class Sink extends Writable {
  taken = ''
  isHeld = false
  #held: (() => void) | undefined

  constructor() {
    super({ decodeStrings: false })
  }

  override _write(chunk: unknown, encoding: string, done: () => void): void {
    if (this.isHeld) {
      this.#held = () => this._write(chunk, encoding, done)
      return
    }
    this.taken += String(chunk)
    done()
  }

  release(): void {
    this.isHeld = false
    this.#held?.()
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('The destination of a log', () => {
  it('given a stream that takes everything, writes line by line', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    log.write('a\n')
    log.write('b\n')
    await settled()
    assert.equal(sink.taken, 'a\nb\n')
  })

  it('given a stream that is slow, keeps at most 1 MiB, and says then how many lines are missing', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    sink.isHeld = true
    const line = `${'x'.repeat(1023)}\n`
    for (let each = 0; each < 2000; each += 1) log.write(line)
    assert.ok(sink.writableLength <= 1024 * 1024, String(sink.writableLength))
    sink.release()
    await settled()
    const lines = sink.taken.split('\n')
    assert.equal(lines.filter((each) => each.startsWith('x')).length, 1024)
    assert.equal(JSON.parse(lines[1024] ?? '').dropped, 2000 - 1024)
    assert.equal(lines.length, 1026)
  })

  it('given a line that alone is more than may wait, drops that line', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    log.write(`${'x'.repeat(2 * 1024 * 1024)}\n`)
    log.write('b\n')
    await settled()
    const [report = '', rest] = sink.taken.split('\n')
    assert.equal(JSON.parse(report).dropped, 1)
    assert.equal(rest, 'b')
  })
})
