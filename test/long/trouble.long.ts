/** Runs tests of trouble again: with more kills of workers, more clients, and settings on every database. */
process.env.PROPERTY_SCALE ??= '20'

for (const name of ['workers', 'clients', 'replicas', 'expensive-reads'])
  await import(`../trouble/${name}.test.ts`)
for (const name of ['stop', 'startup', 'snapshot']) {
  const folder = name === 'stop' ? 'trouble' : 'service'
  await import(`../${folder}/${name}.test.ts`)
}
await import('../cli/serve.test.ts')
await import('../html/browser.test.ts')
