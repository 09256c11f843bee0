import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type DialectName,
  defineModel,
  type Model,
  type ResourceDeclaration,
  type Store,
} from 'lapidary'
import { findDatabase, openStore, urlBeginnings } from '../process/databases.ts'
import { evaluateDeclarations } from './introspect/evaluate-declarations.ts'
import { readDeclarations } from './introspect.ts'
import type { SourceOptions } from './parse-command-line.ts'

/** A model and its open store. */
export interface OpenedSource {
  readonly model: Model
  readonly store: Store
  /** A line for each table that is not a resource type, with the reason; only for a database url. */
  readonly omitted?: readonly string[]
}

/** Returns the dialect of the database of a source; `undefined` if it names none. */
export function findDialect({
  source,
  databaseUrl,
}: Pick<SourceOptions, 'source' | 'databaseUrl'>): DialectName | undefined {
  return findDatabase(databaseUrl ?? source)
}

/**
 * Opens the declarations of a module, or those of the tables of a database. Nothing is written.
 *
 * A module exports a `model`, or `resources`, which are its declarations, and may export the `store` that it has opened.
 * @param options - `secret` is that of the server whose cursors are read; a module with a `model` has its own
 * @throws Error with a one-line message
 */
export async function openSource(
  options: SourceOptions & Readonly<{ secret?: readonly string[] | undefined }>,
): Promise<OpenedSource> {
  const { source, databaseUrl, types, secret } = options
  if (findDatabase(source)) {
    const declarations = await readDeclarations(source, { types, readOnly: true })
    const resources = evaluateDeclarations(declarations)
    const model = defineModel(resources, { invalidValues: 'lenient', secret })
    return {
      model,
      store: await openStore(model, source, { readOnly: true }),
      omitted: declarations.omitted,
    }
  }
  const exported = await importModule(source)
  const model = findModel(exported, source, secret)
  if (isStore(exported.store)) return { model: exported.store.model, store: exported.store }
  if (databaseUrl === undefined)
    throw new Error(
      `${source} exports no store; give its database by --database-url or DATABASE_URL`,
    )
  return { model, store: await openStore(model, databaseUrl, { readOnly: true }) }
}

/**
 * Loads the declarations of a module, or those of the tables of a database, as a server of `lapidary serve --write` would have
 * them. A store that the module has opened is closed.
 * @throws Error with a one-line message
 */
export async function loadModel({
  source,
  types,
}: Pick<SourceOptions, 'source' | 'types'>): Promise<Model> {
  if (findDatabase(source)) {
    const declarations = await readDeclarations(source, { types })
    return defineModel(evaluateDeclarations(declarations), { invalidValues: 'lenient' })
  }
  const exported = await importModule(source)
  if (isStore(exported.store)) await exported.store.close()
  return findModel(exported, source)
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (/^[a-z]+:\/\//i.test(path))
    throw new Error(
      `${path} is neither a module nor the url of a database, which begins with ${urlBeginnings}; only doctor takes the url of an API`,
    )
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${path} is a folder; name a module in it, e.g. ${join(path, 'index.ts')}`)
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  if (/\.(?:db3?|sqlite3?)$/i.test(path))
    throw new Error(`${path} is not a module; the url of a SQLite file is sqlite:${path}`)
  if (/\.json$/i.test(path))
    throw new Error(`${path} is not a module; declarations are in TypeScript or JavaScript`)
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(`${findPosition(error) ?? path} cannot be imported: ${reason}`, {
      cause: error,
    })
  }
}

/** Finds the file and the line of a syntax error, with which the stack trace begins. */
function findPosition(error: unknown): string | undefined {
  const stack = error instanceof SyntaxError ? error.stack : undefined
  return /^(?:file:\/\/)?(\/.*:\d+)\n/.exec(stack ?? '')?.[1]
}

function findModel(
  exported: Readonly<Record<string, unknown>>,
  path: string,
  secret?: readonly string[],
): Model {
  const { model, resources, store } = exported
  if (isModel(model)) return model
  if (isStore(store)) return store.model
  if (Array.isArray(resources))
    return defineModel(resources as readonly ResourceDeclaration[], { secret })
  throw new Error(
    `${path} exports neither a model nor resources, e.g. export const resources = [person]`,
  )
}

function isModel(value: unknown): value is Model {
  return value instanceof Object && 'declarations' in value && 'types' in value
}

function isStore(value: unknown): value is Store {
  return value instanceof Object && 'verify' in value && 'model' in value && 'dialect' in value
}
