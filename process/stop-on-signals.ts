import { setTimeout as pause } from 'node:timers/promises'

/** The maximum duration of a shutdown, in milliseconds. */
const defaultLimit = 25_000
/** How long the process waits before it exits until its output is written, in milliseconds. */
const flushTimeout = 1000

/** A shutdown that signals start. */
interface Shutdown {
  /** Sets the function that runs before the process exits. Runs it at once if the shutdown was requested already. */
  onStop(close: () => Promise<void>): void
  /** Starts the shutdown. Further requests have no effect. */
  request(): void
}

/**
 * Makes SIGTERM and SIGINT shut the process down gracefully, with exit code 0.
 * @param limit - milliseconds after which the process exits even if the shutdown is unfinished; default 25 s
 * @param beforeExit - runs before such an exit
 */
export function stopOnSignals(limit: number = defaultLimit, beforeExit?: () => void): Shutdown {
  let isRequested = false
  let close: (() => Promise<void>) | undefined
  const request = () => {
    if (isRequested) return
    isRequested = true
    setTimeout(() => {
      beforeExit?.()
      process.exit(1)
    }, limit).unref()
    if (close) void closeAndExit(close)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, request)
  return {
    request,
    onStop: (callback) => {
      close = callback
      if (isRequested) void closeAndExit(close)
    },
  }
}

async function closeAndExit(close: () => Promise<void>): Promise<void> {
  let code = 0
  try {
    await close()
  } catch (error) {
    console.error(`lapidary: ${error instanceof Error ? error.message : String(error)}`)
    code = 1
  }
  await Promise.race([
    pause(flushTimeout),
    Promise.all([process.stdout, process.stderr].map(flush)),
  ])
  process.exit(code)
}

/** Resolves when all output of the stream is written, or writing has failed. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
