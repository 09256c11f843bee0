import type { Model } from '../../model/model.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows, Rows } from '../../plan/read-result.ts'
import { type QueryRequest, runAsync, runSync } from '../executor.ts'
import { refuseTooManyOf, type SizeLimit } from '../resource-limit.ts'
import type { DuringRead, ReadOptions, Store } from '../store.ts'
import { type ConnectionOptions, SqliteConnection } from './connection.ts'
import { expensive, SqliteCosts } from './cost.ts'
import { remembered } from './counts.ts'
import type { DatabaseFile } from './file.ts'
import type { SqliteStatements } from './full-read.ts'
import type { SqliteOptions } from './options.ts'
import { afterWhole, isPointRead, queryOn, readSteps, streamOn } from './read.ts'
import { SqliteReaders } from './readers.ts'
import { LocalSessions, type ReadSession } from './session.ts'

/** How a store reads. */
export interface Reads {
  readonly read: Store['read']
  readonly close: () => void
}

/** What reads are made from. */
export interface ReadsSource {
  readonly model: Model
  readonly statements: SqliteStatements
  /** What a connection may keep in memory. */
  readonly prepared: ConnectionOptions
}

/**
 * Reads the last committed state. Cheap reads run at once on a common connection; expensive ones in another process, which
 * can be killed; whatever is streamed or waits for hooks has a connection of its own.
 */
export function readsOf(
  file: DatabaseFile,
  { model, statements, prepared }: ReadsSource,
  { timeout = 10_000, readers: mostReaders = 2, queueSize = 1000, maxResources }: SqliteOptions,
): Reads {
  const common = new SqliteConnection(file.path, 'reader', prepared)
  const local = new LocalSessions(file.path)
  const readers = new SqliteReaders(file.path, { readers: mostReaders, timeout, queueSize })
  const costs = new SqliteCosts(common, statements, model)
  const count = remembered(common)
  const limit: SizeLimit | undefined =
    maxResources === undefined ? undefined : { resources: maxResources }

  const query = ({ statement, values, isCount }: QueryRequest) =>
    isCount ? [[count(statement, values)]] : common.all(statement, values)

  /** Runs a cheap read at once; `undefined` when there is more than should be held at once. */
  const readNow = (plan: ReadPlan, id: string | undefined, began: number) => {
    const work = () => runSync(readSteps(statements, plan, id), query)
    if (isPointRead(plan, statements)) return work()
    return costs.measured(plan, began, () => common.snapshot(work))
  }

  const begin = (
    estimate: number,
    { isStream, signal }: Readonly<{ isStream: boolean; signal: ReadOptions['signal'] }>,
  ): Promise<ReadSession> =>
    estimate > expensive
      ? readers.begin({ isStream, estimate, signal: signal?.() })
      : local.begin({ timeout, signal: signal?.() })

  const stream = async (
    plan: ReadPlan,
    id: string | undefined,
    signal: ReadOptions['signal'],
  ): Promise<Rows> => {
    const session = await begin(costs.stream(plan), { isStream: true, signal })
    return ended(session, () => streamOn(session, { statements, plan, id, limit }))
  }

  /** Runs a read on a connection of its own; `undefined` when it has to be streamed. */
  const readApart = async (
    plan: ReadPlan,
    id: string | undefined,
    { during, signal }: ReadOptions,
  ): Promise<Rows | undefined> => {
    // Hooks take their own time, and what they watch may become a stream: each statement has a deadline of its own.
    const session = await begin(costs.whole(plan), { isStream: during !== undefined, signal })
    return ended(session, async () => {
      const run = queryOn(session)
      await during?.before(run)
      const whole = await runAsync(readSteps(statements, plan, id), (each) => session.query(each))
      if (whole === undefined && during) {
        const after: DuringRead['after'] = during.after
        return streamOn(session, {
          ...{ statements, plan, id, limit },
          after: (rows, layout) => after(rows, layout, run),
        })
      }
      if (whole && during) await afterWhole(whole, plan, during, run)
      session.end()
      return whole
    })
  }

  return {
    read: async (plan, id, { during, signal } = {}) => {
      const now = performance.now()
      file.verifyNowAndThen(now)
      const isApart = during !== undefined || costs.whole(plan, now) > expensive
      const rows = isApart ? await readApart(plan, id, { during, signal }) : readNow(plan, id, now)
      if (rows === undefined) return stream(plan, id, signal)
      return limit && rows.is === 'complete' ? checked(rows, limit, plan) : rows
    },
    close: () => {
      readers.close()
      local.close()
      common.close()
    },
  }
}

/** @throws ParameterError `too_many_resources` (400) when there are more than allowed */
function checked(rows: CompleteRows, limit: SizeLimit, plan: ReadPlan): CompleteRows {
  refuseTooManyOf(rows, plan, limit)
  return rows
}

/** Runs work on a session, which ends when the work fails. */
async function ended<Result>(session: ReadSession, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    session.end()
    throw error
  }
}
