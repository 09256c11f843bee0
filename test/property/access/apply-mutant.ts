import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { mutants } from './mutants.ts'

// Loaded before a program with `--import`: replaces the text of a mutant in the source that Node loads. The variable ACCESS_MUTANT has
// the title of the mutant.

const mutant = mutants.find(({ title }) => title === process.env.ACCESS_MUTANT)
assert.ok(mutant, 'ACCESS_MUTANT is not the title of a mutant')
let isApplied = false

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(`/${mutant.file}`)) return loaded
    const source = String(loaded.source)
    assert.ok(source.includes(mutant.from), `${mutant.file} does not contain: ${mutant.from}`)
    isApplied = true
    return { ...loaded, source: source.replace(mutant.from, () => mutant.to) }
  },
})
process.on('exit', () => {
  // A status of its own: the scenarios must not pass or fail without the mutant.
  if (!isApplied) process.exitCode = 3
})
