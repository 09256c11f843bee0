import { describeLeaks } from './access/describe-leaks.ts'
import { scale } from './seed.ts'

describeLeaks(300 * scale, { reads: 40, writes: 15 })
