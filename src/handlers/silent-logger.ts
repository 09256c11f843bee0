import type { Logger } from '../model/request-context.ts'

const ignore = (): void => {}

/** A logger for reads that are not requests of a client: it writes nothing. */
export const silentLogger: Logger = {
  ...{ trace: ignore, debug: ignore, info: ignore },
  ...{ warn: ignore, error: ignore, fatal: ignore },
}
