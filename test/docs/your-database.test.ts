import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  assertCompiles,
  assertFormatted,
  createProject,
  createSqliteDatabase,
} from '../cli/generated-project.ts'
import { long } from '../long-tests.ts'
import { runShell, startShell } from '../service/child.ts'
import { blocksOf } from './blocks.ts'
import { senders } from './curl.ts'
import { assertResponses, examplesIn } from './examples.ts'
import { absolutePath, readPage } from './pages.ts'

/** The address in the examples. */
const address = 'http://127.0.0.1:3000'

describe('docs/guides/your-database.md', () => {
  const guide = readPage('docs/guides/your-database.md')
  const inLanguage = (language: string) =>
    blocksOf(guide).flatMap((block) => (block.language === language ? [block.text] : []))
  const [tables = ''] = inLanguage('sql')
  const [serve = '', init = '', start = ''] = inLanguage('sh').map((text) => text.trim())
  const environment = { PORT: '0', LOG_LEVEL: 'warn' }

  /** Creates a project with the database of the guide, in which npx finds the command of the repository. */
  async function createMusicProject(test: TestContext): Promise<string> {
    const cwd = await createProject(test)
    createSqliteDatabase(cwd, 'music', tables)
    const commands = join(cwd, 'node_modules/.bin')
    mkdirSync(commands)
    symlinkSync(absolutePath('cli/main.ts'), join(commands, 'lapidary'))
    return cwd
  }

  it('shows what lapidary serve prints', async (test) => {
    const cwd = await createMusicProject(test)
    const served = await startShell(test, serve, { cwd, environment })
    assert.equal(served.printed().replaceAll(served.url, address), inLanguage('text')[0])
  })

  /** Creates the program at the end of the guide. @returns its folder */
  async function createProgram(test: TestContext): Promise<string> {
    const cwd = await createMusicProject(test)
    const { code, stderr } = await runShell(init, { cwd, environment })
    assert.equal(code, 0, stderr)
    writeFileSync(join(cwd, 'resources/album.ts'), inLanguage('ts').join(''))
    return cwd
  }

  it('ends with a program that is formatted and compiles', long, async (test) => {
    const cwd = await createProgram(test)
    assertFormatted(cwd)
    assertCompiles(cwd)
  })

  it('ends with a program that responds as it shows', async (test) => {
    const cwd = await createProgram(test)
    const started = await startShell(test, start, { cwd, environment })
    const examples = examplesIn(guide)
    assert.equal(examples.length, 1)
    for (const send of senders().values())
      await assertResponses(examples, send, (text) => text.replaceAll(address, started.url))
  })
})
