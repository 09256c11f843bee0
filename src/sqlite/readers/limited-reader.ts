import type { Statement } from '../../sql/statement.ts'
import { bound } from '../../sql/statement-values.ts'
import { Reader } from './reader.ts'

/** Runs statements in a process of their own, which is killed when one of them takes too long. It starts with the first one. */
export class LimitedReader {
  readonly #path: string
  readonly #timeout: number
  #reader: Reader | undefined

  /** @param timeout - the longest duration of a statement, in milliseconds */
  constructor(path: string, timeout: number) {
    this.#path = path
    this.#timeout = timeout
  }

  /** Returns the rows of a statement as the driver reads them. No file is created or changed. @throws HttpError `query_timeout` (503) */
  async all(statement: Statement): Promise<unknown[][]> {
    let reader = this.#reader
    if (!reader?.isAlive) {
      reader = new Reader(this.#path, () => {}, { role: 'introspector' })
      this.#reader = reader
      // The time is that of the statement.
      await reader.waitForStart()
    }
    const values = bound(statement, { planValues: [] })
    const deadline = { remaining: this.#timeout, timeout: this.#timeout }
    const reply = await reader.request({ do: 'all', sql: statement.sql, values }, deadline)
    if (reply.is === 'rows') return reply.rows
    throw new Error('message' in reply ? reply.message : `unexpected reply ${reply.is}`)
  }

  /** Kills the process. */
  close(): void {
    this.#reader?.kill()
  }
}
