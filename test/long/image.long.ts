import assert from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { assertHealthy, buildImage, get, runImage } from '../docs/build-image.ts'
import { absolutePath, readPage } from '../docs/pages.ts'
import { findDependencies } from '../package/local-registry.ts'

describe('Dockerfile', () => {
  it('makes an image of the service, with its dependencies and none of development', async (test) => {
    const image = await buildImage(test, {
      dockerfile: readPage('Dockerfile'),
      context: absolutePath('.'),
      install: (stage) => {
        const { dependencies }: { readonly dependencies: object } = JSON.parse(
          readPage('package.json'),
        )
        for (const path of findDependencies(Object.keys(dependencies))) {
          mkdirSync(join(stage, path, '..'), { recursive: true })
          cpSync(absolutePath(path), join(stage, path), {
            recursive: true,
            filter: (source) => !source.slice(absolutePath(path).length).includes('node_modules'),
          })
        }
      },
    })
    const child = await runImage(test, image, { PORT: '0', ALLOWED_HOSTS: '127.0.0.1,0.0.0.0' })
    const { status, text } = await get(child, '/persons')
    assert.equal(status, 200, text)
    await assertHealthy(image, child)
  })
})
