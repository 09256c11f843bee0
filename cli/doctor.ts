import { checkType } from './doctor/check-type.ts'
import { connectApi, type ExaminedApi, serveInProcess } from './doctor/examined-api.ts'
import { ViolationCollector } from './doctor/violation.ts'
import { formatCount } from './format-count.ts'
import { openSource } from './open-source.ts'
import type { DoctorCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary doctor`: examines an API, or declarations and their database, and prints a report. It reads only. The exit code is
 * 1 if a rule is broken.
 * @throws Error with a one-line message when there is nothing to examine
 */
export async function doctor(command: DoctorCommand): Promise<void> {
  if (/^https?:/.test(command.source)) {
    const api = await connectApi(command.source, command.headers)
    await examine(api, command, api.describe ? [] : [withoutDescription])
    return
  }
  const source = await openSource(command)
  try {
    const { warnings } = await source.store.verify()
    await examine(await serveInProcess(source, command.auth), command, warnings)
  } finally {
    await source.store.close()
  }
}

const withoutDescription =
  'the API has no openapi.json, so filters and sorts are not examined; the option openapi of the server turns it on'

/** Examines every type, and prints what was found. @param warnings - those of the declarations */
async function examine(
  api: ExaminedApi,
  { sample }: DoctorCommand,
  warnings: readonly string[],
): Promise<void> {
  const violations = new ViolationCollector()
  for (const type of api.types) {
    if (type.needed.length > 0) {
      console.log(`${type.type}: not examined, because its list needs ${type.needed.join(', ')}`)
      continue
    }
    const { examined, count } = await checkType(
      { api, type, violations, description: api.describe?.(type.path) },
      { sample },
    )
    console.log(`${type.type}: examined ${examined} of ${count}`)
  }
  const found = violations.format()
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
