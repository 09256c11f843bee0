import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Source, sourcesIn } from './sources.ts'

const sources = new Map(sourcesIn('src').map((source) => [source.file, source]))

/** The imports that remain when Node.js has removed the types. */
function loadedBy({ text, imports }: Source): Source['imports'] {
  const typesOnly = new Set(
    [...text.matchAll(/^(?:import|export) type [^']*'([^']+)'/gm)].map(([, from]) => from),
  )
  return imports.filter(({ from }) => !typesOnly.has(from))
}

/** Everything that a file imports, directly or not: our files, and the names of what is outside. */
function listLoaded(file: string, found = new Set<string>()): ReadonlySet<string> {
  found.add(file)
  const source = sources.get(file)
  for (const each of source ? loadedBy(source) : []) {
    if (each.file === undefined) found.add(each.from)
    else if (!found.has(each.file)) listLoaded(each.file, found)
  }
  return found
}

// Kysely is 180 files: with it, the start of a reader process takes three times the CPU time.
it('A reader process does not load Kysely', () => {
  const loaded = listLoaded('src/sqlite/readers/reader-process.ts')
  assert.ok(loaded.has('src/sqlite/connection/connection.ts'))
  assert.ok(!loaded.has('kysely'), [...loaded].join('\n'))
  assert.ok(listLoaded('src/sqlite/store.ts').has('kysely'))
})
