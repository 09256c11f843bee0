import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { helpText } from '../../service/settings.ts'
import { startService } from '../../service/start.ts'
import { connect } from '../client.ts'
import { folder } from '../service/child.ts'
import { senders } from './curl.ts'
import { assertTrue, examplesIn } from './examples.ts'
import { page, root, section, tableRows } from './pages.ts'

const readme = page('README.md')

/** Where the examples suppose the service to be. */
const address = 'http://127.0.0.1:3000'

const examples = examplesIn(readme)

describe('README.md', () => {
  it('names the two commands', () => {
    for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
      assert.ok(readme.includes(`\n\`\`\`sh\n${command}\n\`\`\`\n`), command)
    }
  })

  it('has an answer to each of its five curl commands', () => {
    assert.equal(examples.length, 5)
    assert.equal(readme.match(/^curl /gm)?.length, examples.length)
  })

  for (const [name, send] of senders()) {
    it(`tells true answers, by ${name}`, async (test) => {
      const quiet = { port: 0, databaseUrl: 'sqlite::memory:', logLevel: 'silent' }
      const service = await startService(quiet, true)
      test.after(() => service.close())
      const here = (text: string) => text.replaceAll(address, service.url)
      await assertTrue(examples, send, here)
    })
  }

  it('lists the settings as --help does', () => {
    const rows = tableRows(section(readme, '## Settings')).map((row) =>
      row.map((cell) => cell.replace(/^`(.*)`$/, '$1').replace(/`/g, '')),
    )
    const listed = rows.map(([flag, variable, unset, meaning]) =>
      [flag, variable, `${meaning} (default: ${unset})`].join(' '),
    )
    const lines = helpText().split('\n')
    const help = lines.filter((line) => /^ {2}--.*\(default: .*\)$/.test(line))
    assert.deepEqual(
      listed,
      help.map((line) => line.trim().replace(/\s+/g, ' ')),
    )
  })

  it('declares resources that are served', async (test) => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(section(readme, '## Declare your own')) ?? []
    const client = connect(new URL(await run(test, code)).origin)
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

/** Runs the page's program in a folder of its own, on any free port, and returns the address it prints. */
async function run(test: TestContext, code: string): Promise<string> {
  const doors = { lapidary: 'src/index.ts', 'lapidary/sqlite': 'src/store/sqlite/store.ts' }
  let program = code.replace('port: 3001', 'port: 0')
  assert.notEqual(program, code, 'the program says its port')
  for (const [name, path] of Object.entries(doors)) {
    program = program.replaceAll(`'${name}'`, `'${new URL(path, root)}'`)
  }
  const cwd = await folder(test)
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
  await writeFile(join(cwd, 'library.ts'), program)
  const child = spawn(process.execPath, ['library.ts'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  test.after(() => child.kill('SIGKILL'))
  let complaints = ''
  child.stderr.on('data', (piece) => {
    complaints += piece
  })
  for await (const line of createInterface({ input: child.stdout })) return line
  assert.fail(`it ended without an address: ${complaints}`)
}
