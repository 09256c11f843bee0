import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** The channel on which a store publishes each statement that it runs, except begin and commit. */
const channel = 'lapidary:statement'

/** Returns the SQL of the statements that run during a function, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const listen = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'sql' in message) {
      statements.push(String(message.sql))
    }
  }
  subscribe(channel, listen)
  try {
    await work()
  } finally {
    unsubscribe(channel, listen)
  }
  return statements
}
