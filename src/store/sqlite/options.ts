/** What may be said of a SQLite database beside its path. */
export interface SqliteOptions {
  /** How long a read may take, in milliseconds. Default 10 s. */
  readonly timeout?: number
  /**
   * The most processes that run expensive reads, and as many again that stream expensive lists; they are started when they
   * are needed. Default 2.
   */
  readonly readers?: number
  /** How many writes, and how many expensive reads, may wait for their turn; more get 503. Default 1000. */
  readonly queueSize?: number
  /** How much memory compiled statements take, in bytes. Default 64 MiB. */
  readonly statementCache?: number
  /** The most resources in a response, included ones counted. Default none. */
  readonly maxResources?: number | undefined
}
