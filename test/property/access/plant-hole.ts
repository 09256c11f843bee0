import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { holes } from './holes.ts'

// Loaded before a program with `--import`: replaces the text of a hole in the source that Node loads. The variable ACCESS_HOLE has
// the title of the hole.

const hole = holes.find(({ title }) => title === process.env.ACCESS_HOLE)
assert.ok(hole, 'ACCESS_HOLE is the title of no hole')
let isPlanted = false

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(`/${hole.file}`)) return loaded
    const source = String(loaded.source)
    assert.ok(source.includes(hole.from), `${hole.file} does not contain: ${hole.from}`)
    isPlanted = true
    return { ...loaded, source: source.replace(hole.from, () => hole.to) }
  },
})
process.on('exit', () => {
  // A status of its own: the scenarios must not pass or fail without the hole.
  if (!isPlanted) process.exitCode = 3
})
