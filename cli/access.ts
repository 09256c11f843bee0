import { readFileSync } from 'node:fs'
import { explainAccess, listAccess } from 'lapidary'
import { formatMatrix, formatRequestAccess } from './format-access.ts'
import { findDialect, loadModel, openSource } from './open-source.ts'
import type { AccessCommand } from './parse-command-line.ts'

/**
 * Runs `lapidary access`: prints what each identity may do with each resource type, or what the access rules do to a request of it.
 * It reads only.
 * @throws Error with a one-line message
 */
export async function printAccess(command: AccessCommand): Promise<void> {
  const identities = command.identities.flatMap(readIdentities)
  const { request, json } = command
  const results =
    request === undefined
      ? await listIdentities(command, identities)
      : await explainIdentities(command, request, identities)
  console.log(json ? JSON.stringify(results.objects, null, 2) : results.text)
}

/** Reads identities: JSON, or the path of a file with JSON; an array has several. */
function readIdentities(text: string): readonly unknown[] {
  const value = parse(text) ?? parse(readFile(text))
  if (value === undefined)
    throw new Error(`--identity must be JSON, or a file with JSON; it is '${text}'`)
  return Array.isArray(value.json) ? value.json : [value.json]
}

function parse(text: string | undefined): Readonly<{ json: unknown }> | undefined {
  if (text === undefined) return undefined
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The output: JSON for programs, and text for people. */
interface Printed {
  readonly objects: readonly unknown[]
  readonly text: string
}

async function listIdentities(
  command: AccessCommand,
  identities: readonly unknown[],
): Promise<Printed> {
  const model = await loadModel(command)
  const dialect = findDialect(command)
  const objects = identities.map((identity) => ({
    identity,
    types: listAccess(model, identity, dialect),
  }))
  return { objects, text: formatMatrix(objects) }
}

async function explainIdentities(
  command: AccessCommand,
  request: string,
  identities: readonly unknown[],
): Promise<Printed> {
  const { model, store } = await openSource(command)
  try {
    const { prefix, body } = command
    const objects = []
    for (const identity of identities) {
      const options = { auth: identity, body }
      const explanation = await explainAccess({ model, store, prefix }, request, options)
      objects.push({ identity, request, ...explanation })
    }
    return { objects, text: objects.map(formatRequestAccess).join('\n\n') }
  } finally {
    await store.close()
  }
}
