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

/** A key that must be new is known already, or another transaction has it, which has not ended. */
export class KeyTakenError extends Error {}

/** The operations of a transaction on keys. */
export interface IdempotencyOperations {
  /**
   * Inserts a key in one round trip with the statements that follow, which are not executed unless the key is new. Absent where each
   * statement is executed when it is called.
   * @throws KeyTakenError
   */
  readonly claimAhead?: (key: ClaimedKey, now: number) => Promise<void>
  /**
   * Inserts a key. It does not wait.
   * @param now - milliseconds since 1970
   * @returns `new` if it was inserted: the caller writes, and calls `store`; `taken` if a transaction has it that has not ended; otherwise
   *   the response to the request that had it
   */
  claim(key: ClaimedKey, now: number): Promise<StoredResponse | 'new' | 'taken'>
  /** Stores the response to the write, as the last statement before the commit, whose error this one may become. */
  store(key: ClaimedKey, response: Pick<StoredResponse, 'status' | 'rest'>): Promise<void>
  /** Deletes keys that were inserted before a time, at most 1000. @returns how many it deleted */
  deleteBefore(time: number): Promise<number>
}
