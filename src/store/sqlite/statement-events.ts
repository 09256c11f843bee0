import { channel } from 'node:diagnostics_channel'
import type { Prepared } from './rows.ts'

/** Every statement that is run is published here as `{ sql }`; whoever wants to count them subscribes. */
const statements = channel('lapidary:statement')

/** Tells whoever counts statements of one. */
export function publish(sql: string): void {
  if (statements.hasSubscribers) statements.publish({ sql })
}

/** What each read cost is published here as `{ sql, steps, rows }`: the operations that SQLite carried out (vmStep). */
export const work = channel('lapidary:work')

/** What a statement cost. */
export interface StatementWork {
  readonly sql: string
  readonly steps: number
  readonly rows: number
}

/** Publishes what a statement cost since this was done the last time. */
export function publishWork({ sync }: Prepared, sql: string, rows: number): void {
  if (!work.hasSubscribers) return
  const cost: StatementWork = { sql, steps: sync.stat?.('vmStep') ?? 0, rows }
  work.publish(cost)
  sync.resetStats?.()
}
