import assert from 'node:assert/strict'
import { defineModel } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { evaluateDeclarations } from '../../cli/introspect/evaluate-declarations.ts'
import { formatOmissions } from '../../cli/introspect/format-omissions.ts'
import type { Declarations } from '../../cli/introspect/generate-declarations.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { type Database, everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'

/** Returns a database by its name. */
const findDatabase = (wanted: string): Database => {
  const found = everyDatabase.find(({ name }) => name === wanted)
  assert.ok(found)
  return found
}
/** The databases, for tests of one of them. */
export const [sqlite, postgres] = [findDatabase('SQLite'), findDatabase('PostgreSQL')]

/** Serves declarations, and returns the attributes of the resources of each collection by its path. */
export async function readCollections(
  declarations: Declarations,
  url: string,
): Promise<Record<string, unknown[]>> {
  const model = defineModel(evaluateDeclarations(declarations))
  const store = await openStore(model, url)
  const server = createServer({ model, store, logLevel: 'silent' })
  try {
    await store.verify()
    const entries: [string, unknown[]][] = []
    for (const { path } of model.types.values()) {
      const response = await server.inject({ url: path })
      assert.equal(response.statusCode, 200, `${path}: ${response.body}`)
      const { data }: { data: { attributes?: unknown }[] } = JSON.parse(response.body)
      entries.push([path, data.map(({ attributes }) => attributes)])
    }
    return Object.fromEntries(entries)
  } finally {
    await server.close()
    await store.close()
  }
}

/** Reads the declarations of a database made of SQL; returns what they omit and the collections that they serve. */
export async function introspect(
  url: string,
): Promise<Readonly<{ lines: string[]; collections: Record<string, unknown[]> }>> {
  const declarations = await readDeclarations(url, { types: 'plural', readOnly: true })
  return {
    lines: formatOmissions(declarations),
    collections: await readCollections(declarations, url),
  }
}
