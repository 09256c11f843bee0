import { isObject } from '../../../model/json.ts'

/** The names of Pino's levels (https://getpino.io/#/docs/api?id=logger-level). */
const levelNames: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** Fields that every line has, and that say nothing in a terminal. */
const hidden = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/**
 * Formats a line of Pino for a terminal: time, level, message, other fields; then the stack of an error.
 *
 * @param line - JSON, with or without its line feed
 * @returns text with a line feed, without control characters from the fields; the line itself when it is not Pino's
 */
export function formatLogLine(line: string): string {
  const entry = parseEntry(line)
  if (entry === undefined) return line
  const { level, time, msg, err } = entry
  const clock = new Date(Number(time)).toISOString().slice(11, 23)
  const name = (levelNames[Number(level)] ?? String(level)).padEnd(5)
  const stack = isObject(err) ? `\n${escapeControls(String(err.stack ?? err.message))}` : ''
  return `${clock} ${name} ${escapeControls(describe(entry, String(msg ?? '')))}${stack}\n`
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) && typeof entry.time === 'number' ? entry : undefined
  } catch {
    return undefined
  }
}

/** A line of the access log reads like a request; any other is its message and its fields. */
function describe(entry: Readonly<Record<string, unknown>>, message: string): string {
  const { method, route, status, ms, bytes, reqId } = entry
  if (message === 'request' && status !== undefined) {
    const size = bytes === undefined ? '' : ` ${bytes} B`
    return `${method} ${route ?? '(no route)'} ${status} ${ms} ms${size} ${reqId}`
  }
  const fields = Object.entries(entry).filter(([name]) => !hidden.has(name))
  return [message, ...fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(' ')
}

/** Keeps a client from sending control sequences to the terminal; tabs and line feeds of a stack remain. */
function escapeControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}
