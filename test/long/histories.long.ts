import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everyDatabase } from '../databases.ts'
import { historyMutants } from '../property/histories/history-mutants.ts'
import { runHistories } from '../property/histories/run-histories.ts'
import { readCount } from '../read-count.ts'

process.env.LAPIDARY_HISTORIES = String(readCount('LAPIDARY_HISTORIES', 10_000, 5))
await import('../property/histories.test.ts')

describe('Histories of a mutant of the engine', () => {
  for (const mutant of historyMutants) {
    const database = everyDatabase.find(({ dialect }) => dialect === mutant.on)
    it(`are wrong when ${mutant.title}`, { skip: database === undefined }, async (test) => {
      assert.ok(database)
      const run = {
        database,
        workers: 1,
        version: mutant.version,
        hasJournal: mutant.hasJournal ?? true,
        kills: 0,
        seed: 1,
      }
      const found = { histories: 200, mutant: mutant.title, endsEarly: true }
      const problems = await runHistories(test, { ...run, ...found })
      assert.ok(problems.length > 0)
      test.diagnostic(problems[0] ?? '')
    })
  }
})
