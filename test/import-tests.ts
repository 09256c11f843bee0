import asyncHooks from 'node:async_hooks'
import { globSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The folder that has a folder for each subject, and `batches/`. */
const root = import.meta.dirname

/**
 * Imports the test files of a batch, so that their suites run in one process. Most of the CPU time of a test file is the
 * start of its process, and code that is not compiled yet.
 * @param batch - the path of a file of `test/batches/`; see `listTests`
 */
export async function importTests(batch: string): Promise<void> {
  await importFiles(listTests(batch))
}

/** Imports the test files of a folder of `test/`, which has a manifest of its own and therefore no batch. */
export async function importFolder(folder: string): Promise<void> {
  await importFiles(listTestsIn(folder))
}

async function importFiles(files: readonly string[]): Promise<void> {
  await importRunner()
  for (const file of files) await import(pathToFileURL(join(root, file)).href)
}

/**
 * Imports `node:test` so that it does not follow promises. By default its hook runs for every promise, which takes a tenth of
 * the CPU time of a run. It finds the test that an uncaught error belongs to; without it such an error fails the run.
 */
export async function importRunner(): Promise<void> {
  const { createHook } = asyncHooks
  asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
  await import('node:test')
  asyncHooks.createHook = createHook
}

/**
 * Lists the test files of a batch, as paths from `test/`. `0-docs+examples.ts` has all files of `test/docs/` and `test/examples/`;
 * `1-engine-1.ts` and `1-engine-2.ts` have every other file of `test/engine/`. Node.js runs files in the order of their names, so the
 * batches that wait most start with `0-`, and those that take most CPU time with `1-`: none of them is the last one alone.
 * @param batch - the path of a file of `test/batches/`
 */
export function listTests(batch: string): string[] {
  const name = basename(batch)
  const folders = foldersOf(name)
  const batches = readdirSync(join(root, 'batches'))
    .sort()
    .filter((other) => foldersOf(other).join() === folders.join())
  const tests = folders.flatMap(listTestsIn)
  return tests.filter((_, index) => batches[index % batches.length] === name)
}

/** Lists the test files of a folder and its sub-folders, as paths from `test/`. */
export function listTestsIn(folder: string): string[] {
  const tests = globSync('**/*.test.ts', { cwd: join(root, folder), exclude: ['**/node_modules'] })
  return tests.sort().map((file) => join(folder, file))
}

/** Returns the folders whose tests a batch runs: `docs` and `examples` for `0-docs+examples.ts`, `engine` for `1-engine-1.ts`. */
function foldersOf(batch: string): string[] {
  return batch
    .replace(/^\d-/, '')
    .replace(/(-\d+)?\.ts$/, '')
    .split('+')
}
