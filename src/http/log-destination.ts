import { hostname } from 'node:os'
import type { Writable } from 'node:stream'

/** The most that may wait to be read, in characters. Lines beyond it are dropped. */
const mostWaiting = 1024 * 1024

/** Where lines of a log go. */
export interface LogDestination {
  /** Writes whole lines, each with its line feed. */
  write(lines: string): void
}

/**
 * Writes a log to a stream that may be slow, full or closed: it never throws, never waits, and keeps at most 1 MiB.
 * Lines that cannot be written are dropped and counted; the next one that can be written is preceded by a line that
 * says how many are missing. What still waits is written before the process ends by itself.
 *
 * @param stream - standard error or the like; from now on its errors do not end the process
 */
export function tolerantDestination(stream: Writable): LogDestination {
  let dropped = 0
  let hasFailed = false
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return { write }

  function write(lines: string): void {
    if (stream.writableLength + lines.length > mostWaiting) {
      dropped += 1
      return
    }
    const missing = dropped
    const written = lines === '' ? 0 : 1
    const text = missing === 0 ? lines : reportOf(missing, hasFailed) + lines
    dropped = 0
    try {
      stream.write(text, (error) => settle(missing + written, error))
    } catch {
      dropped += missing + written
    }
  }

  function settle(lines: number, error: Error | null | undefined): void {
    hasFailed = error instanceof Error
    if (hasFailed) dropped += lines
    else if (dropped > 0 && stream.writableLength === 0) write('')
  }
}

const ignore = (): void => {}

/** A line about lines that are missing. A disk that was full may have taken the beginning of one, which ends here. */
function reportOf(dropped: number, hasFailed: boolean): string {
  const line = {
    level: 40,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    dropped,
    msg: 'log lines were dropped, because they could not be written',
  }
  return `${hasFailed ? '\n' : ''}${JSON.stringify(line)}\n`
}
