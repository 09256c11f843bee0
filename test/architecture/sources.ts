import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What one file takes from another, or from outside. */
interface Import {
  /** As it is written, e.g. `./links.ts` or `node:http`. */
  readonly from: string
  /** The file of ours it leads to, from the root of the repository; `undefined` for everything from outside. */
  readonly file: string | undefined
}

/** A file of the engine or of a consumer. */
export interface Source {
  /** From the root of the repository, e.g. `src/plan/filter.ts`. */
  readonly file: string
  readonly text: string
  /** The text without comments and without the insides of strings. */
  readonly code: string
  readonly imports: readonly Import[]
}

/** Every TypeScript file below a folder, in order. */
export function sourcesIn(folder: string): Source[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root }).sort().map(readSource)
}

/** The texts of every TypeScript file below a folder. */
export function textsIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
}

function readSource(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, code: codeOf(text), imports: importsOf(file, text) }
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')`, in code and in types. */
const importing = /(?:^(?:import|export)\s[^'"`]*?\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/gm

function importsOf(file: string, text: string): Import[] {
  return [...withoutComments(text).matchAll(importing)].map(([, , from = '']) => ({
    from,
    file: from.startsWith('.') ? normalize(join(dirname(file), from)) : undefined,
  }))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function codeOf(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
