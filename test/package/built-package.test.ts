import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { absolutePath, readPage, tableRows } from '../docs/pages.ts'
import { long } from '../long-tests.ts'
import { createPackageFolder } from '../package-folder.ts'

// `npm run test:long` installs the package and runs it.

describe('The built package', long, () => {
  let folder: string

  before(async () => {
    folder = await createPackageFolder('package')
    await promisify(execFile)(process.execPath, [absolutePath('tools/build.ts'), folder])
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has the entry points that docs/installing.md lists', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const rows = tableRows(readPage('docs/installing.md')).filter(([name]) =>
      name?.startsWith('`lapidary'),
    )
    assert.deepEqual(
      rows.map(([name = '']) => name.replaceAll('`', '').replace('lapidary', '.')).sort(),
      Object.keys(manifest.exports)
        .filter((name) => name !== './package.json')
        .sort(),
    )
  })

  it('shares the Fastify of an application from the version on that docs/installing.md names', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const [, version] = /has Fastify (\S+) or a later 5/.exec(readPage('docs/installing.md')) ?? []
    assert.equal(manifest.peerDependencies.fastify, `^${version}`)
  })

  it('has the public API that was reviewed; run npm run api to write a change of it', async () => {
    // Its compiler is one of test/runtimes.
    const { formatPublicApi } = await import('../../tools/public-api.ts')
    const reviewed = readFileSync(new URL('public-api.txt', import.meta.url), 'utf8')
    assert.deepEqual(formatPublicApi(folder).split('\n'), reviewed.split('\n'))
  })

  it('has what its users need, and not more', () => {
    const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((each) =>
      each.isFile(),
    )
    const others = files
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .filter((path) => !/^(?:dist|docs)\/.+\.(?:js|d\.ts|md)$|^[^/]+$/.test(path))
    assert.deepEqual(others, [])
    assert.ok(files.length < 950, String(files.length))
  })

  it('has no link to a file that it does not have', () => {
    const pages = globSync('**/*.md', { cwd: folder })
    assert.ok(pages.includes('README.md'))
    for (const page of pages) {
      for (const [, link = ''] of readFileSync(join(folder, page), 'utf8').matchAll(
        /\]\(([^)\s]+)\)/g,
      )) {
        if (/^[a-z]+:/.test(link)) continue
        const [path = ''] = link.split('#')
        assert.ok(existsSync(resolve(dirname(join(folder, page)), path)), `${page}: ${link}`)
      }
    }
  })
})
