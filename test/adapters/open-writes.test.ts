import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fastify from 'fastify'
import { attribute, createHandler, declare, type Logger, type Model, text } from 'lapidary'
import { bearerAuth, firstOf } from 'lapidary/auth'
import { jsonApi } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'

const { defineModel, resource } = declare<{ auth: string | undefined }>()
const fields = { text: attribute(text) }
const notes = resource('notes', { path: '/notes', table: 'note', fields })
const open = defineModel([
  notes,
  resource('tags', { path: '/tags', table: 'tag', access: { read: true, create: true }, fields }),
  resource('logs', { path: '/logs', table: 'log', access: 'read-only', fields }),
])
const closed = defineModel([notes], { access: 'deny by default' })

const bearer = {
  ...{
    key: { secret: 'x'.repeat(40) },
    algorithms: ['HS256'] as const,
    issuer: 'i',
    audience: 'a',
  },
  toAuth: ({ sub }: { sub?: string }) => sub,
}
/** Without a property `security`: only a request shows what it returns. */
const maybe = () => undefined

// biome-ignore format: a table, one mount a row
const mounts: readonly (readonly [title: string, model: Model, authenticate: ((request: AuthRequest) => unknown) | undefined, types?: readonly string[]])[] = [
  ['a function that may return undefined', open, maybe, ['notes']],
  ['bearerAuth with anonymous', open, bearerAuth({ ...bearer, anonymous: () => undefined }), ['notes']],
  ['firstOf with anonymous', open, firstOf(bearerAuth(bearer), maybe), ['notes']],
  ['bearerAuth without anonymous', open, bearerAuth(bearer)],
  ['a function whose security is not optional', open, Object.assign(() => 'ada', { security: { schemes: {}, isOptional: false } })],
  ['a model that denies by default', closed, maybe],
  ['no authentication', open, undefined],
]

type AuthRequest = Parameters<ReturnType<typeof bearerAuth>>[0]

describe('Writes without an auth context', () => {
  for (const [title, model, authenticate, types] of mounts) {
    const how = types ? `is one warning of ${types}` : 'are no warnings'
    const atStart = types && authenticate !== maybe ? [types] : []
    const store = openSqlite(model, ':memory:')
    after(() => store.close())
    const options = { model, store, ...(authenticate && { authenticate }) }

    it(`given ${title}, then in createHandler there ${how}`, async () => {
      const warned: unknown[] = []
      const warn = (details: unknown) => void warned.push(Reflect.get(Object(details), 'types'))
      const handle = createHandler({ ...options, log: { ...silent, warn } })
      assert.deepEqual(warned, atStart)
      for (let each = 0; each < 3; each += 1) await handle(new Request('http://x/'))
      assert.deepEqual(warned, types ? [types] : [])
    })

    it(`given ${title}, then in the Fastify plugin there ${how}`, async () => {
      const warned: unknown[] = []
      const stream = { write: (line: string) => void warned.push(JSON.parse(line).types) }
      const app = fastify({ logger: { stream, level: 'warn' } })
      app.register(jsonApi, options)
      await app.ready()
      assert.deepEqual(warned, atStart)
      for (let each = 0; each < 3; each += 1) await app.inject('/')
      assert.deepEqual(warned, types ? [types] : [])
      await app.close()
    })
  }
})

const ignore = () => {}
// biome-ignore format: a line
const silent: Logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore }
