import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { createTolerantDestination } from '../../../src/http/adapters/fastify/log.ts'

/** A stream that accepts every chunk, or blocks while `isBlocked` is set. */
class Sink extends Writable {
  received = ''
  isBlocked = false
  #resume: (() => void) | undefined

  constructor() {
    super({ decodeStrings: false })
  }

  override _write(chunk: unknown, encoding: string, done: () => void): void {
    if (this.isBlocked) {
      this.#resume = () => this._write(chunk, encoding, done)
      return
    }
    this.received += String(chunk)
    done()
  }

  release(): void {
    this.isBlocked = false
    this.#resume?.()
  }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))

describe('Log destination', () => {
  it('given a stream that accepts everything, when lines are logged, then each is written', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    log.write('a\n')
    log.write('b\n')
    await nextIteration()
    assert.equal(sink.received, 'a\nb\n')
  })

  it('given a blocked stream, when more than 1 MiB is logged, then the rest is dropped and a line reports how many', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    sink.isBlocked = true
    const line = `${'x'.repeat(1023)}\n`
    for (let each = 0; each < 2000; each += 1) log.write(line)
    assert.ok(sink.writableLength <= 1024 * 1024, String(sink.writableLength))
    sink.release()
    await nextIteration()
    const lines = sink.received.split('\n')
    assert.equal(lines.filter((each) => each.startsWith('x')).length, 1024)
    assert.equal(JSON.parse(lines[1024] ?? '').dropped, 2000 - 1024)
    assert.equal(lines.length, 1026)
  })

  it('given a line longer than the buffer, when it is logged, then it is dropped and reported', async () => {
    const sink = new Sink()
    const log = createTolerantDestination(sink)
    log.write(`${'x'.repeat(2 * 1024 * 1024)}\n`)
    log.write('b\n')
    await nextIteration()
    const [report = '', rest] = sink.received.split('\n')
    assert.equal(JSON.parse(report).dropped, 1)
    assert.equal(rest, 'b')
  })
})
