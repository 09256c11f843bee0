import { readCount } from '../read-count.ts'

/** Runs tests of failures again: with more kills of workers, more clients, and on every database. */
process.env.PROPERTY_SCALE = String(readCount('PROPERTY_SCALE', 20, 2))

const names = [
  ...[
    'failures/workers',
    'failures/clients',
    'failures/replicas',
    'failures/expensive-reads',
    'failures/functions',
  ],
  ...[
    'failures/stop',
    'service/snapshot',
    'service/process/workers',
    'chromium/axe',
    'html/hostile',
  ],
]
for (const name of names) await import(`../${name}.test.ts`)
