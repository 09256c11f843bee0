import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { defineModel, type Model, type ResourceDeclaration } from 'lapidary'
import { formatFiles } from '../../cli/introspect/format-files.ts'
import { generateDeclarations } from '../../cli/introspect/generate-declarations.ts'
import { inspectCatalog } from '../../cli/introspect/inspect-catalog.ts'
import { readCatalog, sampleDatabase } from '../../cli/introspect.ts'
import type { Scope } from '../cleanup.ts'
import { absolutePath } from '../docs/pages.ts'
import { openStore } from '../engine/engine.ts'
import { folder } from '../service/child.ts'

/** Creates a project folder that depends on this package, with its compiler and formatter settings. */
export async function createProject(test: Scope): Promise<string> {
  const project = await folder(test)
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(absolutePath('.'), join(project, 'node_modules/lapidary'))
  copyFileSync(absolutePath('biome.json'), join(project, 'biome.json'))
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  const compilerOptions = { typeRoots: [absolutePath('node_modules/@types')] }
  const settings = {
    extends: absolutePath('tsconfig.json'),
    compilerOptions,
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings))
  return project
}

/** Creates a SQLite database in a folder by running SQL, and returns its path. */
export function createSqliteDatabase(project: string, name: string, sql: string): string {
  const path = join(project, `${name}.db`)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  return path
}

/** Generates the declarations of a database into a folder of a project, and imports them. */
export async function importGenerated(
  project: string,
  name: string,
  url: string,
  samples: 'with samples' | 'without samples' = 'without samples',
): Promise<readonly ResourceDeclaration[]> {
  const catalog = await readCatalog(url)
  const findings =
    samples === 'with samples'
      ? await inspectCatalog(catalog, (requests) => sampleDatabase(url, requests))
      : undefined
  const declarations = generateDeclarations(catalog, { ...(findings && { findings }) })
  mkdirSync(join(project, name))
  for (const file of formatFiles(declarations))
    writeFileSync(join(project, name, file.name), file.text)
  const index: { readonly resources: readonly ResourceDeclaration[] } = await import(
    pathToFileURL(join(project, name, 'index.ts')).href
  )
  return index.resources
}

/** Makes a model of the declarations, and asserts that they match their database. */
export async function verifiedModel(
  resources: readonly ResourceDeclaration[],
  url: string,
): Promise<Model> {
  const model = defineModel(resources, { maxPageSize: null })
  const store = await openStore(model, url)
  try {
    await store.verify()
    return model
  } finally {
    await store.close()
  }
}

/** Asserts that every file of a project is formatted and passes the linter. */
export function assertFormatted(project: string): void {
  const args = ['check', '--error-on-warnings', '--json-formatter-enabled=false', '.']
  assertSucceeds(project, 'biome', args)
}

/** Asserts that every file of a project compiles. This takes a second, so the tests of a file share a project. */
export function assertCompiles(project: string): void {
  assertSucceeds(project, 'tsc', ['--project', project, '--singleThreaded'])
}

function assertSucceeds(cwd: string, program: string, args: readonly string[]): void {
  const result = spawnSync(absolutePath(`node_modules/.bin/${program}`), args, {
    cwd,
    encoding: 'utf8',
  })
  assert.equal(result.status, 0, `${result.error ?? ''}${result.stdout}${result.stderr}`)
}
