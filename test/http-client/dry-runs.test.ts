import assert from 'node:assert/strict'
import { it } from 'node:test'
import { inProcess, tagIds } from '../in-process/shop.ts'
import { connectClient } from './shop-client.ts'

const [heavy, round] = tagIds

inProcess('Dry runs of the client over HTTP', (engine) => {
  const readAll = () =>
    Promise.all(
      ['items?include=tags', 'tags'].map(async (path) => (await engine.get(`/${path}`)).text),
    )

  const misspelt: Readonly<
    Record<string, (client: ReturnType<typeof connectClient>['client']) => Promise<unknown>>
  > = {
    ifmatch: (client) => client.item.update('2', { stock: 9 }, {}, { ifmatch: '*' } as never),
    dryrun: (client) => client.item.remove('1', { dryrun: true } as never),
    maxaffected: (client) => client.item.create({ name: 'a' }, {}, { maxaffected: 1 } as never),
    idempotencykey: (client) =>
      client.item.relate('1', 'tags', { add: [] }, { idempotencykey: 'k' } as never),
    header: (client) => client.item.list({}, { header: {} } as never),
  }
  for (const [name, call] of Object.entries(misspelt))
    it(`are not done with the misspelt option ${name}`, async () => {
      const before = await readAll()
      await assert.rejects(call(connectClient(engine).client), {
        name: 'TypeError',
        message: `options.${name}: there is no such option; the options are signal, headers, ifMatch, idempotencyKey, dryRun, maxAffected.`,
      })
      assert.deepEqual(await readAll(), before)
    })

  it('return what the writes would have done', async () => {
    const before = await readAll()
    const { client } = connectClient(engine)
    const dryRun = true
    const created = await client.item.create(
      { name: 'axle', tags: [heavy] },
      { include: ['tags'] },
      { dryRun },
    )
    const { id: _, ...members } = { id: undefined, ...created.result }
    assert.deepEqual(Object.keys(created.result).includes('id'), false)
    assert.deepEqual([members.name, members.tags.map(({ id }) => id)], ['axle', [heavy]])
    assert.deepEqual(created.affected, { item: { created: 1 } })
    assert.deepEqual(created.members, { item: { tags: { added: 1, removed: 0 } } })
    const updated = await client.item.update('2', { stock: 9 }, {}, { dryRun })
    assert.deepEqual([updated.result.id, updated.result.stock], ['2', 9])
    assert.deepEqual(await client.item.relate('1', 'tags', { replace: [round] }, { dryRun }), {
      dryRun,
      affected: {},
      members: { item: { tags: { added: 1, removed: 1 } } },
      result: undefined,
    })
    assert.deepEqual(await client.item.remove('1', { dryRun }), {
      dryRun,
      affected: { item: { deleted: 1, updated: 2 } },
      members: {},
      result: undefined,
    })
    assert.deepEqual(await readAll(), before)
  })

  it('maxAffected limits a write', async () => {
    const before = await readAll()
    const { client } = connectClient(engine)
    const refused = { status: 422, code: 'too_many_affected' }
    await assert.rejects(client.item.remove('1', { maxAffected: 2 }), refused)
    const both = { maxAffected: 2, dryRun: true } as const
    await assert.rejects(client.item.remove('1', both), refused)
    const wrong = { dryRun: 'no' as never }
    await assert.rejects(client.item.remove('1', wrong), {
      status: 400,
      code: 'invalid_preference',
    })
    assert.deepEqual(await readAll(), before)
    await client.item.remove('3', { maxAffected: 1 })
    await assert.rejects(client.item.get('3'), { status: 404 })
  })

  it('a response that was no dry run is an error', async () => {
    const { client } = connectClient(engine, {
      fetch: async (_url, { method }) =>
        method === 'DELETE'
          ? Response.json({ meta: { message: 'Object successfully deleted' } })
          : new Response((await engine.get('/')).text),
    })
    const remove = client.tag.remove(round, { dryRun: true })
    await assert.rejects(remove, /no dry run/)
  })
})
