/** The key of a write, and what must be equal when it is repeated. */
export interface ClaimedKey {
  readonly principal: string
  readonly key: string
  readonly fingerprint: string
  /** A digest of what decides which rows and fields the identity sees. */
  readonly view: string
}

/** The response to a write, as its repetition gets it. */
export interface StoredResponse {
  readonly fingerprint: string
  readonly view: string
  readonly status: number
  /** JSON of the rest of the response. */
  readonly rest: string
}

/** The operations of a transaction on keys. */
export interface IdempotencyOperations {
  /**
   * Inserts a key. It does not wait.
   * @param now - milliseconds since 1970
   * @returns `new` if it was inserted: the caller writes, and calls `store`; `taken` if a transaction has it that has not ended; otherwise
   *   the response to the request that had it
   */
  claim(key: ClaimedKey, now: number): Promise<StoredResponse | 'new' | 'taken'>
  store(key: ClaimedKey, response: Pick<StoredResponse, 'status' | 'rest'>): Promise<void>
  /** Deletes keys that were inserted before a time, at most 1000. @returns how many it deleted */
  deleteBefore(time: number): Promise<number>
}
