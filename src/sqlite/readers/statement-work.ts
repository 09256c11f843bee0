import { channel } from 'node:diagnostics_channel'
import type { PreparedStatement } from '../connection/prepared.ts'

/** Publishes the work of every statement that returned rows, as `StatementWork`. */
export const workChannel = channel('lapidary:work')

/** The work that SQLite did for a statement. */
export interface StatementWork {
  readonly sql: string
  /** Operations of SQLite's virtual machine (`SQLITE_STMTSTATUS_VM_STEP`). */
  readonly steps: number
  readonly rows: number
}

/** Publishes the work of a statement since the last call for it. */
export function publishWork({ handle }: PreparedStatement, sql: string, rows: number): void {
  if (!workChannel.hasSubscribers) return
  const work: StatementWork = { sql, steps: handle.stat?.('vmStep') ?? 0, rows }
  workChannel.publish(work)
  handle.resetStats?.()
}
