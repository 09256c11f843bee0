/** What may be said of a PostgreSQL database beside its address. */
export interface PostgresOptions {
  /** Streaming standbys of the database to read from, one address each. Default none. */
  readonly replicaUrls?: readonly string[]
  /** The most connections. Default 10. */
  readonly poolSize?: number
  /** How many requests may wait for a connection; more are told to come back. Default 1000. */
  readonly queueSize?: number
  /**
   * How long a request waits for a connection, and a statement may run, each in milliseconds. A read that is stopped is
   * `query_timeout` (503). Default 10 s.
   */
  readonly timeout?: number
  /**
   * How long a streamed response may wait for a client that accepts no data, in milliseconds: the server's connections are
   * closed then, so that the database waits somewhat longer before it ends the transaction. Default 60 s.
   */
  readonly sendTimeout?: number
  /** The most resources in a response, included ones counted; more are `too_many_resources` (400). Default none. */
  readonly maxResources?: number | undefined
  /** Bytes of compiled statements that are kept; what connections keep prepared is in proportion. Default 64 MiB. */
  readonly statementCache?: number
  /**
   * Whether the server keeps statements under names and takes our settings of the session. Turn it off behind a pooler
   * that lends a server's connection for one transaction at a time. Default yes.
   */
  readonly keepsSessions?: boolean
}
