import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createSqliteDatabase } from '../cli/generated-project.ts'
import { blocksOf } from '../docs/blocks.ts'
import { senders } from '../docs/curl.ts'
import { assertResponses, examplesIn } from '../docs/examples.ts'
import { readPage, section } from '../docs/pages.ts'
import { startRegistry } from '../package/local-registry.ts'
import { folder, runShell, startShell } from '../service/child.ts'

// `npm test` runs these commands as well, in a project that has the package (`test/docs/your-database.test.ts`), and installs the
// package from its tarball (`test/package/`). Here npx installs it from a registry.

/** The address in the examples. */
const address = 'http://127.0.0.1:3000'

describe('README.md', () => {
  const part = section(readPage('README.md'), '## Serve your own database')
  const [serve = '', request = '', init = '', ...others] = blocksOf(part)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.trim())

  it('serves an own database within 60 seconds from an empty folder, by its first two commands', async (test) => {
    assert.deepEqual([serve, others], ['npx lapidary serve sqlite:music.db', []])
    const [cwd, cache] = [await folder(test), await folder(test)]
    createSqliteDatabase(
      cwd,
      'music',
      `create table artist (id integer primary key, name text not null);
       create table album (id integer primary key, title text not null, artist_id integer references artist (id));
       insert into artist values (7, 'Ada');
       insert into album values (1, 'Notes', 7)`,
    )
    const environment = {
      npm_config_registry: await startRegistry(test),
      npm_config_cache: cache,
      npm_config_yes: 'true',
      PORT: '0',
    }
    const start = performance.now()
    const served = await startShell(test, serve, { cwd, environment })
    const examples = examplesIn(part)
    assert.deepEqual(
      examples.map(({ command }) => command.trim()),
      [request],
    )
    for (const send of senders().values())
      await assertResponses(examples, send, (text) => text.replaceAll(address, served.url))
    const seconds = (performance.now() - start) / 1000
    assert.ok(seconds < 60, `${seconds} s`)
    assert.deepEqual(readdirSync(cwd), ['music.db'])
    await served.end('SIGTERM')

    assert.equal(init, 'npx lapidary init sqlite:music.db')
    const { code, stderr } = await runShell(init, { cwd, environment })
    assert.equal(code, 0, stderr)
    const files = ['album.ts', 'artist.ts', 'index.ts']
    assert.deepEqual(readdirSync(join(cwd, 'resources')).sort(), files)
  })
})
