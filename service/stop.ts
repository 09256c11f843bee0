import { setTimeout as pause } from 'node:timers/promises'

/** How long a process that answers requests may take to stop, in milliseconds. */
const answering = 25_000
/** How long it waits, at the very end, for what it has printed to be read. */
const printing = 1000

/** The end of the process, which signals ask for. */
export interface Stop {
  /** Says what has to be done before the process ends; where the end was asked for already, it is done at once. */
  with(close: () => Promise<void>): void
  /** Asks for the end. Whoever asks again changes nothing: what is under way is finished first. */
  request(): void
}

/**
 * From now on SIGTERM and SIGINT end the process in good order, with exit code 0.
 * @param limit - milliseconds after which it ends in any case; default 25 s
 */
export function stopOnSignals(limit: number = answering): Stop {
  let isRequested = false
  let close: (() => Promise<void>) | undefined
  const request = () => {
    if (isRequested) return
    isRequested = true
    setTimeout(() => process.exit(1), limit).unref()
    if (close) void finish(close)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, request)
  return {
    request,
    with: (chosen) => {
      close = chosen
      if (isRequested) void finish(close)
    },
  }
}

async function finish(close: () => Promise<void>): Promise<void> {
  let code = 0
  try {
    await close()
  } catch (error) {
    console.error(`lapidary: ${error instanceof Error ? error.message : String(error)}`)
    code = 1
  }
  await Promise.race([pause(printing), Promise.all([process.stdout, process.stderr].map(written))])
  process.exit(code)
}

/** Settles once everything that was printed before has left, or cannot. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
