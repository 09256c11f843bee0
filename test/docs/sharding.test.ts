import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { blocksOf } from './blocks.ts'
import { readPage } from './pages.ts'

// `npm run test:citus` runs the SQL of the page (`test/citus/guide.test.ts`).

/** What the test reads of a compose file. */
interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image?: string
        readonly build?: string
        readonly command?: readonly string[]
        readonly environment?: Readonly<Record<string, string>>
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
        readonly healthcheck?: { readonly test: readonly string[] }
      }
    >
  >
}

const yaml = createRequire(import.meta.resolve('@fastify/swagger'))('yaml')
const blocks = blocksOf(readPage('docs/guides/sharding.md'))
const block = (language: string, at = 0) =>
  blocks.filter((each) => each.language === language)[at]?.text ?? ''

describe('docs/guides/sharding.md', () => {
  const { services }: Compose = yaml.parse(block('yaml'), { merge: true })

  it('has a compose file whose services have an image or a folder, and wait for services that become healthy', () => {
    assert.deepEqual(Object.keys(services), ['coordinator', 'worker1', 'worker2', 'service'])
    for (const [name, service] of Object.entries(services)) {
      assert.equal([service.image, service.build].filter(Boolean).length, 1, name)
      for (const each of Object.values(service.environment ?? {}))
        assert.equal(typeof each, 'string')
      for (const other of Object.keys(service.depends_on ?? {}))
        assert.ok(services[other]?.healthcheck, other)
    }
    const url = new URL(services.service?.environment?.DATABASE_URL ?? '')
    assert.ok(services[url.hostname])
  })

  it('has scripts and commands that name the nodes of the compose file', () => {
    const nodes = [...block('sql').matchAll(/'(\w+)', 5432/g)].map(([, name = '']) => name)
    assert.deepEqual(nodes, ['coordinator', 'worker1', 'worker2'])
    const [up = ''] = block('console').split('\n')
    assert.deepEqual(up.split(' ').slice(-3), nodes)
  })
})
