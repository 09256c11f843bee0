import { describeLeaks } from '../property/access/describe-leaks.ts'

describeLeaks(50_000, { reads: 300, writes: 30 })
