import { describeLeaks } from '../property/access/describe-leaks.ts'
import { variants } from '../property/access/variants.ts'
import { readCount } from '../read-count.ts'

/** Requests of random scenarios, for all variants together. */
const requests = readCount('LAPIDARY_ACCESS_REQUESTS', 50_000, 3_000)

/** The shares of the variants. Those with many rows take longer. */
const shares = {
  sqlite: 0.42,
  postgres: 0.42,
  'large-sqlite': 0.04,
  'large-postgres': 0.04,
  replica: 0.08,
} as const

for (const variant of variants) {
  const isLarge = variant.startsWith('large')
  describeLeaks(
    variant,
    Math.ceil(requests * shares[variant]),
    isLarge ? {} : { reads: 270, writes: 60 },
  )
}
