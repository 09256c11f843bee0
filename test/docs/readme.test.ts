import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { formatHelp } from '../../service/settings.ts'
import { startService } from '../../service/start-service.ts'
import { createProject } from '../cli/generated-project.ts'
import { connect } from '../client.ts'
import { partOf } from '../long-tests.ts'
import { senders } from './curl.ts'
import { assertResponses, examplesIn } from './examples.ts'
import { readPage, section, tableRows, tablesIn } from './pages.ts'

const readme = readPage('README.md')

/** The address of the service in the examples. */
const address = 'http://127.0.0.1:3000'

const firstRequests = readPage('docs/first-requests.md')
const examples = examplesIn(firstRequests)

/** The program in a part of the page. */
function programIn(heading: string): string {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(section(readme, heading)) ?? []
  return code
}

describe('README.md', () => {
  it('shows the commands that start the service and run the tests', () => {
    for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
      assert.ok(readme.includes(`\n\`\`\`sh\n${command}\n\`\`\`\n`), command)
    }
  })

  it('shows install and test commands that CI runs, before the long tests', () => {
    const ci = readPage('.ci/run').split('\n')
    for (const command of ['npm ci', 'npm test', 'npm run test:long'])
      assert.ok(ci.includes(command), command)
  })

  it('has a response for each of the five curl commands of docs/first-requests.md', () => {
    assert.equal(examples.length, 5)
    assert.equal(firstRequests.match(/^curl /gm)?.length, examples.length)
  })

  for (const [index, [name, send]] of [...senders()].entries()) {
    it(
      `shows the responses of the service, requested by ${name}`,
      partOf(index, 2),
      async (test) => {
        const quiet = { port: 0, databaseUrl: 'sqlite::memory:', logLevel: 'silent' }
        const service = await startService(quiet, true)
        test.after(() => service.close())
        const here = (text: string) => text.replaceAll(address, service.url)
        await assertResponses(examples, send, here)
      },
    )
  }

  it('shows the figures of bench/RESULTS.md', () => {
    const columns = ['one', 'list', 'included', 'text', 'create']
    const tables = tablesIn(readPage('bench/RESULTS.md'))
    const columnOf = (name: string, beside: string) => {
      const table = tables.find(({ head }) => head.includes(name) && head.includes(beside))
      const at = table?.head.indexOf(name) ?? -1
      const figures = new Map(table?.rows.map((row) => [row[0], row[at]]))
      return columns.map((workload) => figures.get(workload) || '–')
    }
    const expected = new Map([
      ['zenstack', columnOf('zenstack', 'hatchify')],
      ['json-api-nestjs', columnOf('json-api-nestjs', 'hatchify')],
      ['hatchify, on PostgreSQL', columnOf('hatchify', 'zenstack')],
      ['a hand-written program, SQLite', columnOf('SQLite, 1,000', 'PostgreSQL, 1,000')],
      ['a hand-written program, PostgreSQL', columnOf('PostgreSQL, 1,000', 'SQLite, 1,000')],
    ])
    const table = tablesIn(readme).find(({ head }) => head[0] === 'compared with')
    assert.deepEqual(
      new Map(table?.rows.map(([name = '', ...figures]) => [name, figures])),
      expected,
    )
  })

  it('shows the figures of large tables and large responses', () => {
    const tables = tablesIn(readPage('bench/RESULTS.md'))
    const baseline = tables.find(({ head }) => head.includes('SQLite, 1,000,000'))
    const list = baseline?.rows.find(([workload]) => workload === 'list')
    const times = Math.round(Number(list?.[baseline?.head.indexOf('SQLite, 1,000,000') ?? -1]))
    assert.ok(readme.includes(`a page of 1,000,000 persons is ${times} times as fast`))
    const stream = tables.flatMap(({ rows }) => rows).find(([name]) => name === 'SQLite, 1,000,000')
    const size = stream?.find((cell) => / in .* s$/.test(cell)) ?? ''
    const growth = stream?.[stream.indexOf(size) + 1]
    const gigabytes = (Number.parseInt(size, 10) / 1000).toFixed(1)
    assert.ok(readme.includes(`${gigabytes} GB`), size)
    assert.ok(readme.includes(`memory grows by ${growth} MB`), size)
  })

  it('lists the settings as --help does', () => {
    const rows = tableRows(readPage('docs/settings.md')).map((row) =>
      row.map((cell) => cell.replace(/^`(.*)`$/, '$1').replace(/`/g, '')),
    )
    const listed = rows.map(([flag, variable, unset, meaning]) =>
      [flag, variable, `${meaning} (default: ${unset})`].join(' '),
    )
    const lines = formatHelp().split('\n')
    const help = lines.filter((line) => /^ {2}--.*\(default: .*\)$/.test(line))
    assert.deepEqual(
      listed,
      help.map((line) => line.trim().replace(/\s+/g, ' ')),
    )
  })

  it('declares resources that are served', async (test) => {
    const url = await serve(test, await createProject(test), programIn('## Declare your own'))
    const client = connect(url)
    test.after(() => client.close())
    const author = { type: 'author', attributes: { name: 'Ada' } }
    const created = await client.send('POST', '/authors', { body: { data: author } })
    assert.equal(created.status, 201, created.text)
    const relationships = { author: { data: { type: 'author', id: '1' } } }
    const attributes = { title: 'Notes', year: 1843 }
    const book = { type: 'book', attributes, relationships }
    assert.equal((await client.send('POST', '/books', { body: { data: book } })).status, 201)
    const books = await client.send('GET', '/books?include=author')
    assert.equal(books.status, 200, books.text)
    assert.deepEqual(JSON.parse(books.text).data[0].attributes, {
      ...attributes,
      label: 'Notes (1843)',
    })
  })
})

/** Runs a program of the page in a project folder on any free port, and returns the origin that it prints. */
async function serve(test: TestContext, project: string, code: string): Promise<string> {
  const program = code.replace('port: 3001', 'port: 0')
  assert.notEqual(program, code, 'the program has a port')
  await writeFile(join(project, 'program.ts'), program)
  const child = spawn(process.execPath, ['program.ts'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  test.after(() => child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('http')) return new URL(line).origin
  }
  assert.fail(`the program ended without an address: ${stderr}`)
}
