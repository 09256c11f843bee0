import { databases } from '../databases.ts'
import { describeLeaks } from '../property/access/describe-leaks.ts'

/** Requests of random scenarios, for all databases together. */
const requests = Number(process.env.LAPIDARY_ACCESS_REQUESTS ?? 50_000)

describeLeaks(Math.ceil(requests / databases.length), { reads: 300, writes: 30 })
