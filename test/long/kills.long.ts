import assert from 'node:assert/strict'
import { it } from 'node:test'
import { databases } from '../databases.ts'
import { killDuringWrites } from '../failures/kills.ts'
import { readCount } from '../read-count.ts'

/** Kills for each database. */
const kills = readCount('LAPIDARY_KILLS', 100, 6)

for (const database of databases) {
  it(`given ${kills} kills during writes, no acknowledged write is lost and none is half done · ${database.name}`, async (test) => {
    const report = await killDuringWrites(test, database, kills)
    assert.ok(report.inDoubt > kills / 2, `only ${report.inDoubt} writes were interrupted`)
    const acknowledged = [...report.acknowledged.values()].reduce((sum, count) => sum + count, 0)
    const { inDoubt, executed } = report
    test.diagnostic(
      `${acknowledged} writes acknowledged; ${inDoubt} without a response, ${executed} of them executed`,
    )
  })
}
