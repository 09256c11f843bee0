/** The options of a SQLite database. */
export interface SqliteOptions {
  /**
   * Whether the file must exist, and is only read: writes fail, and the file is not converted to WAL mode. Default false.
   */
  readonly readOnly?: boolean
  /** The maximum duration of a read in milliseconds. Default 10 s. */
  readonly timeout?: number
  /**
   * The maximum number of processes that run expensive reads, and also of those that stream expensive lists. They start on
   * demand. Default 2.
   */
  readonly readers?: number
  /** The maximum number of writes, and of expensive reads, that wait; further ones get 503. Default 1000. */
  readonly queueSize?: number
  /** The memory for compiled statements in bytes. Default 64 MiB. */
  readonly statementCache?: number
  /** The maximum number of resources in a response, including included ones. Default unlimited. */
  readonly maxResources?: number | undefined
}
