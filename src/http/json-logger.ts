import type { Logger } from '../model/declare/request-context.ts'

/** Creates the logger of an adapter without one: warnings and errors as lines of JSON on standard error, for programs to read. */
export function createJsonLogger(): Logger {
  const write =
    (level: string) =>
    (first: object | string, message?: string): void => {
      const fields = typeof first === 'string' ? { message: first } : { message, ...first }
      console.error(
        JSON.stringify({ level, time: new Date().toISOString(), ...fields }, showErrors),
      )
    }
  const ignore = () => {}
  return {
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  }
}

/** JSON has no errors: shows their stack, which begins with the message, and their cause. */
function showErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { stack, cause } = value
  return { stack, ...(cause === undefined ? {} : { cause }) }
}
