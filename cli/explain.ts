import { explainRead, type ReadExplanation } from 'lapidary'
import { describeWritesAt } from './doctor/describe-writes.ts'
import { formatCount } from './format-count.ts'
import { openSource } from './open-source.ts'
import type { ExplainCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary explain`: prints the statements of a GET request with their query plans, and what makes them slow.
 * @throws Error with a one-line message, such as that of the request
 */
export async function explain(command: ExplainCommand): Promise<void> {
  const { model, store } = await openSource(command)
  try {
    await store.verify()
    const { url, prefix, auth, json } = command
    const explanation = await explainRead({ model, store, prefix }, url, { auth })
    const writes = describeWritesAt(model, url, prefix)
    const text = [
      formatExplanation(explanation, store.description),
      ...writes.map((line) => `\nWrites of ${line}.`),
    ].join('\n')
    console.log(json ? JSON.stringify(explanation, null, 2) : text)
  } finally {
    await store.close()
  }
}

/** Formats the explanation of a read for people. @param database - the name of the database */
export function formatExplanation(
  { statements, warnings, cursors }: ReadExplanation,
  database: string,
): string {
  const lines = statements.flatMap(({ indexedPlan, ...statement }, index) => {
    const { sql, parameters, plan, rows, milliseconds } = statement
    return [
      `${index + 1}. ${formatCount(rows, 'row')} in ${milliseconds.toFixed(1)} ms`,
      ...sql.split('\n').map((line) => `   ${line}`),
      ...(parameters.length > 0 ? [`   values: ${parameters.join(', ')}`] : []),
      '   plan:',
      ...plan.map((line) => `     ${line}`),
      ...(indexedPlan ? ['   plan with the indexes below:'] : []),
      ...(indexedPlan ?? []).map((line) => `     ${line}`),
      '',
    ]
  })
  return [
    `${database}: ${formatCount(statements.length, 'statement')}`,
    '',
    ...lines,
    ...(cursors ? [`${describeCursors(cursors)}.`, ''] : []),
    ...(warnings.length === 0 ? ['No warnings.'] : ['Warnings:']),
    ...warnings.flatMap(({ message, fix, change }) => [
      `- ${message}`,
      ...(fix === undefined ? [] : [`  ${fix};`]),
      ...(change === undefined ? [] : [`  ${change}`]),
    ]),
  ].join('\n')
}

/** Says which indexes serve a page between cursors, as a sentence without its full stop. */
function describeCursors({ order, indexes }: NonNullable<ReadExplanation['cursors']>): string {
  const served = indexes.length > 0 ? `served by ${indexes.join(', ')}` : 'served by no index'
  return `The cursors of the sort order ${order} are ${served}`
}
