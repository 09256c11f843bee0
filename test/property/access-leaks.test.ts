import { databases } from '../databases.ts'
import { describeLeaks } from './access/describe-leaks.ts'
import { isExhaustive, scale } from './seed.ts'

for (const { dialect } of databases) {
  describeLeaks(dialect, (isExhaustive ? 120 : 60) * scale, { reads: 40, writes: 20 })
  describeLeaks(`large-${dialect}`, (isExhaustive ? 36 : 20) * scale, { reads: 12, writes: 3 })
}
