import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, type TestOptions } from 'node:test'
import { promisify } from 'node:util'
import { Cleanup } from '../cleanup.ts'
import { startProgramProcess } from '../cli/command-process.ts'
import { long } from '../long-tests.ts'
import type { OpenDatabase } from '../open-database.ts'
import { createPackageFolder } from '../package-folder.ts'
import { freshPostgres } from '../postgres.ts'
import { blocksOf } from './blocks.ts'
import { announceProgram } from './compile-together.ts'
import { readPage } from './pages.ts'

/** The guides of a test file run in one process, which saves the start of Node.js and the compilation of the package for each. */
type RunGuide = ReturnType<typeof startProgramProcess>
let runGuide: RunGuide | undefined
const shared = new Cleanup()
after(() => shared.run())

/**
 * Declares the tests of a guide whose TypeScript blocks form one program, with assertions. They join the blocks, check their
 * types, and run them on a database with the tables of the SQL blocks.
 *
 * @param page - e.g. `docs/in-process.md`
 * @param databaseName - the file name of the database in the program, e.g. `shop.db`, or its URL on PostgreSQL; absent if the program
 *   creates its own
 * @param options - those of the suite
 */
export function describeGuideProgram(
  page: string,
  databaseName?: string,
  options: TestOptions = {},
): void {
  const blocks = blocksOf(readPage(page))
  const inLanguage = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ text }) => text)

  describe(`The guide ${page}`, options, () => {
    const program = inLanguage('ts').join('\n')
    const compile = announceProgram(page.replaceAll(/\W/g, '-'), program)
    let folder: string
    let file: string
    let postgres: OpenDatabase | undefined

    before(async () => {
      folder = await createPackageFolder('guide')
      file = join(folder, 'program.ts')
      if (databaseName === undefined) return writeFile(file, program)
      const database = await createTables(databaseName)
      assert.ok(program.includes(`'${databaseName}'`))
      await writeFile(file, program.replaceAll(`'${databaseName}'`, JSON.stringify(database)))
    })
    after(async () => {
      await postgres?.remove()
      await rm(folder, { recursive: true, force: true })
    })

    /** @returns the path or the URL of the database */
    async function createTables(name: string): Promise<string> {
      if (name.startsWith('postgres:')) {
        postgres = await freshPostgres()
        for (const sql of inLanguage('sql')) await postgres.second?.execute(sql)
        return postgres.url
      }
      const path = join(folder, name)
      const tables = new DatabaseSync(path)
      for (const sql of inLanguage('sql')) tables.exec(sql)
      tables.close()
      return path
    }

    it('is one program that compiles', long, async () => {
      assert.equal(await compile(), '')
    })

    it('runs, and its assertions hold', async () => {
      if (program.includes("'node:test'")) return runAlone(file)
      runGuide ??= startProgramProcess(shared)
      assert.partialDeepStrictEqual(await runGuide(file), { status: 0, stderr: '' })
    })
  })
}

/** Runs a program that contains tests, which run when its module is evaluated, in a process of its own. */
async function runAlone(file: string): Promise<void> {
  const { stderr } = await promisify(execFile)(process.execPath, [file])
  assert.equal(stderr, '')
}
