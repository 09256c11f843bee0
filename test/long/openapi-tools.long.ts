import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { describeApi } from 'lapidary/openapi'
import { absolutePath } from '../docs/pages.ts'
import { listModels } from '../openapi/models.ts'

const run = promisify(execFile)
const models = await listModels()
const names = Object.keys(models)

// openapi-typescript needs a TypeScript that has an API for programs.
const oldest = createRequire(absolutePath('node_modules/oldest-releases/package.json'))
const own = createRequire(import.meta.url)

/** openapi-typescript 7.13 fails if a field has the name of a member of every object. */
function isReadable(name: string): boolean {
  const fields = [...(models[name]?.types.values() ?? [])].flatMap((type) => [
    ...type.fields.keys(),
  ])
  return !fields.includes('valueOf')
}

// `npm test` validates the descriptions (`test/openapi/tools.test.ts`).

describe('Other tools accept the description', () => {
  let folder: string

  before(async () => {
    await mkdir(absolutePath('dist'), { recursive: true })
    folder = await mkdtemp(absolutePath('dist/openapi-'))
    for (const [name, model] of Object.entries(models)) {
      const description = describeApi(model, { prefix: '/api', description: name })
      await writeFile(join(folder, `${name}.json`), JSON.stringify(description))
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('@redocly/cli, with its recommended rules', async () => {
    const program = join(dirname(own.resolve('@redocly/cli/package.json')), 'bin/cli.js')
    const files = names.map((name) => join(folder, `${name}.json`))
    const args = [program, 'lint', ...files, '--extends', 'recommended', '--format', 'summary']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    // An error is an exit code; the one warning that every description gets shows that the rules were run.
    const { stdout, stderr } = await run(process.execPath, args, { env })
    assert.match(stdout + stderr, /info-license/)
  })

  it('openapi-typescript, and its output compiles', async () => {
    const { default: generate, astToString } = oldest('openapi-typescript')
    for (const name of names.filter(isReadable)) {
      const description = await readFile(join(folder, `${name}.json`), 'utf8')
      await writeFile(join(folder, `${name}.d.ts`), astToString(await generate(description)))
    }
    const config = { compilerOptions: { strict: true, skipLibCheck: false, noEmit: true } }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ ...config, include: ['*.d.ts'] }),
    )
    const tsc = join(dirname(own.resolve('typescript/package.json')), 'bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '--project', folder]).catch(
      (error) => error,
    )
    assert.equal(stdout, '')
  })
})
