import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, createPreciseTimer } from '../../src/http/delay-not-found.ts'

/** A clock that a test advances. It calls the functions whose time has come. */
class ManualClock implements Clock {
  time = 1000.25
  #timers: { readonly due: number; readonly call: () => void }[] = []
  #next: (() => void)[] = []

  readonly now = () => this.time
  readonly callAfter = (milliseconds: number, call: () => void) => {
    this.#timers.push({ due: this.time + milliseconds, call })
  }
  readonly callNext = (call: () => void) => {
    this.#next.push(call)
  }

  /** How many functions wait for the next iteration of the event loop. */
  get pending(): number {
    return this.#next.length
  }

  /** Moves the clock, and runs an iteration of the event loop. */
  async advance(milliseconds: number): Promise<void> {
    this.time += milliseconds
    const due = this.#timers.filter((timer) => timer.due <= this.time)
    this.#timers = this.#timers.filter((timer) => timer.due > this.time)
    for (const { call } of due) call()
    for (const call of this.#next.splice(0)) call()
    await Promise.resolve()
  }
}

describe('A precise timer', () => {
  it('resolves no promise before its time, and each in the first iteration after it', async () => {
    const clock = new ManualClock()
    const waitUntil = createPreciseTimer(clock)
    const step = 0.07
    const resolved: { readonly time: number; readonly at: number }[] = []
    const times = [0, 0.01, 0.5, 0.99, 1, 1.01, 1.9, 2, 2.5, 3, 7.77, 10].map(
      (each) => 1000.25 + each,
    )
    for (const time of times)
      void waitUntil(time).then(() => resolved.push({ time, at: clock.time }))
    for (let moved = 0; moved < 11; moved += step) await clock.advance(step)
    assert.deepEqual(
      resolved.map(({ time }) => time),
      times,
    )
    for (const { time, at } of resolved)
      assert.ok(at >= time && at - time < 2 * step, `${at - time} ms after ${time}`)
  })

  it('sleeps until at most two milliseconds before the time', async () => {
    const clock = new ManualClock()
    const waitUntil = createPreciseTimer(clock)
    void waitUntil(clock.time + 9.5)
    await clock.advance(7.4)
    assert.equal(clock.pending, 0)
    await clock.advance(0.7)
    assert.equal(clock.pending, 1)
  })

  it('compares the clock once in an iteration for all waiters, and not at all without one', async () => {
    const clock = new ManualClock()
    const waitUntil = createPreciseTimer(clock)
    const all = Array.from({ length: 50 }, (_, index) => waitUntil(clock.time + 0.5 + index / 100))
    assert.equal(clock.pending, 1)
    await clock.advance(0.6)
    assert.equal(clock.pending, 1)
    await clock.advance(0.6)
    await Promise.all(all)
    assert.equal(clock.pending, 0)
    const later = waitUntil(clock.time + 0.5)
    assert.equal(clock.pending, 1)
    await clock.advance(0.5)
    await later
    assert.equal(clock.pending, 0)
  })

  it('resolves after its time with the clock of the process', async () => {
    const waitUntil = createPreciseTimer()
    const times = [-5, 0, 0.4, 3.3, 12.6].map((each) => performance.now() + each)
    await Promise.all(
      times.map(async (time) => {
        await waitUntil(time)
        assert.ok(performance.now() >= time)
      }),
    )
  })
})
