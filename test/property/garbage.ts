/** A malformed request that is still HTTP. */
export interface Garbage {
  readonly method: string
  readonly path: string
  /** As it is sent, without the `?`. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | Buffer
  /** Whether it must be rejected; otherwise the damage may have been harmless. */
  readonly hopeless: boolean
}

/** Bytes for a bare connection, which may be no HTTP at all. */
export interface BareGarbage {
  /** The method, for the checker and for what body to expect. */
  readonly method: string
  readonly target: string
  readonly bytes: Buffer
  /**
   * What must come back: `document` when the bytes are an HTTP request; else (`protocol`)
   * an empty 4xx response or a closed connection will do as well.
   */
  readonly response: 'document' | 'protocol'
  /** Whether the client stops sending after the bytes, for those that a server may wait for more of. */
  readonly ends: boolean
}

/** Paths of the service that are returned by GET; resources 1 exist. */
export const goodPaths = [
  '/persons',
  '/computers',
  '/persons/1',
  '/computers/1',
  '/persons/1/computers',
  '/computers/1/owner',
  '/persons/1/relationships/computers',
  '/computers/1/relationships/owner',
] as const

/** Those of them that response with a collection of resources. */
export const collectionPaths = ['/persons', '/computers', '/persons/1/computers'] as const
