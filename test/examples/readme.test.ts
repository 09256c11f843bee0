import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { startStore } from '../../examples/chinook/start.ts'
import { senders } from '../docs/curl.ts'
import { assertTrue, examplesIn } from '../docs/examples.ts'
import { page, placeOf, section, tableRows } from '../docs/pages.ts'
import { filled, lasting } from '../filled.ts'

const readme = page('examples/chinook/README.md')
const examples = examplesIn(readme)

/** Where the examples suppose the store to be. */
const address = 'http://127.0.0.1:3002'

describe('examples/chinook/README.md', () => {
  it('has an answer to each of its ten requests', () => {
    assert.equal(examples.length, 10)
    assert.equal(readme.match(/^curl /gm)?.length, examples.length)
  })

  for (const database of lasting) {
    for (const [name, send] of senders()) {
      it(`tells true answers on ${database.name}, by ${name}`, async (test) => {
        const store = await startStore(await filled(test, database, ''), 0, 'silent')
        test.after(() => store.close())
        await assertTrue(examples, send, (text) => text.replaceAll(address, store.url))
      })
    }
  }

  it('says of every declaration what was done to it', () => {
    const rows = tableRows(section(readme, '## How it was made'))
    const named = rows.flatMap(([files = '']) => files.match(/[a-z-]+\.ts/g) ?? [])
    const there = readdirSync(placeOf('examples/chinook/resources'))
    assert.deepEqual(named.sort(), there.filter((name) => name !== 'index.ts').sort())
  })
})
