import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { startServer } from '../../examples/chinook/start-server.ts'
import { databases } from '../databases.ts'
import { senders } from '../docs/curl.ts'
import { assertResponses, examplesIn } from '../docs/examples.ts'
import { absolutePath, readPage, section, tableRows } from '../docs/pages.ts'
import { filled } from '../filled.ts'
import { partOf } from '../long-tests.ts'

const readme = readPage('examples/chinook/README.md')
const examples = examplesIn(readme)

/** The origin in the URLs of the page. */
const documentedOrigin = 'http://127.0.0.1:3002'

describe('examples/chinook/README.md', () => {
  it('shows the response to each of its ten requests', () => {
    assert.equal(examples.length, 10)
    assert.equal(readme.match(/^curl /gm)?.length, examples.length)
  })

  for (const [index, database] of databases.entries()) {
    for (const [other, [name, send]] of [...senders()].entries()) {
      it(
        `shows the responses of ${database.name}, requested with ${name}`,
        partOf(index + other, 2),
        async (test) => {
          const server = await startServer(await filled(test, database, ''), 0, 'silent')
          test.after(() => server.close())
          await assertResponses(examples, send, (text) =>
            text.replaceAll(documentedOrigin, server.url),
          )
        },
      )
    }
  }

  it('describes the edits of every declaration', () => {
    const rows = tableRows(section(readme, '## How it was made'))
    const documented = rows.flatMap(([files = '']) => files.match(/[a-z-]+\.ts/g) ?? [])
    const files = readdirSync(absolutePath('examples/chinook/resources'))
    assert.deepEqual(documented.sort(), files.filter((name) => name !== 'index.ts').sort())
  })
})
