import { areDistributed, databases } from '../databases.ts'
import { describeLeaks } from './access/describe-leaks.ts'
import { isExhaustive, scale } from './seed.ts'

/** A statement over distributed tables takes many times as long as one over tables of one server. */
const part = areDistributed ? 5 : 1

for (const { dialect } of databases) {
  const [few, many] = isExhaustive ? [36, 120] : [20, 60]
  describeLeaks(dialect, (many * scale) / part, { reads: 40 / part, writes: 20 / part })
  describeLeaks(`large-${dialect}`, (few * scale) / part, { reads: 12, writes: 3 })
}
