import { performance } from 'node:perf_hooks'

/** Durations below are measured by the clock alone, in milliseconds. */
const shortDuration = 10
/** How often the CPU time is read, in milliseconds: that takes 1 to 2 µs, and the clock a tenth of it. */
const interval = 5

/** The start of a synchronous run. */
interface RunStart {
  /** On the clock of `performance.now`. */
  readonly at: number
  /** The CPU time of this thread when it was last read. */
  readonly cpuTime: number
}

/** Returns the CPU time of this thread in milliseconds; that of the process where the runtime does not have it. */
export function readCpuTime(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}

/** Measures synchronous runs. */
export class Stopwatch {
  #lastRead = Number.NEGATIVE_INFINITY
  #cpuTime = 0

  /** Begins to measure a run. */
  start(): RunStart {
    const at = performance.now()
    if (at - this.#lastRead > interval) {
      this.#lastRead = at
      this.#cpuTime = readCpuTime()
    }
    return { at, cpuTime: this.#cpuTime }
  }

  /**
   * Returns the duration of a run in milliseconds. If it was long by the clock, the machine may have been busy: then it is the CPU
   * time, which is up to 5 ms more than that of the run.
   */
  measure({ at, cpuTime }: RunStart): number {
    const duration = performance.now() - at
    return duration < shortDuration ? duration : Math.min(duration, readCpuTime() - cpuTime)
  }
}
