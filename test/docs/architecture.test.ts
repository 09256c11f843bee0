import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { resources } from '../../service/resources/index.ts'
import { startService } from '../../service/start-service.ts'
import { defineModel } from '../../src/index.ts'
import { parseQuery } from '../../src/parse/query.ts'
import { createPlanner } from '../../src/plan/planner.ts'
import { planCollection } from '../../src/plan/read.ts'
import { compileRead } from '../../src/store/read.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { connect } from '../client.ts'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'
import { statementsOf } from '../service/statements.ts'
import { absolutePath, readPage, section, tableRows } from './pages.ts'

const architecture = readPage('docs/architecture.md')
const model = defineModel(resources, { maxPageSize: null })

/** The blocks of a language in a part of the page. */
function blocks(part: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\n([^\`]*)\`\`\`$`, 'gm')
  return [...section(architecture, part).matchAll(fenced)].map(([, block = '']) => block)
}

/** SQL on one line, as it runs. */
function line(sql: string): string {
  return sql.trim().replace(/\s+/g, ' ')
}

/** What the one request of a part is about. */
function requestIn(part: string) {
  const [request = ''] = blocks(part, 'http')
  const [, path = '', type = '', search = ''] = /^GET (\/(\w+)s\?(.*))\n/.exec(request) ?? []
  const resource = model.types.get(type)
  assert.ok(resource, request)
  return { path, query: parseQuery(search), resource }
}

describe('docs/architecture.md', () => {
  it('names no file and no folder that is not there', () => {
    const named = architecture.match(/`(src|service|test|docs)\/[^`\s]*`/g) ?? []
    assert.ok(named.length > 40)
    for (const quoted of named) {
      const path = quoted.slice(1, -1)
      assert.ok(existsSync(absolutePath(path)), path)
    }
  })

  it('names every room', () => {
    const rooms = readdirSync(absolutePath('src')).filter((name) =>
      statSync(absolutePath(`src/${name}`)).isDirectory(),
    )
    for (const room of rooms) assert.ok(architecture.includes(`\`src/${room}/\``), room)
  })

  it('has a rule of import that the imports obey', () => {
    const rows = tableRows(section(architecture, '## One rule of import'))
    const seen: string[] = []
    for (const [room = '', may = ''] of rows) {
      const [, name] = /^`src\/(\w+)\/`$/.exec(room) ?? []
      if (name === undefined) continue
      const allowed = may === 'all of the above' ? seen : may.split(', ')
      for (const other of roomsSeenFrom(name))
        assert.ok(allowed.includes(other), `${name}: ${other}`)
      seen.push(name)
    }
    assert.equal(seen.length, 9)
  })

  it('walks a request as it really goes', async (test) => {
    const walk = '## A list, from URL to bytes'
    const { path, query, resource } = requestIn(walk)
    const [words = '', shape = ''] = blocks(walk, 'json')
    const fields = Object.fromEntries(query.fields)
    assert.partialDeepStrictEqual({ ...query, fields }, JSON.parse(words))
    const plan = planCollection(createPlanner(model), query, { resource })
    assert.deepEqual(JSON.parse(JSON.stringify(plan.shape)), JSON.parse(shape))
    const shown = blocks(walk, 'sql').map(line)
    assert.deepEqual(await statementsOn('sqlite::memory:', path, test), shown.slice(0, -1))
    const [postgres] = databases.filter(({ name }) => name === 'PostgreSQL')
    if (postgres === undefined) return
    const [whole = '', ...others] = await statementsOn(await filled(test, postgres, ''), path, test)
    assert.deepEqual(others, [])
    // What is left out of it stands above.
    const parts = (shown.at(-1) ?? '').split('…').map(bare)
    assert.equal(parts.length, 3)
    let at = 0
    for (const part of parts) {
      const found = bare(whole).indexOf(part, at)
      assert.ok(found !== -1, `${part}\nis not in\n${bare(whole).slice(at)}`)
      at = found + part.length
    }
  })

  it('shows the statements of a stream as they are compiled', () => {
    const part = '## How inclusion works'
    const { query, resource } = requestIn(part)
    const { shape } = planCollection(createPlanner(model), query, { resource })
    const { includedRows } = compileRead(shape, { model, dialect: sqliteDialect })
    assert.deepEqual(
      includedRows.map(({ sql }) => sql),
      blocks(part, 'sql').map(line),
    )
  })
})

/** The statements by which a service on a database answers a request. */
async function statementsOn(databaseUrl: string, path: string, test: TestContext) {
  const service = await startService({ port: 0, databaseUrl, logLevel: 'silent' }, true)
  const client = connect(service.url)
  test.after(() => {
    client.close()
    return service.close()
  })
  return statementsOf(() => client.send('GET', path))
}

/** SQL without what breaks its lines. */
function bare(sql: string): string {
  return sql.replace(/\s+/g, ' ').replaceAll('( ', '(').trim()
}

function roomsSeenFrom(room: string): Set<string> {
  const folder = `src/${room}`
  const files = readdirSync(absolutePath(folder), { recursive: true, encoding: 'utf8' })
  const seen = new Set<string>()
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const depth = file.split(/[/\\]/).length
    const up = new RegExp(` from '${'\\.\\./'.repeat(depth)}(\\w+)/`, 'g')
    for (const [, other = ''] of readPage(`${folder}/${file}`).matchAll(up)) seen.add(other)
  }
  return seen
}
