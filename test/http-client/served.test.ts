import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineModel } from 'lapidary'
import { createClient } from 'lapidary/client'
import { createServer } from 'lapidary/fastify'
import { resources as musicResources } from '../../examples/chinook/resources/index.ts'
import { createApp } from '../../examples/tracker/app.ts'
import type { model as trackerModel } from '../../examples/tracker/model.ts'
import { resources } from '../../service/resources/index.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { createMusicStore } from '../examples/music-store.ts'
import { secret, signToken, users } from '../examples/tracker-fixture.ts'
import { startPersons } from './served.ts'

const model = defineModel(resources)
const musicModel = defineModel(musicResources)

for (const database of databases)
  describe(`The client over HTTP on ${database.name}`, () => {
    it('works with the persons/computers service below a prefix', async (test) => {
      const { url: databaseUrl, remove } = await database.create()
      test.after(remove)
      const { url, close } = await startPersons(databaseUrl)
      test.after(close)
      const { person, computer } = createClient<typeof model>({ url })
      const owner = await person.create({ name: 'Ada', email: 'ada@example.org' })
      assert.equal(owner.display_name, 'ADA <ada@example.org>')
      const { id } = await computer.create({ serial: 'x-1', owner })
      const { data, meta } = await person.list({
        filter: { name: { startswith: 'A' }, computers: { any: { serial: 'x-1' } } },
        include: ['computers.owner'],
        fields: { person: ['name'] },
        sort: ['-birth_date'],
        page: { size: 10 },
      })
      assert.equal(meta.count, 1)
      assert.equal(data[0]?.computers[0]?.id, id)
      assert.equal(data[0]?.computers[0]?.owner, data[0])
      assert.equal('email' in (data[0] ?? {}), false)
      const error = await person.create({ name: '', email: 'x' }).catch((thrown) => thrown)
      assert.equal(error.at('/data/attributes/email').length, 1)
      await person.relate(owner.id, 'computers', { replace: [] })
      assert.equal((await computer.get(id, { include: ['owner'] })).owner, null)
      await computer.remove(id)
      await assert.rejects(computer.get(id), { code: 'not_found' })
    })

    it('works with the music store, whose types are not named like its paths', async (test) => {
      const { url: databaseUrl } = await createMusicStore(test, database)
      const store = await openStore(musicModel, databaseUrl)
      const server = createServer({ model: musicModel, store, logLevel: 'silent' })
      test.after(async () => {
        await server.close()
        await store.close()
      })
      const url = await server.listen({ host: '127.0.0.1', port: 0 })
      const client = createClient<typeof musicModel>({ url })
      const { data } = await client.track.list({
        filter: { milliseconds: { gt: 300_000 }, album: { has: { artist: { ne: null } } } },
        include: ['album.artist', 'mediaType'],
        sort: ['-milliseconds', 'id'],
        page: { size: 3 },
      })
      assert.equal(data.length, 3)
      for (const { album, mediaType, milliseconds, price } of data) {
        assert.ok(milliseconds > 300_000)
        assert.match(price, /^\d+\.\d\d$/)
        assert.equal(typeof album?.artist?.name, 'string')
        assert.equal(mediaType?.type, 'mediaType')
      }
      const ids = new Set<string>()
      for await (const { id } of client.invoiceLine.each({ page: { size: 1000 } })) ids.add(id)
      assert.equal(ids.size, (await client.invoiceLine.list({ page: { size: 1 } })).meta.count)
    })
  })

describe('The client over HTTP', () => {
  it('works with the tracker, with a token for each request', async (test) => {
    const webOrigin = 'https://tracker.example.org'
    const app = await createApp({ database: ':memory:', secret, webOrigin, maxRequests: 1000 })
    test.after(() => app.close())
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const connect = (user: keyof typeof users) =>
      createClient<typeof trackerModel>({
        url: `${origin}/api`,
        headers: async () => ({ authorization: `Bearer ${await signToken(users[user])}` }),
      })
    const [ada, ben] = [connect('ada'), connect('ben')]
    for (const name of ['ada', 'ben'] as const)
      await ada.users.create({ name, email: `${name}@example.org`, role: users[name].role })
    const project = await ben.projects.create({ name: 'Engine' }, { include: ['members'] })
    assert.deepEqual(
      project.members.map(({ name }) => name),
      ['ben'],
    )
    const issue = await ben.issues.create({ title: 'It stops', project }, { include: ['author'] })
    assert.equal(issue.author?.name, 'ben')
    await ben.comments.create({ body: 'Every day.', issue: issue.id })
    const { data } = await ada.issues.list({
      filter: { status: 'open', comment_count: { ge: 1 }, project: { has: { name: 'Engine' } } },
      include: ['comments.author'],
      fields: { issues: ['title'], comments: ['body'] },
    })
    assert.deepEqual(data[0]?.comments[0]?.author?.name, 'ben')
    const rejected = ben.users.create({ name: 'x', email: 'x@example.org' })
    await assert.rejects(rejected, { status: 403, code: 'forbidden' })
    const guest = createClient<typeof trackerModel>({ url: `${origin}/api` })
    await assert.rejects(guest.issues.list(), { status: 401, code: 'unauthenticated' })
  })
})
