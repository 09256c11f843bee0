import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { everyDatabase, isOnCitus } from '../databases.ts'
import { type HistoryRun, runHistories } from './histories/run-histories.ts'
import { seed } from './seed.ts'

/** How many histories run in all. `npm run test:long` runs 10,000. */
const histories = Number(process.env.LAPIDARY_HISTORIES ?? (isOnCitus ? 30 : 300))

type Target = Pick<HistoryRun, 'database' | 'workers' | 'version' | 'hasJournal'>

describe('Histories of 32 writers, with kills', () => {
  const targets = everyDatabase.flatMap((database): readonly Target[] =>
    database.dialect === 'sqlite'
      ? [
          { database, workers: 1, version: 'content', hasJournal: true },
          { database, workers: 2, version: 'column', hasJournal: true },
        ]
      : [
          { database, workers: 1, version: 'xmin', hasJournal: true },
          { database, workers: 2, version: 'content', hasJournal: true },
          { database, workers: 1, version: 'xmin', hasJournal: false },
          // Elsewhere there is a journal to check them by.
          ...(isOnCitus
            ? [{ database, workers: 2, version: 'content', hasJournal: false } as const]
            : []),
        ],
  )
  for (const [index, target] of targets.entries()) {
    const { database, workers, version, hasJournal } = target
    const title = `${database.name}, workers: ${workers}, versions by ${version}${hasJournal ? '' : ', without a journal'}`
    it(`every acknowledged write has its place in one order, every key one effect · ${title}`, async (test) => {
      const each = Math.ceil(histories / targets.length)
      const kills = Math.ceil(each / 25)
      const run = { ...target, histories: each, kills, seed: seed + index }
      const problems = await runHistories(test, run)
      assert.deepEqual(problems.slice(0, 20), [], `PROPERTY_SEED=${seed}`)
    })
  }
})
