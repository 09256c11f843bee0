import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { historyMutants } from './history-mutants.ts'

// Loaded before a program with `--import`: replaces the texts of a mutant in the sources that Node loads. The variable HISTORY_MUTANT has
// the title of the mutant.

const mutant = historyMutants.find(({ title }) => title === process.env.HISTORY_MUTANT)
assert.ok(mutant, 'HISTORY_MUTANT is not the title of a mutant')

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const found = mutant.replacements.filter(({ file }) => url.endsWith(`/${file}`))
    if (found.length === 0) return loaded
    let source = String(loaded.source)
    for (const { file, from, to } of found) {
      assert.equal(source.split(from).length, 2, `${file} has not once: ${from}`)
      source = source.replace(from, () => to)
    }
    return { ...loaded, source }
  },
})
