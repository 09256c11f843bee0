import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { defineModel, type Model, type ResourceDeclaration } from 'lapidary'
import { declarationsOf } from '../../cli/declarations.ts'
import { filesOf } from '../../cli/files.ts'
import { readCatalog } from '../../cli/sources.ts'
import { placeOf } from '../docs/pages.ts'
import { openStore } from '../engine/engine.ts'
import { folder } from '../service/child.ts'

/** A folder in which written declarations can stand as in somebody's project. */
export async function project(test: TestContext): Promise<string> {
  const place = await folder(test)
  mkdirSync(join(place, 'node_modules'))
  symlinkSync(placeOf('.'), join(place, 'node_modules/lapidary'))
  copyFileSync(placeOf('biome.json'), join(place, 'biome.json'))
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  const compilerOptions = { typeRoots: [placeOf('node_modules/@types')] }
  const settings = {
    extends: placeOf('tsconfig.json'),
    compilerOptions,
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(settings))
  return place
}

/** Makes a SQLite database of SQL in a folder and returns its path. */
export function databaseIn(place: string, name: string, sql: string): string {
  const path = join(place, `${name}.db`)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  return path
}

/** Writes the declarations of a database into a folder of a project, and loads them. */
export async function introspected(
  place: string,
  name: string,
  url: string,
): Promise<readonly ResourceDeclaration[]> {
  const declarations = declarationsOf(await readCatalog(url))
  mkdirSync(join(place, name))
  for (const file of filesOf(declarations)) writeFileSync(join(place, name, file.name), file.text)
  const index: { readonly resources: readonly ResourceDeclaration[] } = await import(
    pathToFileURL(join(place, name, 'index.ts')).href
  )
  return index.resources
}

/** The model of declarations that bear the comparison with their database. */
export async function fittingModel(
  resources: readonly ResourceDeclaration[],
  url: string,
): Promise<Model> {
  const model = defineModel(resources, { maxPageSize: null })
  const store = await openStore(model, url)
  try {
    await store.check()
    return model
  } finally {
    await store.close()
  }
}

/** Fails unless everything in a project is formatted and linted as this repository is. */
export function assertTidy(place: string): void {
  const words = ['check', '--error-on-warnings', '--json-formatter-enabled=false', '.']
  assertSilent(place, 'biome', words)
}

/** Fails unless everything in a project compiles. */
export function assertCompiles(place: string): void {
  assertSilent(place, 'tsc', ['--project', place])
}

function assertSilent(cwd: string, program: string, words: readonly string[]): void {
  const ran = spawnSync(placeOf(`node_modules/.bin/${program}`), words, { cwd, encoding: 'utf8' })
  assert.equal(ran.status, 0, `${ran.error ?? ''}${ran.stdout}${ran.stderr}`)
}
