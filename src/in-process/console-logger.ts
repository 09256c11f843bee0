import type { Logger } from '../model/request-context.ts'

type Write = Logger['error']

/** Returns the logger of calls that have none: it writes warnings and errors to standard error, for people to read. */
export function createConsoleLogger(): Logger {
  const ignore: Write = () => {}
  const write: Write = (fields: object | string, message?: string) =>
    message === undefined ? console.error(fields) : console.error(message, fields)
  return { trace: ignore, debug: ignore, info: ignore, warn: write, error: write, fatal: write }
}
