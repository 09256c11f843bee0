import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The names that the program may have: in the repository, in the package, and beside a bundle whose folder has CommonJS modules. */
const names = ['reader-process.ts', 'reader-process.js', 'reader-process.mjs']

/**
 * Returns the path of the program that reader processes run. It is a file of its own beside this module, or beside the bundle
 * that this module is part of.
 *
 * @throws Error with the remedy where there is no such file, and in a single executable, which cannot start another program
 */
export function findReaderProgram(): string {
  // A bundle of CommonJS modules has no `import.meta.url`.
  const url: string | undefined = import.meta.url
  const folder = dirname(url ? fileURLToPath(url) : (process.argv[1] ?? ''))
  const program = names.map((name) => join(folder, name)).find((path) => existsSync(path))
  const isSingleExecutable = process.getBuiltinModule?.('node:sea')?.isSea() === true
  if (program !== undefined && !isSingleExecutable) return program
  throw new Error(
    `lapidary/sqlite needs the program of its reader processes, which run expensive reads: ${
      isSingleExecutable
        ? 'a single executable cannot start it. Deploy a folder'
        : `${join(folder, 'reader-process.js')} does not exist. Copy lapidary/dist/src/sqlite/readers/reader-process.js there`
    }, as docs/guides/bundling.md shows`,
  )
}
