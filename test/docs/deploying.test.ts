import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { generateMain } from '../../cli/init.ts'
import { createProject, createSqliteDatabase } from '../cli/generated-project.ts'
import {
  assertHealthy,
  blocksInGuide,
  buildImage,
  get,
  guide,
  parseDockerfile,
  runImage,
} from './build-image.ts'
import { absolutePath, readPage, section } from './pages.ts'

describe('docs/guides/deploying.md', () => {
  it('has a Dockerfile whose instructions make an image of a generated project that serves', async (test) => {
    const context = await createProject(test)
    createSqliteDatabase(
      context,
      'music',
      'create table album (id integer primary key, title text)',
    )
    const args = [absolutePath('cli/main.ts'), 'init', 'sqlite:music.db']
    assert.equal(spawnSync(process.execPath, args, { cwd: context }).status, 0)
    // `npm install` writes it.
    writeFileSync(join(context, 'package-lock.json'), '{}')
    const [dockerfile = ''] = blocksInGuide('## Docker', 'dockerfile')
    const image = await buildImage(test, {
      dockerfile,
      context,
      install: (stage) =>
        cpSync(join(context, 'node_modules'), join(stage, 'node_modules'), {
          recursive: true,
          verbatimSymlinks: true,
        }),
    })
    cpSync(join(context, 'music.db'), join(image.folder, 'data/music.db'))
    const [env = ''] = blocksInGuide('## Settings', 'ini')
    writeFileSync(join(image.folder, '.env'), env)
    const child = await runImage(test, image, { PORT: '0' })
    const { status, text } = await get(child, '/albums')
    assert.equal(status, 200, text)
    assert.equal(JSON.parse(text).links.self, 'https://music.example.org/albums')
    await assertHealthy(image, child)
  })

  it('names settings that the generated program reads', () => {
    const generated = ['sqlite:music.db', 'postgres://localhost/music']
      .map((url) => generateMain(url, '.'))
      .join('\n')
    for (const [, variable = ''] of section(guide, '## Settings').matchAll(/`([A-Z]+_?[A-Z]+)`/g))
      assert.match(generated, new RegExp(`\\b${variable}\\b`))
  })
})

// `npm run test:long` builds the image.
describe('Dockerfile', () => {
  it('copies only what .dockerignore lets through', () => {
    const allowed = readPage('.dockerignore').split('\n')
    for (const [name, text] of parseDockerfile(readPage('Dockerfile'))) {
      if (name !== 'COPY' || text.startsWith('--from')) continue
      for (const path of text.split(' ').slice(0, -1)) assert.ok(allowed.includes(`!${path}`), path)
    }
  })
})
