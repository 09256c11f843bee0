import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { describeGuideProgram } from './guide-program.ts'
import { absolutePath, readPage, section, tableRows } from './pages.ts'

const page = 'docs/guides/clients.md'
const dependencies = {
  ...JSON.parse(readPage('package.json')).devDependencies,
  ...JSON.parse(readPage('test/clients/package.json')).dependencies,
}

/** The test of each library that is tested. */
const tests: Readonly<Record<string, string>> = {
  kitsu: 'kitsu',
  'devour-client': 'devour',
  spraypaint: 'spraypaint',
  jsona: 'jsona',
  '@orbit/jsonapi': 'orbit',
  '@warp-drive/json-api': 'warp-drive',
  'jsonapi-react': 'jsonapi-react',
  '@datx/jsonapi': 'datx',
}

describeGuideProgram(page, 'people.db')

describe(`The tables of ${page}`, () => {
  const libraries = tableRows(section(readPage(page), '## Settings'))
  const tested = libraries.filter(([, version]) => version !== '–')
  const names = (rows: string[][]) => rows.map(([name = '']) => name.replaceAll('`', ''))

  it('have eleven libraries, eight of them tested', () => {
    assert.equal(libraries.length, 11)
    assert.deepEqual(names(tested), Object.keys(tests))
    for (const file of Object.values(tests))
      assert.ok(existsSync(absolutePath(`test/clients/${file}.test.ts`)), file)
  })

  it('have the versions that are installed', () => {
    const versions = names(tested).map((name) => dependencies[name])
    assert.deepEqual(
      tested.map(([, version]) => version),
      versions,
    )
  })

  it('describe the queries and writes of each tested library', () => {
    const described = tableRows(section(readPage(page), '## Queries and writes'))
    assert.deepEqual(names(described), Object.keys(tests))
  })
})
