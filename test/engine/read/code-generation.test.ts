import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('../serialize-documents.ts', import.meta.url))

async function serializeDocuments(...nodeOptions: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeOptions, program])
  return stdout.trim().split('\n')
}

it('given Node without code generation, when documents are serialized, then they are the same', async () => {
  const generated = await serializeDocuments()
  const withoutGeneration = await serializeDocuments('--disallow-code-generation-from-strings')
  assert.ok(generated.length >= 10, `${generated.length} documents`)
  for (const text of generated) assert.ok('data' in JSON.parse(text), text)
  assert.ok(generated.some((text) => text.includes('"label":"Ada null"')))
  assert.deepEqual(withoutGeneration, generated)
})
