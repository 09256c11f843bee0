import asyncHooks from 'node:async_hooks'
import { readdirSync } from 'node:fs'
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
  await importRunner()
  for (const file of listTests(batch)) await import(pathToFileURL(join(root, file)).href)
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
 * Lists the test files of a batch, as paths from `test/`. `conformance.ts` has all files of `test/conformance/`; `engine-1.ts`
 * and `engine-2.ts` have every other file of `test/engine/`. The batches that take longest start with `0-`: Node.js runs files in the
 * order of their names, and near the end of a run fewer batches than processors are left.
 * @param batch - the path of a file of `test/batches/`
 */
export function listTests(batch: string): string[] {
  const name = basename(batch)
  const folder = folderOf(name)
  const batches = listIn('batches').filter((other) => folderOf(other) === folder)
  const tests = listIn(folder).filter((file) => file.endsWith('.test.ts'))
  return tests
    .filter((_, index) => batches[index % batches.length] === name)
    .map((file) => join(folder, file))
}

/** Returns the folder whose tests a batch runs: `engine` for `engine-1.ts`, `cli` for `0-cli.ts`. */
function folderOf(batch: string): string {
  return batch.replace(/^0-/, '').replace(/(-\d+)?\.ts$/, '')
}

function listIn(folder: string): string[] {
  return readdirSync(join(root, folder)).sort()
}
