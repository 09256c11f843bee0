/** What may be said of a PostgreSQL database beside its address. */
export interface PostgresOptions {
  /** Streaming standbys of the database to read from, one address each. Default none. */
  readonly replicaUrls?: readonly string[]
  /** The most connections. Default 10. */
  readonly poolSize?: number
  /** How many requests may wait for a connection; more are told to come back. Default 1000. */
  readonly queueSize?: number
  /** How long a request waits for a connection, and a statement may run, each in milliseconds. Default 10 s. */
  readonly timeout?: number
  /**
   * Whether the server keeps statements under names and takes our settings of the session. Turn it off behind a pooler
   * that lends a server's connection for one transaction at a time. Default yes.
   */
  readonly keepsSessions?: boolean
}
