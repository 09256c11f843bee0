import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf } from '../docs/blocks.ts'
import { absolutePath, readPage, section } from '../docs/pages.ts'
import { findPort } from '../find-port.ts'
import { commands, type InstalledPackage, installPackage } from '../package/installed-package.ts'
import { folder } from '../service/child.ts'
import { until } from '../service/processes.ts'

const execute = promisify(execFile)

/** The declarations that the pages import. */
const model = `
  import { attribute, defineModel, resource, text } from 'lapidary'
  const fields = { title: attribute(text, { required: true }) }
  export const model = defineModel([resource('books', { path: '/books', table: 'book', fields })])
`

const bundling = readPage('docs/guides/bundling.md')
const server = blocksOf(bundling).find(({ language }) => language === 'ts')?.text ?? ''

/** The commands of a part of the page. The last one starts the server. */
function commandsOf(heading: string, program: string): readonly [build: string, start: string] {
  const block = blocksOf(section(bundling, heading)).find(({ text }) => text.includes(program))
  const lines = block?.text.trim().split('\n') ?? []
  return [lines.slice(0, -1).join('\n'), lines.at(-1) ?? '']
}

describe('A server in a bundle', () => {
  let installed: InstalledPackage
  let environment: NodeJS.ProcessEnv

  before(async () => {
    installed = await installPackage()
    await installed.write('model.ts', model)
    await installed.write('server.ts', server)
    createBooks(installed.project)
    // The commands of the page, as `npx` would find them.
    const bin = join(installed.project, 'bin')
    await mkdir(bin)
    for (const [name, path] of Object.entries({
      bun: commands.bun,
      deno: commands.deno,
      node: commands.node,
      esbuild: absolutePath('node_modules/esbuild/bin/esbuild'),
    }))
      await symlink(path, join(bin, name))
    environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  })
  after(() => installed.remove())

  const runShell = (command: string) =>
    execute('sh', ['-c', command.replaceAll('npx ', '')], {
      cwd: installed.project,
      env: environment,
    })

  for (const [heading, program] of [
    ['## esbuild', 'esbuild'],
    ['## Bun and Deno', 'bun'],
    ['## Bun and Deno', 'deno'],
  ] as const) {
    it(`responds as one that is not bundled, with ${program}`, async (test) => {
      const [build, start] = commandsOf(heading, program)
      await rm(join(installed.project, 'out'), { recursive: true, force: true })
      await runShell(build)
      const url = await startServer(test, start, { cwd: installed.project, environment })
      await testResponses(url)
    })
  }

  it('does not start without the program of the reader processes, and says what to copy', async () => {
    const [build, start] = commandsOf('## esbuild', 'esbuild')
    await runShell(build)
    await rm(join(installed.project, 'out/reader-process.js'))
    await assert.rejects(
      runShell(start),
      /lapidary\/sqlite needs the program of its reader processes, which run expensive reads: \S+out\/reader-process\.js does not exist\. Copy lapidary\/dist\/src\/sqlite\/readers\/reader-process\.js there, as docs\/guides\/bundling\.md shows/,
    )
  })

  it('says that a single executable cannot start the program of the reader processes', async () => {
    const outfile = 'single/server.cjs'
    await runShell(
      `esbuild server.ts --bundle --platform=node --log-level=error --outfile=${outfile}`,
    )
    const settings = { main: outfile, output: 'single/server' }
    await installed.write('single.json', JSON.stringify(settings))
    await runShell('node --build-sea single.json')
    await assert.rejects(runShell('single/server'), /a single executable cannot start it/)
  })
})

describe('A project of Next.js', () => {
  let project: string
  const cleanup: (() => Promise<void>)[] = []

  before(async () => {
    const installed = await installPackage()
    cleanup.push(installed.remove)
    project = installed.project
    const packages = absolutePath('test/hosts/node_modules')
    await cp(packages, join(project, 'node_modules'), { recursive: true })
    const page = section(readPage('docs/mounting.md'), '### Next.js')
    const [route] = blocksOf(page)
    assert.equal(route?.language, 'tsx')
    for (const [name, content] of [
      ['app/api/[[...path]]/route.ts', route?.text ?? ''],
      ['app/layout.tsx', layout],
      ['app/page.tsx', 'export default function Page() { return <p>Books</p> }'],
      ['app/client.ts', client],
      ['model.ts', model],
      ['next.config.mjs', "export default { output: 'standalone' }"],
    ] as const)
      await installed.write(name, content)
    createBooks(project)
    const next = join(project, 'node_modules/next/dist/bin/next')
    const settings = { cwd: project, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } }
    await execute(commands.node, [next, 'build'], settings)
  })
  after(async () => {
    for (const each of cleanup) await each()
  })

  it('is built by the lines of docs/mounting.md, with the TypeScript settings that next build writes', async () => {
    const settings = await readFile(join(project, 'tsconfig.json'), 'utf8')
    assert.equal(JSON.parse(settings).compilerOptions.strict, false)
  })

  it('serves documents, pages with their files, expensive reads, and its root with and without a slash', async (test) => {
    // In a folder of its own: what is missing there was not copied by the build.
    const cwd = await folder(test)
    await cp(join(project, '.next/standalone'), cwd, { recursive: true })
    await cp(join(project, 'books.db'), join(cwd, 'books.db'))
    await rm(join(project, 'node_modules/lapidary'), { recursive: true })
    const environment = { ...process.env, HOSTNAME: '127.0.0.1' }
    const url = await startServer(test, `${commands.node} server.js`, { cwd, environment })
    await testResponses(`${url}/api`)
    for (const path of ['/api', '/api/']) {
      const response = await fetch(`${url}${path}`)
      assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
      assert.ok('books' in JSON.parse(await response.text()).meta.resources)
    }
  })
})

const layout = `
  export default function Layout({ children }: { children: React.ReactNode }) {
    return <html lang="en"><body>{children}</body></html>
  }
`

/** A use of the typed client that is checked by `next build`. */
const client = `
  import { createClient } from 'lapidary/client'
  import type { model } from '../model'
  const books = createClient<typeof model>({ url: 'http://localhost/api' }).books
  export const create = async (): Promise<string> => (await books.create({ title: 'Notes' })).title
`

/** Creates a database with so many texts that a search in them runs in a reader process. */
function createBooks(path: string): void {
  const database = new DatabaseSync(join(path, 'books.db'))
  database.exec(`create table book (id integer primary key, title text not null);
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 300000)
      insert into book select n, 'The title of volume ' || n || ' of a long encyclopedia of everything' from number`)
  database.close()
}

/** Starts a server by a command line, which gets its port in `PORT`. It is killed when the test ends. */
async function startServer(
  test: TestContext,
  command: string,
  { cwd, environment }: Readonly<{ cwd: string; environment: NodeJS.ProcessEnv }>,
): Promise<string> {
  const port = await findPort()
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd,
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  test.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  const isServed = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await until(isServed, `nothing is served at ${url}`)
  return url
}

/** @param url - the address of the API */
async function testResponses(url: string): Promise<void> {
  const list = await fetch(`${url}/books?page[size]=1`)
  const { data, links, meta } = JSON.parse(await list.text())
  assert.equal(data[0].id, '1')
  assert.equal(meta.count, 300_000)
  assert.ok(links.self.startsWith(url), links.self)
  // A search through all texts, in a reader process.
  const filter = JSON.stringify([{ name: 'title', op: 'ilike', val: '%volume 299999 %' }])
  const found = await fetch(`${url}/books?${new URLSearchParams({ filter })}`)
  assert.equal(JSON.parse(await found.text()).meta?.count, 1)
  const page = await (await fetch(`${url}/books/1`, { headers: { accept: 'text/html' } })).text()
  for (const pattern of [/<link rel="stylesheet" href="([^"]+)"/, /src="([^"]+\.js)"/]) {
    const [, path = ''] = pattern.exec(page) ?? []
    const file = await fetch(new URL(path, url))
    assert.deepEqual([file.status, (await file.text()).length > 100], [200, true], path)
  }
}
