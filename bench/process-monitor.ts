import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** The measurements of a monitor in its process. */
export interface MonitorResult {
  /** The longest time that the event loop was blocked, in milliseconds of wall-clock time. */
  readonly loopBlocked: number
  /** The longest time that the event loop was blocked, in milliseconds of CPU time of its thread. */
  readonly loopBlockedCpu: number
  /** The most resident memory, in bytes. */
  readonly resident: number
}

/** The time between two samples, in milliseconds. */
const interval = 2

/**
 * Monitors the event loop and the memory of this process. A timer that fires late shows how long the event loop was blocked.
 * @returns a function that stops the monitor
 */
export function startMonitor(): () => MonitorResult {
  let loopBlocked = 0
  let loopBlockedCpu = 0
  let resident = 0
  let lastSample = performance.now()
  let lastCpu = readThreadCpu()
  const timer = setInterval(() => {
    const now = performance.now()
    const cpu = readThreadCpu()
    const delay = now - lastSample - interval
    loopBlocked = Math.max(loopBlocked, delay)
    loopBlockedCpu = Math.max(loopBlockedCpu, Math.min(delay, cpu - lastCpu))
    resident = Math.max(resident, process.memoryUsage.rss())
    lastSample = now
    lastCpu = cpu
  }, interval)
  return () => {
    clearInterval(timer)
    resident = Math.max(resident, process.memoryUsage.rss())
    return { loopBlocked, loopBlockedCpu, resident }
  }
}

/** Reads the CPU time of this thread, in milliseconds. */
function readThreadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Counts the open file descriptors of this process. @returns `undefined` where the operating system does not list them */
export function countDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
