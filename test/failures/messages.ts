/** A message of the protocol of PostgreSQL. The first ones of a client have no type. */
export interface Message {
  readonly type: string
  readonly bytes: Buffer
}

/**
 * Splits received bytes into messages (PostgreSQL 18, 54.7).
 *
 * @param untyped - the number of messages without a type at the beginning
 */
export function messageReader(untyped: number): (piece: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0)
  let left = untyped
  return (piece) => {
    rest = Buffer.concat([rest, piece])
    const messages: Message[] = []
    for (;;) {
      const start = left > 0 ? 0 : 1
      if (rest.length < start + 4) return messages
      const length = start + rest.readUInt32BE(start)
      if (rest.length < length) return messages
      const type = left > 0 ? '' : String.fromCharCode(rest[0] ?? 0)
      messages.push({ type, bytes: rest.subarray(0, length) })
      left -= 1
      rest = rest.subarray(length)
    }
  }
}

/** Writes a message. */
export function messageOf(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`)
      const number = Buffer.alloc(4)
      number.writeInt32BE(part)
      return number
    }),
  )
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
