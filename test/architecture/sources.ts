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
  /** The names that it takes; `undefined` for all of them, e.g. by `import('./links.ts')`. */
  readonly names: readonly string[] | undefined
}

/** A file of the engine or of a consumer. */
export interface Source {
  /** From the root of the repository, e.g. `src/plan/filter/filter.ts`. */
  readonly file: string
  readonly text: string
  /** The text without comments and without the insides of strings. */
  readonly code: string
  readonly imports: readonly Import[]
}

/** Every TypeScript file below a folder, in order. @param pattern - for other files */
export function sourcesIn(folder: string, pattern = '**/*.ts'): Source[] {
  const exclude = ['**/node_modules']
  return globSync(`${folder}/${pattern}`, { cwd: root, exclude }).sort().map(readSource)
}

function readSource(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, code: codeOf(text), imports: importsOf(file, text) }
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')`, in code and in types. */
const importing =
  /(?:^(?:import|export)\s([^'"`]*?)\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/gm

function importsOf(file: string, text: string): Import[] {
  return [...withoutComments(text).matchAll(importing)].map(([, clause = '', , from = '']) => ({
    from,
    file: from.startsWith('.') ? normalize(join(dirname(file), from)) : undefined,
    names: namesOf(clause),
  }))
}

/** The names in the braces of an import or a re-export, as the other file exports them. */
function namesOf(clause: string): string[] | undefined {
  const [, list] = /\{([^}]*)\}/.exec(clause) ?? []
  return list?.split(',').map((each) =>
    each
      .trim()
      .replace(/^type /, '')
      .replace(/ as .*$/, ''),
  )
}

/** Removes the comments of a program. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function codeOf(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
