import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readPage, root } from './pages.ts'

/** Counts the words of all guides and reference pages, which are the pages of `docs/` that are no decisions, as `wc -w` does. */
export function countWords(): number {
  const cwd = fileURLToPath(root)
  const pages = globSync('docs/**/*.md', { cwd, exclude: ['docs/decisions/**'] })
  const counts = pages.map((page) => readPage(page).match(/\S+/g)?.length ?? 0)
  return counts.reduce((sum, count) => sum + count, 0)
}
