import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { createPackageFolder } from '../package-folder.ts'
import { absolutePath } from './pages.ts'

/** Programs that no compiler has seen yet, by file name. */
const waiting = new Map<string, string>()

/** The runs of the compiler, by the file names of their programs. */
const runs = new Map<string, Promise<string>>()

/**
 * Announces a program that a test compiles. Most of the work of the compiler is the package that every program imports, so the
 * first test that compiles one compiles all that are announced by then.
 *
 * @param name - a file name without extension, which no other program has
 * @returns a function that compiles the program, and returns the errors of the compiler: empty if there are none
 */
export function announceProgram(name: string, text: string): () => Promise<string> {
  const file = `${name}.ts`
  waiting.set(file, text)
  return async () => {
    if (!runs.has(file)) {
      const programs = [...waiting]
      waiting.clear()
      const run = compile(programs)
      for (const [each] of programs) runs.set(each, run)
    }
    const errors = (await runs.get(file)) ?? ''
    // Errors of other files, e.g. of the package, are those of every program.
    const isOfOther = (line: string) => {
      const [, of = ''] = /^([^\s(]+)\(\d+,\d+\): /.exec(line) ?? []
      return runs.has(basename(of)) && basename(of) !== file
    }
    return errors
      .split(/\n(?! )/)
      .filter((line) => !isOfOther(line))
      .join('\n')
  }
}

/** Compiles programs, and returns what the compiler printed. */
async function compile(programs: readonly (readonly [file: string, text: string])[]) {
  const folder = await createPackageFolder('programs')
  try {
    for (const [file, text] of programs) await writeFile(join(folder, file), text)
    const project = join(folder, 'tsconfig.json')
    const include = programs.map(([file]) => file)
    await writeFile(project, JSON.stringify({ extends: absolutePath('tsconfig.json'), include }))
    const args = ['--project', project, '--pretty', 'false', '--singleThreaded']
    const tsc = absolutePath('node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...args]).catch(
      (error) => error,
    )
    return String(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
