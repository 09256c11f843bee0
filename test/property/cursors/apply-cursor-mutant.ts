import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { includeMutants } from '../includes/include-mutants.ts'
import { cursorMutants } from './cursor-mutants.ts'

// Loaded before a program with `--import`: replaces the text of a mutant in the source that Node loads. The variable CURSOR_MUTANT has
// the title of the mutant.

const mutant = [...cursorMutants, ...includeMutants].find(
  ({ title }) => title === process.env.CURSOR_MUTANT,
)
assert.ok(mutant, 'CURSOR_MUTANT is not the title of a mutant')

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(`/${mutant.file}`)) return loaded
    const source = String(loaded.source)
    assert.equal(source.split(mutant.from).length, 2, `${mutant.file} has not once: ${mutant.from}`)
    return { ...loaded, source: source.replace(mutant.from, () => mutant.to) }
  },
})
