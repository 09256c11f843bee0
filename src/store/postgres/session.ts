import type { PoolClient } from 'pg'
import { cancelRequest } from './cancel.ts'
import { PreparedStatements } from './prepared.ts'

/** The limits of the sessions of a pool. */
export interface SessionLimits {
  /** How long a statement may run, in milliseconds. */
  readonly timeout: number
  /** How long the driver waits for a statement before it cancels it, in milliseconds: longer than the server's own limit. */
  readonly driverTimeout: number
  /** The bytes of compiled statements in the store's cache; a session keeps prepared statements in proportion. */
  readonly statementCache: number
}

/** How much longer than the server's own limit the driver waits for a statement, in milliseconds: the server may hang. */
export const cancelGracePeriod = 1000

/** A connection of a pool, with the state of its session. */
export class Session {
  readonly client: PoolClient
  readonly limits: SessionLimits
  readonly prepared: PreparedStatements
  /** How many times in a row the session was handed over (`session-pool.ts`). */
  handovers = 0
  /** Takes the session back, or closes it if it is broken. */
  onRelease: (isBroken: boolean) => void = (isBroken) => this.client.release(isBroken)

  constructor(client: PoolClient, limits: SessionLimits) {
    this.client = client
    this.limits = limits
    this.prepared = new PreparedStatements(limits.statementCache)
  }

  /**
   * Cancels the running statement. Nothing may be sent before this returns.
   * @returns false if the connection must not be used any more
   */
  cancel(): Promise<boolean> {
    return cancelRequest(this.client).catch(() => false)
  }

  /** Returns the connection to its pool, or closes it if it is broken. */
  release(isBroken: boolean): void {
    this.onRelease(isBroken)
  }
}
