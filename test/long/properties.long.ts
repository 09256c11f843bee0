import { noTimeInCi, readCount } from '../read-count.ts'

/** Runs the tests with random cases again, with many more of them. */
process.env.PROPERTY_SCALE = String(readCount('PROPERTY_SCALE', 20, 2))

const names = [
  ...['bounded-work', 'encoding', 'hidden', 'keys'],
  // `npm test` has walked 500 times.
  ...(noTimeInCi ? [] : ['cursors']),
  ...['collection', 'everything', 'everything-writes', 'filter'].map(
    (name) => `everything/${name}`,
  ),
]
for (const name of names) await import(`../property/${name}.test.ts`)
await import('../engine/read/auto-parameterization.test.ts')
await import('../engine/read/query-shapes.test.ts')
