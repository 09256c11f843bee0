import { channel } from 'node:diagnostics_channel'
import { quote } from '../../errors/quote.ts'

/** A stored value that does not belong to the kind of its attribute. */
export interface InvalidValue {
  readonly type: string
  /** The id of the resource. */
  readonly id: string
  /** The attributes that read it. */
  readonly attributes: readonly string[]
  readonly table: string
  /** The column; absent for an expression. */
  readonly column?: string
  /** The value as the driver returns it. */
  readonly value: unknown
}

/** Called for each stored value that is returned as null because it does not belong to its kind. */
export type ReportInvalidValue = (invalid: InvalidValue) => void

/** Publishes every `InvalidValue` that is returned as null, so that a program can count them. */
const invalidValueChannel = channel('lapidary:invalid-value')

/** The least time between two warnings about one attribute, in milliseconds. */
const warningInterval = 60_000

/**
 * Creates the report of values that are returned as null: each is published to the channel `lapidary:invalid-value`, and
 * the first of an attribute is a warning of the process, then at most one a minute with the number since the last.
 * @param warn - emits a warning
 */
export function createInvalidValueReport(
  warn: (message: string) => void = emitWarning,
  now: () => number = Date.now,
): ReportInvalidValue {
  const reported = new Map<string, { count: number; warnAt: number }>()
  return (invalid) => {
    if (invalidValueChannel.hasSubscribers) invalidValueChannel.publish(invalid)
    const key = JSON.stringify([invalid.type, invalid.attributes])
    const state = reported.get(key) ?? { count: 0, warnAt: 0 }
    reported.set(key, state)
    state.count += 1
    const time = now()
    if (time < state.warnAt) return
    const others = state.count > 1 ? ` (${state.count} such values since the last warning)` : ''
    warn(`${describeInvalidValue(invalid)}; it is returned as null${others}`)
    state.count = 0
    state.warnAt = time + warningInterval
  }
}

function emitWarning(message: string): void {
  process.emitWarning(message, { code: 'LAPIDARY_INVALID_VALUE' })
}

/** Describes an invalid value, as the beginning of a sentence. */
export function describeInvalidValue({
  type,
  id,
  attributes,
  table,
  column,
  value,
}: InvalidValue): string {
  const position =
    column === undefined
      ? `an expression over the table ${quote(table)}`
      : `the column ${quote(column)} of the table ${quote(table)}`
  const paths = attributes.map((name) => `${type}.fields.${name}`).join(', ')
  const text = value instanceof Uint8Array ? `bytes (${value.length})` : quote(value)
  return `${paths}: ${position} contains ${text} in the row with the id ${quote(id)}`
}
