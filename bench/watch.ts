import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/** What was seen of a process while it was watched. */
export interface Watched {
  /** The longest time that its event loop was held, in milliseconds: by the clock, and of that in CPU time of its own. */
  readonly held: number
  readonly heldByWork: number
  /** The most memory that it had, in bytes. */
  readonly resident: number
  /** How many files and connections it has open; `undefined` where the system does not say. */
  readonly open: number | undefined
}

/** How often it is looked at, in milliseconds. */
const interval = 2

let timer: NodeJS.Timeout | undefined
let held = 0
let heldByWork = 0
let resident = 0

/** Watches this process from now on. A timer that comes late says for how long nothing else had its turn. */
export function watch(): void {
  clearInterval(timer)
  held = 0
  heldByWork = 0
  resident = 0
  let before = performance.now()
  let worked = ownTime()
  timer = setInterval(() => {
    const now = performance.now()
    const late = now - before - interval
    const work = ownTime()
    held = Math.max(held, late)
    heldByWork = Math.max(heldByWork, Math.min(late, work - worked))
    resident = Math.max(resident, process.memoryUsage.rss())
    before = now
    worked = work
  }, interval)
}

/** What was seen since; ends the watch. */
export function watched(): Watched {
  clearInterval(timer)
  return {
    held,
    heldByWork,
    resident: Math.max(resident, process.memoryUsage.rss()),
    open: opened(),
  }
}

/** How long this thread has been at work, in milliseconds. */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function opened(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
