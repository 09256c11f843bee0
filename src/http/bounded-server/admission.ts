/** The numbers of connections that a server accepts; over HTTP/2 also of requests that it processes at once. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

/** Counts what is open, in total and from each address, and rejects what would be beyond the limits. */
export class Admission {
  readonly #limits: ConnectionLimits
  readonly #perAddress = new Map<string, number>()
  #open = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /**
   * Counts one more from an address, until `leave` is called.
   *
   * @param address - empty for a Unix socket, which has none, and for a socket whose client has disconnected
   * @returns false if a limit is reached; then it is not counted
   */
  enter(address: string): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits
    const fromAddress = this.#perAddress.get(address) ?? 0
    const isAddressFull = address !== '' && fromAddress >= maxConnectionsPerAddress
    if (isAddressFull || this.#open >= maxConnections) return false
    this.#open += 1
    this.#perAddress.set(address, fromAddress + 1)
    return true
  }

  /** Counts one less from an address. */
  leave(address: string): void {
    this.#open -= 1
    const remaining = (this.#perAddress.get(address) ?? 0) - 1
    if (remaining > 0) this.#perAddress.set(address, remaining)
    else this.#perAddress.delete(address)
  }
}
