import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import packageJson from '../../package.json' with { type: 'json' }
import { Cleanup } from '../cleanup.ts'
import { connect } from '../client.ts'
import { databases } from '../databases.ts'
import { filled, isPostgres } from '../filled.ts'
import { long, longOnOthers } from '../long-tests.ts'
import { folder, startProgram } from '../service/child.ts'
import { runCommand } from './command-process.ts'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  createSqliteDatabase,
} from './generated-project.ts'

const tables = `
  create table artist (id integer primary key, name text not null);
  create table album (id integer primary key, title text, artist_id integer references artist (id), secret text);
  insert into artist values (1, 'Ada');
  insert into album values (1, 'Notes', 1, 'x')`

const read = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8')

describe('lapidary init', () => {
  const projects = new Cleanup()
  let project: string
  const init = (cwd: string, ...args: readonly string[]) => runCommand(cwd, ['init', ...args])
  before(async () => {
    project = await createProject(projects)
  })
  after(() => projects.run())

  for (const database of databases) {
    describe(database.name, () => {
      it(
        'writes a project that serves with node main.ts and stops gracefully',
        longOnOthers(database.dialect),
        async (test) => {
          const url = await filled(test, database, tables)
          const cwd = join(project, database.dialect)
          mkdirSync(cwd)
          const { status, stderr } = await init(cwd, url)
          assert.deepEqual([status, stderr], [0, ''])
          const child = await startProgram(test, 'main.ts', { cwd, environment: { PORT: '0' } })
          const client = connect(child.url)
          test.after(() => client.close())
          const { status: ok, text } = await client.send('GET', '/albums?include=artist')
          assert.equal(ok, 200, text)
          assert.partialDeepStrictEqual(JSON.parse(text), {
            data: [{ type: 'albums', attributes: { title: 'Notes' } }],
            included: [{ type: 'artists', attributes: { name: 'Ada' } }],
          })
          const page = await client.send('GET', '/albums', { headers: { accept: 'text/html' } })
          assert.match(page.text, /^<!doctype html>.*Notes/s)
          assert.equal((await client.send('GET', '/openapi.json')).status, 200)
          assert.equal((await child.end('SIGTERM')).code, 0, child.printed())
        },
      )

      it('keeps a password out of the sources', async (test) => {
        const url = await filled(test, database, tables)
        const cwd = await folder(test)
        assert.equal((await init(cwd, url)).status, 0)
        const sources = ['main.ts', 'package.json', 'resources/album.ts'].map((name) =>
          read(cwd, name),
        )
        assert.equal(sources.join('').includes(url), false)
        assert.equal(existsSync(join(cwd, '.env')), isPostgres(url))
        if (!isPostgres(url)) return
        assert.equal(read(cwd, '.env'), `DATABASE_URL=${url}\n`)
        assert.equal(read(cwd, '.gitignore'), 'node_modules\n.env\n')
      })
    })
  }

  it('writes projects that are formatted and compile', long, async (test) => {
    for (const database of databases) {
      const cwd = join(project, `compiled-${database.dialect}`)
      mkdirSync(cwd)
      assert.equal((await init(cwd, await filled(test, database, tables))).status, 0)
      assert.ok(existsSync(join(cwd, 'main.ts')))
    }
    assertFormatted(project)
    assertCompiles(project)
  })

  it('says what it wrote, what it omitted and what to do next', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'music', tables)
    const { stdout } = await init(cwd, 'sqlite:music.db', '--out', 'api')
    const files = 'package.json tsconfig.json .gitignore main.ts'.split(' ')
    const resources = 'album.ts artist.ts index.ts'.split(' ').map((name) => `resources/${name}`)
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      `Wrote ${[...files, ...resources].map((name) => join('api', name)).join(', ')}.`,
      'Omitted because they look secret; --show <table>.<column> serves one:',
      '  album: secret',
      'Next:',
      '  cd api',
      '  npm install',
      '  npm start',
      'Clients can create, update and delete. Edit the files in resources/ to rename, hide, compute and protect fields.',
    ])
    assert.match(read(cwd, 'api/main.ts'), /DATABASE_FILE = '\.\.\/music\.db'/)
    assert.deepEqual(JSON.parse(read(cwd, 'api/package.json')), {
      private: true,
      type: 'module',
      scripts: { start: 'node main.ts', dev: 'node --watch main.ts', types: 'tsc --noEmit' },
      dependencies: {
        fastify: `^${packageJson.dependencies.fastify}`,
        lapidary: `^${packageJson.version}`,
      },
      devDependencies: { '@types/node': '^24.10.0', typescript: '^7.0.0' },
    })
  })

  it('adds to an existing package.json, tsconfig.json and .gitignore, and changes nothing in them', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'music', tables)
    const manifest = {
      name: 'shop',
      scripts: { start: 'node shop.js', lint: 'eslint .' },
      dependencies: { lapidary: 'file:../lapidary', zod: '^4.0.0' },
      devDependencies: { typescript: '~5.9.0' },
      workspaces: ['a'],
    }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest, null, '\t'))
    writeFileSync(join(cwd, 'tsconfig.json'), '{}')
    writeFileSync(join(cwd, '.gitignore'), 'node_modules/\ndist')
    const { status, stdout } = await init(cwd, 'sqlite:music.db')
    assert.equal(status, 0)
    const merged = read(cwd, 'package.json')
    assert.match(merged, /^\t"name": "shop",$/m)
    assert.deepEqual(JSON.parse(merged), {
      ...manifest,
      scripts: { ...manifest.scripts, dev: 'node --watch main.ts', types: 'tsc --noEmit' },
      dependencies: {
        fastify: `^${packageJson.dependencies.fastify}`,
        ...manifest.dependencies,
      },
      devDependencies: { '@types/node': '^24.10.0', ...manifest.devDependencies },
    })
    assert.deepEqual(
      [read(cwd, 'tsconfig.json'), read(cwd, '.gitignore')],
      ['{}', 'node_modules/\ndist'],
    )
    assert.match(stdout, /^Next:\n {2}npm install\n {2}node main\.ts$/m)
  })

  it('makes an empty folder, in which the package was installed, one of ES modules', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'music', tables)
    const dependencies = { lapidary: 'file:../lapidary-0.1.0.tgz' }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ dependencies }))
    assert.equal((await init(cwd, 'sqlite:music.db')).status, 0)
    assert.partialDeepStrictEqual(JSON.parse(read(cwd, 'package.json')), {
      private: true,
      type: 'module',
      dependencies,
    })
  })

  for (const [title, tsconfig, isMissing] of [
    ['lacks the setting', '{ "compilerOptions": {} }', true],
    ['has it in a comment', '{\n // "rewriteRelativeImportExtensions": true\n}', true],
    ['has it', '{ "compilerOptions": { "rewriteRelativeImportExtensions": true } }', false],
    ['has the other one', '{ "compilerOptions": { "allowImportingTsExtensions":true } }', false],
    ['may extend one that has it', '{ "extends": "@tsconfig/node24" }', false],
  ] as const)
    it(`says which setting the files need if an existing tsconfig.json ${title}`, async (test) => {
      const cwd = await folder(test)
      createSqliteDatabase(cwd, 'music', tables)
      writeFileSync(join(cwd, 'tsconfig.json'), tsconfig)
      const { status, stdout } = await init(cwd, 'sqlite:music.db')
      assert.equal(status, 0)
      const line =
        'Add "rewriteRelativeImportExtensions": true to the compilerOptions in tsconfig.json, because the files import each other as ./….ts.'
      assert.equal(stdout.includes(line), isMissing, stdout)
    })

  for (const [title, text, message] of [
    [
      'says that the project has no ES modules',
      '{ "type": "commonjs" }',
      'package.json has "type": "commonjs", but the generated files are ES modules: change it to "module", or choose another folder by --out',
    ],
    ['is not JSON', '{', 'package.json is not valid JSON; correct it first'],
  ] as const) {
    it(`writes nothing if package.json ${title}`, async (test) => {
      const cwd = await folder(test)
      createSqliteDatabase(cwd, 'music', tables)
      writeFileSync(join(cwd, 'package.json'), text)
      const { status, stderr } = await init(cwd, 'sqlite:music.db')
      assert.deepEqual([status, stderr], [2, `lapidary: ${message}\n`])
      assert.deepEqual(readdirSync(cwd).sort(), ['music.db', 'package.json'])
      assert.equal(read(cwd, 'package.json'), text)
    })
  }

  it('overwrites declarations and main.ts only with --force', async (test) => {
    const cwd = await folder(test)
    createSqliteDatabase(cwd, 'music', tables)
    writeFileSync(join(cwd, 'main.ts'), 'mine')
    const rejected = await init(cwd, 'sqlite:music.db')
    const message = 'these files exist in .: main.ts; --force overwrites them'
    assert.deepEqual([rejected.status, rejected.stderr], [2, `lapidary: ${message}\n`])
    assert.deepEqual(readdirSync(cwd).sort(), ['main.ts', 'music.db'])
    assert.equal((await init(cwd, 'sqlite:music.db', '--force')).status, 0)
    assert.match(read(cwd, 'main.ts'), /defineModel\(resources\)/)
  })
})
