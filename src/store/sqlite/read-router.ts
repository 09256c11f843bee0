import type { Model } from '../../model/model.ts'
import type { ReadPlan } from '../../plan/read.ts'
import type { CompleteRows, Rows } from '../../plan/read-result.ts'
import { type QueryRequest, runAsync, runSync } from '../executor.ts'
import { checkResourceLimit, type SizeLimit } from '../resource-limit.ts'
import { notFoundError } from '../run.ts'
import type { Statement } from '../statement.ts'
import type { ReadHooks, ReadOptions, Store } from '../store.ts'
import { type ConnectionOptions, SqliteConnection } from './connection.ts'
import { LocalSessions, type ReadSession } from './connection-pool.ts'
import { expensive, SqliteCosts } from './cost-model.ts'
import { remembered } from './counts.ts'
import type { DatabaseFile } from './database-file.ts'
import type { SqliteStatements, WholeRead } from './full-read.ts'
import type { SqliteOptions } from './options.ts'
import { afterWhole, queryOn, readSteps, streamOn } from './read.ts'
import { SqliteReaders } from './reader-pool.ts'
import type { ReadCost } from './statement-cost.ts'

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
  const readNow = (
    plan: ReadPlan,
    id: string | undefined,
    { whole, cost, began }: Readonly<{ whole: WholeRead; cost: ReadCost; began: number }>,
  ): CompleteRows | undefined => {
    if (whole.isPointRead) return pointRead(whole.read.firstBatch, plan, id)
    const cpuBefore = cost.isSuspect ? process.threadCpuUsage() : undefined
    const rows = common.snapshot(() => runSync(readSteps({ statements, whole }, plan, id), query))
    costs.learn(cost, began, cpuBefore)
    return rows
  }

  /** Looks one row up by its id. @throws NotFoundError */
  const pointRead = (
    statement: Statement,
    plan: ReadPlan,
    id: string | undefined,
  ): CompleteRows => {
    const primary = common.all(statement, { parameters: plan.values, id })
    if (primary.length === 0) throw notFoundError(plan.notFound, id)
    return { is: 'complete', count: 1, primary, included: [] }
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
    const estimate = costs.estimate(costs.stream(plan), plan, performance.now())
    const session = await begin(estimate, { isStream: true, signal })
    return ended(session, () => streamOn(session, { statements, plan, id, limit }))
  }

  /** Runs a read on a connection of its own; `undefined` when it has to be streamed. */
  const readApart = async (
    plan: ReadPlan,
    id: string | undefined,
    {
      whole: compiled,
      estimate,
      hooks,
      signal,
    }: ReadOptions & Readonly<{ whole: WholeRead; estimate: number }>,
  ): Promise<Rows | undefined> => {
    // Hooks take their own time, and what they watch may become a stream: each statement has a deadline of its own.
    const session = await begin(estimate, { isStream: hooks !== undefined, signal })
    return ended(session, async () => {
      const run = queryOn(session)
      await hooks?.before(run)
      const whole = await runAsync(readSteps({ statements, whole: compiled }, plan, id), (each) =>
        session.query(each),
      )
      if (whole === undefined && hooks) {
        const after: ReadHooks['after'] = hooks.after
        return streamOn(session, {
          ...{ statements, plan, id, limit },
          after: (rows, layout) => after(rows, layout, run),
        })
      }
      if (whole && hooks) await afterWhole(whole, plan, hooks, run)
      session.end()
      return whole
    })
  }

  const within = limit
    ? (rows: Rows, plan: ReadPlan) => (rows.is === 'complete' ? checked(rows, limit, plan) : rows)
    : (rows: Rows) => rows

  return {
    read: (plan, id, options = none) => {
      const now = performance.now()
      file.verifyNowAndThen(now)
      const whole = statements.whole(plan.shape)
      const cost = costs.whole(whole, plan.shape)
      const estimate = costs.estimate(cost, plan, now)
      if (options.hooks !== undefined || estimate > expensive)
        return readApart(plan, id, { ...options, whole, estimate }).then(async (rows) =>
          within(rows ?? (await stream(plan, id, options.signal)), plan),
        )
      const rows = readNow(plan, id, { whole, cost, began: now })
      return rows ? within(rows, plan) : stream(plan, id, options.signal)
    },
    close: () => {
      readers.close()
      local.close()
      common.close()
    },
  }
}

const none: ReadOptions = {}

/** @throws ParameterError `too_many_resources` (400) when there are more than allowed */
function checked(rows: CompleteRows, limit: SizeLimit, plan: ReadPlan): CompleteRows {
  checkResourceLimit(rows, plan, limit)
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
