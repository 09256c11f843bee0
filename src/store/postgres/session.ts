import type { PoolClient } from 'pg'
import { cancelRequest } from './cancel.ts'
import { PreparedStatements } from './prepared.ts'

/** What bounds the sessions of a pool. */
export interface SessionLimits {
  /** How long a statement may run, in milliseconds. */
  readonly timeout: number
  /** How long the driver waits for one before it has the server stop it, in milliseconds: longer than the server's own limit. */
  readonly driverTimeout: number
  /** The bytes of compiled statements that a store keeps; a session keeps prepared statements in proportion. */
  readonly statementCache: number
}

/** How much longer than the server's own limit a statement is waited for, in milliseconds: a server may hang. */
export const cancelGracePeriod = 1000

/** A connection of a pool, for as long as it lives, with what is known of its session. */
export class Session {
  readonly client: PoolClient
  readonly limits: SessionLimits
  readonly prepared: PreparedStatements

  constructor(client: PoolClient, limits: SessionLimits) {
    this.client = client
    this.limits = limits
    this.prepared = new PreparedStatements(limits.statementCache)
  }

  /** Has the server stop what runs; nothing may be sent before this returns, and nothing at all when it returns false. */
  cancel(): Promise<boolean> {
    return cancelRequest(this.client).catch(() => false)
  }

  /** Gives the connection back to its pool, or ends it. */
  release(isBroken: boolean): void {
    this.client.release(isBroken)
  }
}
