import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkType } from './doctor/check-type.ts'
import { describeWrites } from './doctor/describe-writes.ts'
import { connectApi, type ExaminedApi, serveInProcess } from './doctor/examined-api.ts'
import { ViolationCollector } from './doctor/violation.ts'
import { formatCount } from './format-count.ts'
import { openSource } from './open-source.ts'
import type { DoctorCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary doctor`: examines an API, or declarations and their database, and prints a report. It reads only. The exit code is
 * 1 if a rule is broken, or if a table or a row of the database is not served.
 * @throws Error with a one-line message when there is nothing to examine
 */
export async function doctor(command: DoctorCommand): Promise<void> {
  if (/^https?:/.test(command.source)) {
    if (!URL.canParse(command.source)) throw new Error(`"${command.source}" is not a URL`)
    const api = await connectApi(command.source, command.headers)
    await examine(api, command, () => [
      ...(api.describe ? [] : [withoutDescription]),
      ...[...api.otherOrigins].map((origin) => describeOrigin(origin, command.source)),
    ])
    return
  }
  const source = await openSource(command)
  const invalidValues: string[] = []
  const collect = (warning: Error) => {
    if ('code' in warning && warning.code === 'LAPIDARY_INVALID_VALUE')
      invalidValues.push(warning.message)
  }
  process.on('warning', collect)
  try {
    const { warnings, unserved } = await source.store.verify()
    const others = warnings.filter((line) => !unserved.includes(line))
    const missing = [...(source.omitted ?? []), ...unserved]
    for (const line of missing) console.log(`not served: ${line}`)
    const writes = describeWrites(source.model, await source.store.catalog())
    for (const line of writes.lines) console.log(line)
    const api = await serveInProcess(source, command.auth)
    await examine(api, command, () => [...others, ...writes.warnings, ...invalidValues])
    if (missing.length > 0) process.exitCode = 1
  } finally {
    process.off('warning', collect)
    await source.store.close()
  }
}

const withoutDescription =
  'the API has no openapi.json, so filters and sorts are not examined; the option openapi of the server turns it on'

function describeOrigin(origin: string, source: string): string {
  return `links lead to ${origin}; their paths were requested from ${new URL(source).origin}`
}

/** Examines every type, and prints the violations and warnings. @param listWarnings - called at the end */
async function examine(
  api: ExaminedApi,
  { sample }: DoctorCommand,
  listWarnings: () => readonly string[],
): Promise<void> {
  const violations = new ViolationCollector()
  for (const type of api.types) {
    if (type.needed.length > 0) {
      console.log(`${type.type}: not examined, because its list needs ${type.needed.join(', ')}`)
      continue
    }
    const { examined, count, large } = await checkType(
      { api, type, violations, description: api.describe?.(type.path) },
      { sample },
    )
    const omitted = large.size > 0 ? `; too many members to examine: ${[...large].join(', ')}` : ''
    console.log(`${type.type}: examined ${examined} of ${count ?? 'more'}${omitted}`)
  }
  const found = violations.format()
  // The process emits its warnings when no promise is left to settle.
  await nextTurn()
  const warnings = listWarnings()
  for (const line of warnings) console.log(`warning: ${line}`)
  for (const line of found) console.log(`violation: ${line}`)
  const counts = [
    formatCount(api.types.length, 'resource type'),
    formatCount(warnings.length, 'warning'),
    formatCount(found.length, 'violation'),
  ]
  console.log(counts.join(', '))
  if (found.length > 0) process.exitCode = 1
}
