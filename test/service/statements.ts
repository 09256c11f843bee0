import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** The channel on which a store tells each statement it runs; begin and commit are not told. */
const channel = 'lapidary:statement'

/** Runs something and returns the SQL of every statement that ran meanwhile, in order. */
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
