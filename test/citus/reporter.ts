import { writeSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'
import { exceptions } from './exceptions.ts'
import { type LayoutName, layouts } from './layouts.ts'

// The reporter of a run on Citus. The run succeeds if exactly the exceptions of its layout fail.

/** Prints the tests that fail and are no exceptions, and the exceptions that pass. */
// biome-ignore lint/style/noDefaultExport: the test runner takes the reporter from it
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const layout = process.env.LAPIDARY_TEST_CITUS_LAYOUT as LayoutName
  yield `${layouts[layout].title}\n`
  const ofLayout = exceptions.filter((each) => each.layouts.includes(layout))
  const expected = new Set(ofLayout.map(({ test }) => test))
  const byChance = new Set(ofLayout.flatMap(({ test, isByChance }) => (isByChance ? [test] : [])))
  const failed = new Set<string>()
  const passed = new Set<string>()
  let unexpected = 0
  // A run whose last test has not ended has failed.
  let hasEnded = false
  // The test runner sets the code of a run with failures, also expected ones. It may exit before it takes what is yielded at the end.
  process.once('exit', () => {
    const isStale = (test: string) => passed.has(test) && !failed.has(test) && !byChance.has(test)
    const stale = [...expected].filter(isStale)
    const errors = unexpected + stale.length
    for (const test of stale) writeSync(1, `  ✖ passes and is an exception: ${test}\n`)
    const counts = `${passed.size} passed, ${failed.size} exceptions, ${errors} errors`
    writeSync(1, `  ${counts}${hasEnded ? '' : ', and the run has not ended'}\n`)
    process.exitCode = errors === 0 && passed.size > 0 && hasEnded ? 0 : 1
  })
  for await (const { type, data } of source) {
    if (type === 'test:plan' && data.nesting === 0) hasEnded = true
    const isTest = (type === 'test:pass' || type === 'test:fail') && data.details.type !== 'suite'
    if (!isTest || data.skip !== undefined) continue
    if (type === 'test:pass') passed.add(data.name)
    else if (expected.has(data.name)) failed.add(data.name)
    else {
      unexpected += 1
      const { cause } = data.details.error
      yield `  ✖ ${data.name} (${data.file})\n    ${String(cause ?? data.details.error).slice(0, 400)}\n`
    }
  }
}
