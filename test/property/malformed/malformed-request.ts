/** A malformed request that is still HTTP. */
export interface MalformedRequest {
  readonly method: string
  readonly path: string
  /** As it is sent, without the `?`. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | Buffer
  /** Whether it must be rejected; other requests may be valid by chance. */
  readonly isInvalid: boolean
}

/** The bytes of a request, which may not be HTTP. */
export interface RawRequest {
  /** The method, for the checker and for what body to expect. */
  readonly method: string
  readonly target: string
  readonly bytes: Buffer
  /**
   * The expected response: `document` if the bytes are an HTTP request. For `protocol`, an empty 4xx response or a closed connection
   * is accepted too.
   */
  readonly response: 'document' | 'protocol'
  /** Whether the client ends the connection after the bytes, because a server may wait for more. */
  readonly ends: boolean
}

/** Paths of the service that GET returns, if the resources with the id 1 exist. */
export const validPaths = [
  '/persons',
  '/computers',
  '/persons/1',
  '/computers/1',
  '/persons/1/computers',
  '/computers/1/owner',
  '/persons/1/relationships/computers',
  '/computers/1/relationships/owner',
] as const

/** The paths of collections. */
export const collectionPaths = ['/persons', '/computers', '/persons/1/computers'] as const
