import { channel } from 'node:diagnostics_channel'
import type { ParameterValue, TextPattern } from '../model/dialect.ts'
import { type DatabaseSource, RunningStatement, statementEnded } from '../observe/events.ts'
import type { ParameterSource, RunValues, Statement } from './statement.ts'

// Apart from the compiler of statements: a reader process runs statements, and starts in half the time without Kysely.

/** Converts the driver's values in rows that nobody else holds to those of the attribute kinds, in place. */
export function loadRows(rows: unknown[][], load: Statement['load']): unknown[][] {
  if (load) for (const row of rows) load(row)
  return rows
}

/** Returns the values that the driver binds, in the order of the placeholders. */
export function bound({ placeholders }: Statement, values: RunValues): ParameterValue[] {
  const parameters: ParameterValue[] = []
  for (const { source, bind } of placeholders) parameters.push(bind(readSource(source, values)))
  return parameters
}

function readSource(source: ParameterSource, values: RunValues): unknown {
  if (typeof source === 'number') return values.planValues[source]
  return typeof source === 'string' ? values[source] : source.read(values.auth, values)
}

/** Whether the value of a bind parameter is a pattern. */
export function isTextPattern(value: ParameterValue): value is TextPattern {
  return typeof value === 'object' && value !== null && 'text' in value
}

/** Publishes the SQL of every statement that runs, as `{ sql }`. */
const statementChannel = channel('lapidary:statement')

/**
 * Publishes a statement that is about to run.
 * @returns what its end is reported to; `undefined` while nobody listens
 */
export function publishStatement(
  statement: Readonly<{ sql: string }>,
  source: DatabaseSource,
): RunningStatement | undefined {
  if (statementChannel.hasSubscribers) statementChannel.publish({ sql: statement.sql })
  return statementEnded.hasSubscribers ? new RunningStatement(statement, source) : undefined
}
