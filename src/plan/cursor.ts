import type { Sealer } from '../model/seal.ts'
import type { Row } from './row-layout.ts'
import type { OrderTerm } from './sort.ts'

// A cursor is a sealed position in a sort order: the exact stored values of the sort keys of a row. It is bound to a type and a sort
// order, not to a filter, an identity, or the existence of the row.

/**
 * The exact value of a sort key, as a database returns it for a cursor: a text behind a letter for its type, or a double. Null for a key
 * that is null, which sorts as the largest value. Of the letters, `t` is a text; `u` a text of which the driver has replaced what is not
 * UTF-8; and `x` the bytes of a text in hexadecimal.
 */
export type KeyValue = string | number | null

/**
 * Where a position is: on the row of its keys, which is then on no page, just before it or just after it, or at an end of the list,
 * without keys.
 */
type PositionPlace = 'on' | 'before' | 'after' | 'end' | 'start'

/** A position in a sort order. */
export interface Position {
  readonly place: PositionPlace
  /** The values of the sort keys; absent at an end of the list, and if a key cannot be in a cursor. */
  readonly keys?: readonly KeyValue[]
  /** The id of the row whose keys cannot be in a cursor. */
  readonly id?: string
}

/** The sort order to which cursors are bound. */
export interface CursorOrder {
  readonly type: string
  /** The sort order as a client writes it, always with the id. */
  readonly sort: string
  /** The codecs of the sort keys: values of others are not comparable with them. */
  readonly codecs: string
  readonly sealer: Sealer
}

/** The version of the payload. */
const version = 2
/** The bytes in front of the sort order: the version, the place, and a checksum of the codecs. */
const headLength = 6
/** The most bytes of a key value in a cursor, with its letter. A longer one is read by the id of its row when the cursor is used. */
const maxKeyBytes = 513
const places = ['on', 'before', 'after', 'end', 'start'] as const
const nullTag = 0
const textTag = 1
const doubleTag = 2
const rowTag = 3

/** Writes a sort order as the parameter `sort`. */
export function formatOrder(order: readonly OrderTerm[]): string {
  const terms = order.map(({ path, field, isCount, descending }) =>
    [descending ? '-' : '', [...path, field, ...(isCount ? ['count'] : [])].join('.')].join(''),
  )
  return terms.join(',')
}

/** Where the key values are in a row: the index of the first one, and their number. */
interface KeyRange {
  readonly start: number
  readonly count: number
}

/** Returns the key values of a row, which the statements of cursor pages return behind its other values. */
export function readKeys(row: Row, { start, count }: KeyRange): readonly KeyValue[] {
  return row.slice(start, start + count) as readonly KeyValue[]
}

/** Whether a key value is too long for a cursor, or perhaps not what is stored: what is not UTF-8 became U+FFFD. */
function isIncomplete(key: KeyValue): boolean {
  if (typeof key !== 'string') return false
  return Buffer.byteLength(key) > maxKeyBytes || (key.startsWith('u') && key.includes('\ufffd'))
}

/** Whether the parameter of a key value is bound as the bytes of a text. */
export function isTextAsBytes(key: KeyValue): boolean {
  return typeof key === 'string' && key.startsWith('x')
}

/** The position of a row. */
export function positionOf(row: Row, range: KeyRange): Position {
  const keys = readKeys(row, range)
  return keys.some(isIncomplete) ? { place: 'on', id: String(row[0]) } : { place: 'on', keys }
}

/** The position beside an item on the other side of which a page was read, so that the item is not skipped. */
export function beside(position: Position, place: 'before' | 'after'): Position {
  return position.place === 'on' ? { ...position, place } : position
}

/** Seals a position as a cursor. */
export function sealCursor(
  { place, keys, id }: Position,
  { type, sort, codecs, sealer }: CursorOrder,
): string {
  const values = id === undefined ? (keys ?? []).map(encodeKey) : [encodeText(rowTag, id)]
  const head = Buffer.alloc(headLength)
  head[0] = version
  head[1] = places.indexOf(place)
  head.writeInt32LE(checksum(codecs), 2)
  const payload = Buffer.concat([head, encodeText(textTag, sort), ...values])
  return sealer.seal(contextOf(type, sort), payload)
}

/** What a cursor contains. */
interface OpenedCursor {
  readonly position: Position
  readonly sort: string
  /** Whether the values of its keys, if it has any, have the codecs of the order. */
  readonly isComparable: boolean
}

/** Opens a cursor of a type; `undefined` if it is damaged, of another type or of another secret. */
export function openCursor(
  text: string,
  { type, codecs, sealer }: Omit<CursorOrder, 'sort'>,
): OpenedCursor | undefined {
  const payload = sealer.open(text, (bytes) => {
    const sort = new Reader(bytes, headLength).readSort()
    return sort === undefined ? undefined : contextOf(type, sort)
  })
  if (payload === undefined || payload[0] !== version) return undefined
  const reader = new Reader(payload, headLength)
  const sort = reader.readSort()
  const place = places[payload[1] ?? places.length]
  if (sort === undefined || place === undefined) return undefined
  if (place === 'end' || place === 'start') return { sort, position: { place }, isComparable: true }
  const values = reader.readValues()
  const isComparable =
    values.id !== undefined || Buffer.from(payload).readInt32LE(2) === checksum(codecs)
  return { sort, position: { place, ...values }, isComparable }
}

/** A checksum of 32 bits. */
function checksum(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0
  return sum
}

function contextOf(type: string, sort: string): string {
  return `cursor ${JSON.stringify([type, sort])}`
}

function encodeText(tag: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(5)
  head[0] = tag
  head.writeUInt32LE(bytes.length, 1)
  // Most texts are short: their length takes one byte instead of four.
  return bytes.length < 0xff
    ? Buffer.concat([Buffer.from([tag, bytes.length]), bytes])
    : Buffer.concat([Buffer.from([tag, 0xff]), head.subarray(1), bytes])
}

function encodeKey(key: KeyValue): Buffer {
  if (key === null) return Buffer.from([nullTag])
  if (typeof key === 'string') return encodeText(textTag, key)
  const bytes = Buffer.alloc(9)
  bytes[0] = doubleTag
  bytes.writeDoubleLE(key, 1)
  return bytes
}

/** Reads the parts of a payload, which may be any bytes until it is authenticated. */
class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = at
  }

  readSort(): string | undefined {
    return this.#bytes[this.#at++] === textTag ? this.#readText() : undefined
  }

  /** Reads the values of an authentic payload. */
  readValues(): Pick<Position, 'keys' | 'id'> {
    const keys: KeyValue[] = []
    while (this.#at < this.#bytes.length) {
      const tag = this.#bytes[this.#at++]
      if (tag === rowTag) return { id: this.#readText() ?? '' }
      if (tag === nullTag) keys.push(null)
      else if (tag === textTag) keys.push(this.#readText() ?? '')
      else {
        keys.push(this.#bytes.readDoubleLE(this.#at))
        this.#at += 8
      }
    }
    return { keys }
  }

  #readText(): string | undefined {
    const short = this.#bytes[this.#at++]
    if (short === undefined) return undefined
    if (short < 0xff) return this.#take(short)
    if (this.#at + 4 > this.#bytes.length) return undefined
    const length = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    return this.#take(length)
  }

  #take(length: number): string | undefined {
    const end = this.#at + length
    if (end > this.#bytes.length) return undefined
    const text = this.#bytes.toString('utf8', this.#at, end)
    this.#at = end
    return text
  }
}
