import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { lacksChromium, launchBrowser, type TestBrowser } from '../chromium/browser.ts'
import { absolutePath } from '../docs/pages.ts'
import { findMissing } from '../installed-tools.ts'
import { long } from '../long-tests.ts'
import { commands } from '../package/installed-package.ts'
import { type RunningServer, startOnSqlite } from './served.ts'

const run = promisify(execFile)

/** Bun makes the bundle. */
const withRuntimes = { ...long, skip: findMissing('runtimes') ?? false }

/** The runtimes of the client, and how each runs a program that may use the network. */
const runtimes: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['Node.js 24', commands.node24],
  ['Bun', commands.bun],
  ['Deno', commands.deno, 'run', '--allow-net', '--no-prompt'],
]

describe('The bundle of the client over HTTP', withRuntimes, () => {
  let folder: string
  let bundle: string
  let server: RunningServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lapidary-client-'))
    const file = join(folder, 'client.js')
    const source = absolutePath('src/client/index.ts')
    await run(commands.bun, ['build', source, '--minify', '--target=browser', `--outfile=${file}`])
    bundle = await readFile(file, 'utf8')
    server = await startOnSqlite()
    const program = `
      import { createClient, ResponseError } from './client.js'
      const { person } = createClient({ url: ${JSON.stringify(server.url)} })
      const { id } = await person.create({ name: 'Ada', computers: [] })
      const read = await person.get(id, { include: ['computers'] })
      const error = await person.get('0').catch((thrown) => thrown)
      console.log(JSON.stringify([read.name, read.computers, error instanceof ResponseError, error.status]))`
    await writeFile(join(folder, 'program.js'), program)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  it('has less than 6.5 KB compressed', () => {
    const { length } = gzipSync(bundle)
    assert.ok(length > 1000 && length < 6.5 * 1024, `${length} bytes`)
  })

  it('imports nothing, and names nothing of Node.js', () => {
    assert.doesNotMatch(bundle, /\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|node:/)
  })

  it('has no code of the server', () => {
    assert.doesNotMatch(bundle, /select |kysely|fastify|invalid_filter/i)
  })

  for (const [name, command, ...args] of runtimes)
    it(`works under ${name}`, async () => {
      const { stdout } = await run(command, [...args, 'program.js'], { cwd: folder })
      assert.deepEqual(JSON.parse(stdout), ['Ada', [], true, 404])
    })

  describe('in Chromium', { ...long, skip: lacksChromium }, () => {
    let browser: TestBrowser
    before(async () => {
      browser = await launchBrowser(new URL(server.url).origin)
    })
    after(() => browser.close())

    it('lists with includes, creates, names invalid fields, reads pages and aborts', async () => {
      const page = await browser.open('/v1/')
      await page.route('**/client.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: bundle }),
      )
      const result = await page.evaluate(`(async () => {
        const { createClient, ResponseError } = await import('/client.js')
        const { person, computer } = createClient({ url: ${JSON.stringify(server.url)} })
        const owner = await person.create({ name: 'Grace' })
        for (const serial of ['x', 'y', 'z']) await computer.create({ serial, owner: owner.id })
        const { data } = await person.list({
          filter: { computers: { any: { serial: 'x' } } }, include: ['computers.owner'], fields: { person: ['name', 'computers'] },
        })
        const error = await person.create({ name: 'A', email: 'none' }).catch((thrown) => thrown)
        const serials = []
        for await (const { serial } of computer.each({ sort: ['-serial'], page: { size: 2 } })) serials.push(serial)
        const controller = new AbortController()
        const pending = person.list({}, { signal: controller.signal }).catch(({ name }) => name)
        controller.abort()
        return [
          data.map(({ name }) => name), data[0].computers.length, data[0].computers[0].owner === data[0],
          error instanceof ResponseError, error.at('/data/attributes/email')[0].code, serials, await pending,
        ]
      })()`)
      const expected = [['Grace'], 3, true, true, 'invalid_value', ['z', 'y', 'x'], 'AbortError']
      assert.deepEqual(result, expected)
      assert.deepEqual([browser.errors, browser.foreignRequests], [[], []])
    })
  })
})
