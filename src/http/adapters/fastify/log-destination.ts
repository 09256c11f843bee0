import { hostname } from 'node:os'
import type { Writable } from 'node:stream'

/** The most characters in the buffer of the stream. Lines beyond it are dropped. */
const maxBuffered = 1024 * 1024

/** A destination of log lines, as Pino calls it. */
interface LogDestination {
  /** Writes complete lines, each with its line feed. */
  write(lines: string): void
}

/**
 * Creates a log destination for a stream that may be slow, full or closed: it never throws, never waits, and buffers at
 * most 1 MiB. It drops and counts the lines that it cannot write. Before the next line it writes how many are missing.
 * The process writes the buffered lines before it exits by itself.
 *
 * @param stream - e.g. standard error; its errors no longer end the process
 */
export function createTolerantDestination(stream: Writable): LogDestination {
  let dropped = 0
  let hasFailed = false
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return { write }

  function write(lines: string): void {
    if (stream.writableLength + lines.length > maxBuffered) {
      dropped += 1
      return
    }
    const missing = dropped
    const written = lines === '' ? 0 : 1
    const text = missing === 0 ? lines : formatDropReport(missing, hasFailed) + lines
    dropped = 0
    try {
      stream.write(text, (error) => finishWrite(missing + written, error))
    } catch {
      dropped += missing + written
    }
  }

  function finishWrite(lines: number, error: Error | null | undefined): void {
    hasFailed = error instanceof Error
    if (hasFailed) dropped += lines
    else if (dropped > 0 && stream.writableLength === 0) write('')
  }
}

const ignore = (): void => {}

/** Formats a line that reports dropped lines. After a failure, a full disk may hold the beginning of a line: it ends here. */
function formatDropReport(dropped: number, hasFailed: boolean): string {
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
