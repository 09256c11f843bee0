import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A JavaScript program that uses the installed package. */
const program = `
  import { attribute, defineModel, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
  import { openSqlite } from 'lapidary/sqlite'
  const book = resource('book', { path: '/books', table: 'book', fields: { title: attribute(text) } })
  const model = defineModel([book])
  const store = openSqlite(model, 'books.db')
  await store.verify()
  const server = createServer({ model, store, logLevel: 'silent' })
  const headers = { accept: 'application/vnd.api+json' }
  console.log((await server.inject({ url: '/books', headers })).body)
  await server.close()
  await store.close()
`

describe('The package', () => {
  let folder: string
  let installed: string

  before(async () => {
    await run(process.execPath, [join(root, 'tools/build.ts')], { cwd: root })
    folder = await mkdtemp(join(tmpdir(), 'lapidary-'))
    installed = join(folder, 'node_modules', 'lapidary')
    await cp(join(root, 'dist/package'), installed, { recursive: true })
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    for (const name of Object.keys(manifest.dependencies)) {
      const path = join(folder, 'node_modules', name)
      await mkdir(dirname(path), { recursive: true })
      await symlink(join(root, 'node_modules', name), path)
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const database = new DatabaseSync(join(folder, 'books.db'))
    database.exec(
      "create table book (id integer primary key, title text); insert into book values (1, 'Notes')",
    )
    database.close()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('serves from JavaScript without an installed driver', async () => {
    await writeFile(join(folder, 'program.js'), program)
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder })
    assert.deepEqual(JSON.parse(stdout).data, [
      { type: 'book', id: '1', attributes: { title: 'Notes' }, links: { self: '/books/1' } },
    ])
  })

  it('generates declarations by its command', async () => {
    const args = [join(installed, 'cli/main.js'), 'introspect', 'sqlite:books.db']
    const { stdout } = await run(process.execPath, args, { cwd: folder })
    assert.match(stdout, /title: attribute\(text\)/)
  })

  it('has types that reject an invalid declaration', async () => {
    const config = {
      compilerOptions: { strict: true, module: 'nodenext', noEmit: true, types: [] },
      files: ['program.ts'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(
      join(folder, 'program.ts'),
      `import { attribute, resource, text } from 'lapidary'
       resource('book', { path: '/books', table: 'book', fields: { title: attribute(text) } })
       resource('book', { path: '/books', table: 'book', fields: { title: attribute('text') } })`,
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '--project', folder], {
      cwd: folder,
    }).catch((error) => error)
    assert.match(stdout, /^program\.ts\(3,\d+\): error [^\n]*\n$/)
  })
})
