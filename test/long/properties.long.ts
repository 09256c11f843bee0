/** Runs the tests with random cases again, with many more of them. */
process.env.PROPERTY_SCALE ??= '20'

const names = [
  ...['bounded-work', 'collection', 'encoding', 'everything', 'everything-writes', 'filter'],
  ...['hidden', 'keys'],
]
for (const name of names) await import(`../property/${name}.test.ts`)
