import { channel } from 'node:diagnostics_channel'

/** Publishes the SQL of every statement that runs, as `{ sql }`. */
const statementChannel = channel('lapidary:statement')

/** Publishes a statement that is about to run. */
export function publishStatement(sql: string): void {
  if (statementChannel.hasSubscribers) statementChannel.publish({ sql })
}
