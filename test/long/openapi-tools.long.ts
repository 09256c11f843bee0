import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { describeApi } from 'lapidary/openapi'
import { absolutePath } from '../docs/pages.ts'
import { startOnSqlite } from '../http-client/served.ts'
import { listModels } from '../openapi/models.ts'
import { createPackageFolder } from '../package-folder.ts'

const run = promisify(execFile)
const models = await listModels()
const names = Object.keys(models)

// openapi-typescript needs a TypeScript that has an API for programs.
const runtimes = createRequire(absolutePath('test/runtimes/package.json'))
const own = createRequire(import.meta.url)

/** openapi-typescript 7.13 fails if a field has the name of a member of every object. */
function isReadable(name: string): boolean {
  const fields = [...(models[name]?.types.values() ?? [])].flatMap((type) => [
    ...type.fields.keys(),
  ])
  return !fields.includes('valueOf')
}

// `npm test` validates the descriptions (`test/openapi/tools.test.ts`).

/** A program with `openapi-fetch` and the types of the service. `@ts-expect-error` fails where the types accept what follows. */
const writeClient = (url: string) => `
import createClient from 'openapi-fetch'
import type { paths } from './service.d.ts'

const client = createClient<paths>({
  baseUrl: '${url}',
  headers: { 'content-type': 'application/vnd.api+json' },
})

async function run(): Promise<readonly unknown[]> {
  const created = await client.POST('/persons', {
    body: { data: { type: 'person', attributes: { name: 'Ada' } } },
  })
  const list = await client.GET('/persons', {
    params: {
      query: {
        filter: JSON.stringify([{ not: { name: 'computers', op: 'any', val: { name: 'serial', op: 'eq', val: 'A' } } }]),
        fields: { person: 'name' },
        page: { size: 10 },
        sort: ['-birth_date'],
      },
    },
  })
  const name: string | null | undefined = list.data?.data[0]?.attributes?.name
  const code: string | undefined = list.error?.errors[0]?.code
  const one = await client.GET('/persons/{id}', { params: { path: { id: '1' } } })
  // @ts-expect-error: the address is not described
  const unknown = await client.GET('/people')
  // @ts-expect-error: the attribute is required
  const incomplete = await client.POST('/persons', { body: { data: { type: 'person', attributes: {} } } })
  // @ts-expect-error: the type is another one
  const wrong = await client.POST('/persons', { body: { data: { type: 'computer', attributes: { name: 'A' } } } })
  // @ts-expect-error: responses have no write-only attribute
  const email = one.data?.data.attributes?.email
  const statuses = [list, created, one, unknown, incomplete, wrong].map(({ response }) => response.status)
  // A dry run of a create has no resource.
  const id = created.data && 'data' in created.data ? created.data.data.id : undefined
  return [name, code, id, email, statuses]
}
console.log(JSON.stringify(await run()))
`

describe('Other tools accept the description', () => {
  let folder: string

  before(async () => {
    folder = await createPackageFolder('openapi')
    for (const [name, model] of Object.entries(models)) {
      const options = { prefix: '/api', description: name }
      const general = describeApi(model, { ...options, generalMethods: true })
      await writeFile(join(folder, `${name}.json`), JSON.stringify(describeApi(model, options)))
      await writeFile(join(folder, `${name}.general.json`), JSON.stringify(general))
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('@redocly/cli, with its recommended rules', async () => {
    const program = join(dirname(runtimes.resolve('@redocly/cli/package.json')), 'bin/cli.js')
    const files = names.flatMap((name) => [
      join(folder, `${name}.json`),
      join(folder, `${name}.general.json`),
    ])
    const args = [program, 'lint', ...files, '--extends', 'recommended', '--format', 'summary']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    // An error is an exit code; the one warning that every description gets shows that the rules were run.
    const { stdout, stderr } = await run(process.execPath, args, { env })
    assert.match(stdout + stderr, /info-license/)
  })

  it('openapi-typescript, and its output compiles, also with openapi-fetch, whose program runs', async (test) => {
    const { default: generate, astToString } = runtimes('openapi-typescript')
    for (const name of names.filter(isReadable)) {
      const description = await readFile(join(folder, `${name}.json`), 'utf8')
      await writeFile(join(folder, `${name}.d.ts`), astToString(await generate(description)))
    }
    const server = await startOnSqlite()
    test.after(() => server.close())
    await writeFile(join(folder, 'client.ts'), writeClient(server.url))
    const module = { module: 'nodenext', allowImportingTsExtensions: true, types: [] }
    const config = { strict: true, skipLibCheck: false, noEmit: true, ...module }
    const lib = ['esnext', 'dom', 'dom.iterable']
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...config, lib }, include: ['*.ts'] }),
    )
    const tsc = join(dirname(own.resolve('typescript/package.json')), 'bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '--project', folder]).catch(
      (error) => error,
    )
    assert.equal(stdout, '')
    const { stdout: printed } = await run(process.execPath, [join(folder, 'client.ts')])
    const statuses = [200, 201, 200, 404, 422, 409]
    assert.deepEqual(JSON.parse(printed), ['Ada', null, '1', null, statuses])
  })
})
