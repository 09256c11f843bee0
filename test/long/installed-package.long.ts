import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { readPage } from '../docs/pages.ts'
import { commands, type InstalledPackage, installPackage } from '../package/installed-package.ts'
import { addProgram, testRuntimes } from '../package/runtimes.ts'
import { testTypeScriptReleases } from '../package/typescript-releases.ts'

/** A JavaScript program that uses the installed package. */
const program = `
  import { attribute, defineModel, resource, text } from 'lapidary'
  import { openSqlite } from 'lapidary/sqlite'
  const book = resource('book', { path: '/books', table: 'book', fields: { title: attribute(text) } })
  const model = defineModel([book])
  const store = openSqlite(model, 'books.db', { create: true })
  console.log(await store.verify())
  await store.close()
`

/** A JavaScript program that prints the statuses of a page and of its script, and the type of the script. */
const pagesProgram = `
  import { attribute, createHandler, defineModel, resource, text } from 'lapidary'
  import { createPages } from 'lapidary/html'
  import { openSqlite } from 'lapidary/sqlite'
  const book = resource('book', { path: '/books', table: 'book', fields: { title: attribute(text) } })
  const model = defineModel([book])
  const store = openSqlite(model, 'books.db', { create: true })
  const handle = createHandler({ model, store, html: createPages({ explain: true }) })
  const headers = { accept: 'text/html' }
  const page = await handle(new Request('http://books.test/books', { headers }))
  const [, script] = /src="([^"]+)"/.exec(await page.text())
  const file = await handle(new Request('http://books.test' + script))
  console.log(page.status, file.status, file.headers.get('content-type'))
  await store.close()
`

// `npm test` tests the package that is built (`test/package/built-package.test.ts`). Here npm installs its tarball.

describe('The installed package', () => {
  let installed: InstalledPackage
  const pathOf = (name: string) => join(installed.project, 'node_modules/lapidary', name)

  before(async () => {
    installed = await installPackage()
    const database = new DatabaseSync(join(installed.project, 'books.db'))
    database.exec(
      "create table book (id integer primary key, title text); insert into book values (1, 'Notes')",
    )
    database.close()
    await installed.write('program.js', program)
  })
  after(() => installed.remove())

  /** The files of an installed package. @param path - from the project */
  const filesIn = (path: string) =>
    globSync('**', { cwd: join(installed.project, path), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))

  describe('without its peer dependencies', () => {
    it('opens SQLite', async () => {
      const { stdout, stderr } = await installed.run(commands.node, 'program.js')
      assert.deepEqual([stdout, stderr], ['{ warnings: [], unserved: [] }\n', ''])
    })

    it('serves pages and their files', async () => {
      await installed.write('pages-program.js', pagesProgram)
      const { stdout, stderr } = await installed.run(commands.node, 'pages-program.js')
      assert.deepEqual([stdout, stderr], ['200 200 text/javascript; charset=utf-8\n', ''])
    })

    it('says how to install the driver of PostgreSQL', async () => {
      const { code, stderr } = await installed.run(
        commands.node,
        pathOf('dist/cli/main.js'),
        'introspect',
        'postgres://localhost/music',
      )
      const message =
        'lapidary/postgres needs the driver pg; install it with "npm install pg", or run the command as "npx --package lapidary --package pg lapidary …"'
      assert.deepEqual([code, stderr], [2, `lapidary: ${message}\n`])
    })

    for (const [lack, preparation] of [
      ['has no SQLite', 'process.getBuiltinModule = () => undefined'],
      ['has an older SQLite', 'delete DatabaseSync.prototype.setAuthorizer'],
    ]) {
      it(`names the supported runtimes on one that ${lack}`, async () => {
        await installed.write(
          'older.js',
          `import { DatabaseSync } from 'node:sqlite'\n${preparation}\nawait import('./program.js')`,
        )
        const { code, stderr } = await installed.run(commands.node, 'older.js')
        assert.equal(code, 1)
        const { node } = process.versions
        const message = `lapidary/sqlite needs Node.js 24.10, Bun 1.4, Deno 2.9, or a later version; this is Node.js ${node}`
        assert.ok(stderr.includes(`Error: ${message}\n`), stderr)
      })
    }
  })

  it('is installed with as many packages and megabytes as docs/installing.md says', () => {
    const lock = JSON.parse(readFileSync(join(installed.project, 'package-lock.json'), 'utf8'))
    const packages = Object.keys(lock.packages).filter((path) => path.startsWith('node_modules/'))
    const bytes = packages.flatMap(filesIn).reduce((sum, file) => sum + statSync(file).size, 0)
    const [, count, megabytes] =
      /This installs (\d+) packages, less than (\d+) MB/.exec(readPage('docs/installing.md')) ?? []
    assert.equal(packages.length, Number(count))
    assert.ok(bytes < Number(megabytes) * 1e6, String(bytes))
  })

  it('generates declarations by its command', async () => {
    const command = join(installed.project, 'node_modules/.bin/lapidary')
    const { stdout } = await installed.run(command, 'introspect', 'sqlite:books.db')
    assert.match(stdout, /title: attribute\(text\)/)
  })

  it('passes publint', async () => {
    const { stdout } = await installed.run(commands.publint, installed.tarball, '--strict')
    assert.match(stripVTControlCharacters(stdout), /All good!\s*$/)
  })

  it('passes @arethetypeswrong/cli', async () => {
    const { code, stdout } = await installed.run(
      commands.attw,
      installed.tarball,
      ...['--profile', 'esm-only', '--format', 'json'],
    )
    assert.equal(code, 0, stdout)
  })

  describe('with its peer dependencies', () => {
    before(async () => {
      await installed.link('fastify', 'pg', '@types/node')
      await addProgram(installed)
    })

    it('can be required by CommonJS', async () => {
      const names = Object.keys(
        JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).exports,
      ).map((name) => name.replace('.', 'lapidary'))
      await installed.write(
        'program.cjs',
        `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(require(name)).length > 0)`,
      )
      const { stdout } = await installed.run(commands.node24, 'program.cjs')
      assert.equal(stdout, 'true\n'.repeat(names.length))
    })

    it('generates declarations that compile outside of the repository with the settings that lapidary introspect writes', async () => {
      const cli = pathOf('dist/cli/main.js')
      const out = ['--out', 'alone']
      const { stdout } = await installed.run(
        commands.node,
        cli,
        'introspect',
        'sqlite:books.db',
        ...out,
      )
      assert.match(stdout, /, tsconfig\.json$/m)
      const compiled = await installed.run(commands.tsc, '--project', 'alone')
      assert.deepEqual([compiled.code, compiled.stdout], [0, ''])
    })

    it('generates a project that compiles with the settings of tsc --init and the one that lapidary init names', async () => {
      await installed.run(commands.tsc, '--init')
      const settings = readFileSync(join(installed.project, 'tsconfig.json'), 'utf8')
      await installed.write('own/tsconfig.json', settings)
      const cli = pathOf('dist/cli/main.js')
      const { stdout } = await installed.run(
        commands.node,
        cli,
        'init',
        'sqlite:books.db',
        '--out',
        'own',
      )
      const [, setting] = /^Add (".*": true) to the compilerOptions/m.exec(stdout) ?? []
      await installed.write(
        'own/tsconfig.json',
        settings.replace('"strict"', `${setting}, "strict"`),
      )
      const compiled = await installed.run(commands.tsc, '--noEmit', '--project', 'own')
      assert.deepEqual([compiled.code, compiled.stdout], [0, ''])
    })

    testTypeScriptReleases(() => installed)
    testRuntimes(() => installed)
  })
})
