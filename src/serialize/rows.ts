import type { RowBatch } from '../plan/read-result.ts'
import type { Row } from '../plan/row-layout.ts'
import type { RowSerializer } from './resource.ts'

/** The serializers of a query shape. */
export interface ShapeSerializers {
  readonly primary: RowSerializer
  /** Serializes primary rows as identifier objects. */
  readonly identifier: RowSerializer
  /** The serializers of included resources, by type. */
  readonly included: ReadonlyMap<string, RowSerializer>
}

/** Serializes rows, separated by commas. */
export function serializeRows(rows: readonly Row[], serialize: RowSerializer): string {
  let text = ''
  for (const row of rows) text += text === '' ? serialize(row) : `,${serialize(row)}`
  return text
}

/** Serializes the member `included` with a comma in front of it. */
export function serializeIncluded(
  batches: readonly RowBatch[],
  serializers: ShapeSerializers,
): string {
  let text = ''
  for (const { type, rows } of batches) {
    if (rows.length > 0)
      text += (text && ',') + serializeRows(rows, getIncludedSerializer(type, serializers))
  }
  return `,"included":[${text}]`
}

/** Returns the serializer of included resources of a type. */
export function getIncludedSerializer(type: string, { included }: ShapeSerializers): RowSerializer {
  const serialize = included.get(type)
  if (serialize === undefined) throw new Error(`The plan includes no ${type}.`)
  return serialize
}
