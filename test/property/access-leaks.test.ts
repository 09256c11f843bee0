import { describeLeaks } from './access/describe-leaks.ts'
import { scale } from './seed.ts'

describeLeaks(150 * scale, { reads: 40, writes: 15 })
