import type { Logger } from '../model/declare/request-context.ts'
import {
  type ObservedStatement,
  partMeasured,
  requestEnded,
  statementEnded,
} from '../observe/events.ts'
import { createStatementDescriber } from './describe-statement.ts'

/** The options of `logSlowStatements`. */
export interface SlowStatementOptions {
  /** The logger, e.g. that of Fastify. */
  readonly log: Pick<Logger, 'warn'>
  /** The duration from which a statement is logged, in milliseconds. */
  readonly threshold: number
  /** The clock, in milliseconds. Default: that of `performance.now`. */
  readonly now?: () => number
}

/** How long a statement is not logged again, in milliseconds. */
const interval = 60_000
/** How many statements are remembered. Beyond it those are forgotten that were logged first. */
const maxStatements = 1000

/**
 * Logs every statement that takes long, with the route of its request, its SQL without values, its duration and its rows, and the indexes
 * that the read of its request lacks. Each statement has at most one line a minute. To find indexes the read is explained, which runs it
 * once more; one at a time.
 * @returns ends it
 */
export function logSlowStatements({
  log,
  threshold,
  now = () => performance.now(),
}: SlowStatementOptions): () => void {
  const logged = new Map<string, number>()
  const describeStatement = createStatementDescriber()
  let isExplaining = false
  const explain = async ({ request }: ObservedStatement): Promise<readonly string[]> => {
    if (isExplaining || request?.findIndexes === undefined) return []
    isExplaining = true
    try {
      return await request.findIndexes()
    } catch {
      // The resource is gone, or the database too busy.
      return []
    } finally {
      isExplaining = false
    }
  }
  const listen = (observed: ObservedStatement) => {
    if (observed.duration < threshold) return
    const { text } = describeStatement(observed.statement)
    const last = logged.get(text)
    if (last !== undefined && now() - last < interval) return
    logged.delete(text)
    logged.set(text, now())
    const [oldest] = logged.keys()
    if (logged.size > maxStatements && oldest !== undefined) logged.delete(oldest)
    void explain(observed).then((indexes) => write(observed, text, indexes))
  }
  const write = (
    { request, duration, rows }: ObservedStatement,
    statement: string,
    indexes: readonly string[],
  ) => {
    const entry = {
      ...(request?.route && { route: request.route.path }),
      statement,
      ms: Math.round(duration * 10) / 10,
      rows,
      ...(indexes.length > 0 && { indexes }),
    }
    log.warn(entry, 'slow statement')
  }
  statementEnded.subscribe(listen)
  // The statements of requests know them then.
  requestEnded.subscribe(ignore)
  partMeasured.subscribe(ignore)
  return () => {
    statementEnded.unsubscribe(listen)
    requestEnded.unsubscribe(ignore)
    partMeasured.unsubscribe(ignore)
  }
}

function ignore(): void {}
