import type { ReadPlan } from '../plan/read.ts'
import type { ListEnd, Rows } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { RowSerializer } from './resource.ts'
import { getIncludedSerializer, type ShapeSerializers, serializeRows } from './rows.ts'

type StreamedRows = Extract<Rows, { is: 'stream' }>

/**
 * Serializes a list chunk by chunk, to the same text as a list that is complete.
 *
 * @param formatTail - returns the members behind `data` and `included`, and the closing brace
 */
export async function* streamList(
  plan: ReadPlan,
  rows: StreamedRows,
  serializers: ShapeSerializers,
  serialize: RowSerializer,
  formatTail: (end: ListEnd) => string,
): AsyncGenerator<string> {
  try {
    let count = 0
    let first: Row | undefined
    let last: Row | undefined
    let separator = '{"data":['
    for await (const batch of rows.primary) {
      count += batch.length
      first ??= batch[0]
      last = batch.at(-1) ?? last
      yield separator + serializeRows(batch, serialize)
      separator = ','
    }
    // A stream may be empty: its rows may have been deleted since the store decided to stream.
    yield separator === ',' ? ']' : `${separator}]`
    if (plan.hasIncluded) yield* streamIncluded(rows, serializers)
    const total = plan.shape.cursors ? rows.count : (rows.count ?? count)
    yield formatTail({ count: total, first, last, hasMore: rows.hasMore ?? false })
  } finally {
    rows.end()
  }
}

/**
 * Serializes the document of one resource chunk by chunk.
 *
 * @param tail - the members behind `data` and `included`, and the closing brace
 */
export async function* streamSingle(
  plan: ReadPlan,
  rows: StreamedRows,
  serializers: ShapeSerializers,
  serialize: RowSerializer,
  tail: string,
): AsyncGenerator<string> {
  try {
    let data: string | undefined
    for await (const batch of rows.primary) for (const row of batch) data = serialize(row)
    yield `{"data":${data ?? 'null'}`
    if (plan.hasIncluded && data !== undefined) yield* streamIncluded(rows, serializers)
    yield tail
  } finally {
    rows.end()
  }
}

async function* streamIncluded(
  rows: StreamedRows,
  serializers: ShapeSerializers,
): AsyncGenerator<string> {
  let separator = ',"included":['
  for await (const { type, rows: batch } of rows.included) {
    yield separator + serializeRows(batch, getIncludedSerializer(type, serializers))
    separator = ','
  }
  yield separator === ',' ? ']' : `${separator}]`
}
