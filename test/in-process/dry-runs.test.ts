import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ApiError, ManyErrors } from 'lapidary'
import { inProcess, type ShopApi, type ShopClient, tagIds, withApi } from './shop.ts'

const [heavy, round] = tagIds

/** Values that the types reject: programs in JavaScript may pass them. */
const wrong = (value: unknown) => value as never

/** Runs a call that must fail, and returns the code of its error. */
async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  const error = await call.then(
    () => assert.fail('The call has not failed.'),
    (thrown: unknown) => thrown,
  )
  assert.ok(!(error instanceof ManyErrors))
  return (error as ApiError).code
}

inProcess('Dry runs in process', (engine) => {
  const readAll = () =>
    Promise.all(
      ['items?include=tags', 'shops', 'tags'].map(
        async (path) => (await engine.get(`/${path}`)).text,
      ),
    )
  /** Runs work that must not change what is stored. */
  const withoutChange = async (work: (shop: ShopApi) => Promise<void>) => {
    const before = await readAll()
    await withApi(engine, work)
    assert.deepEqual(await readAll(), before)
  }

  it('a create returns the resource without its id', () =>
    withoutChange(async ({ client }) => {
      const tried = await client.create(
        'item',
        { name: 'axle', price: '8', tags: [heavy] },
        { include: ['tags'], dryRun: true },
      )
      const { result, ...counted } = tried
      assert.deepEqual(counted, {
        dryRun: true,
        affected: { item: { created: 1 } },
        members: { item: { tags: { added: 1, removed: 0 } } },
      })
      assert.deepEqual(
        ['id' in result, result.name, result.price, result.changed_by, result.tags[0]?.word],
        [false, 'axle', '8.00', 'tester', 'heavy'],
      )
    }))

  it('an update returns the resource as it would be', () =>
    withoutChange(async ({ client }) => {
      const { affected, members, result } = await client.update(
        'item',
        '2',
        { stock: 9, tags: [round] },
        { dryRun: true },
      )
      assert.deepEqual(affected, { item: { updated: 1 } })
      assert.deepEqual(members, { item: { tags: { added: 0, removed: 1 } } })
      assert.deepEqual([result.id, result.stock], ['2', 9])
    }))

  it('a deletion counts what the database deletes and changes with it', () =>
    withoutChange(async ({ client }) => {
      assert.deepEqual(await client.remove('item', '1', { dryRun: true }), {
        dryRun: true,
        affected: { item: { deleted: 1, updated: 2 } },
        members: {},
        result: undefined,
      })
    }))

  it('a change of a relationship counts its members', () =>
    withoutChange(async ({ client }) => {
      const change = { replace: [round] }
      assert.deepEqual(await client.relate('item', '1', 'tags', change, { dryRun: true }), {
        dryRun: true,
        affected: {},
        members: { item: { tags: { added: 1, removed: 1 } } },
        result: undefined,
      })
    }))

  it('documents are those of the responses over HTTP', () =>
    withoutChange(async ({ client: { documents } }) => {
      const headers = { prefer: 'dry-run' }
      const attributes = { stock: 4 }
      const responses = await Promise.all([
        engine.call('DELETE', '/items/1', { headers }),
        engine.call('PATCH', '/items/2', {
          headers,
          body: { data: { type: 'item', id: '2', attributes } },
        }),
      ])
      assert.deepEqual(
        [
          await documents.remove('item', '1', { dryRun: true }),
          await documents.update('item', '2', attributes, { dryRun: true }),
        ],
        responses.map(({ body }) => body),
      )
    }))

  it('the errors are those of the write', () =>
    withoutChange(async ({ client }) => {
      const dryRun = true
      assert.equal(
        await codeOf(client.create('item', { name: 'bolt' }, { dryRun })),
        'constraint_conflict',
      )
      assert.equal(await codeOf(client.remove('item', '77', { dryRun })), 'not_found')
      assert.equal(await codeOf(client.remove('tag', heavy, { dryRun })), 'constraint_conflict')
    }))

  it('maxAffected: nothing is written if the write affects more rows', () =>
    withoutChange(async ({ client }) => {
      assert.equal(
        await codeOf(client.remove('item', '1', { maxAffected: 2 })),
        'too_many_affected',
      )
      const dryRun = { dryRun: true, maxAffected: 2 } as const
      assert.equal(await codeOf(client.remove('item', '1', dryRun)), 'too_many_affected')
      const update = client.update('item', '1', { stock: 1 }, { maxAffected: 0 })
      assert.equal(await codeOf(update), 'too_many_affected')
    }))

  const invalid: readonly object[] = [
    { dryRun: 'no' },
    { dryRun: null },
    { dryRun: 1 },
    { maxAffected: -1 },
    { maxAffected: 1.5 },
    { maxAffected: null },
    { maxAffected: Number.NaN },
  ]
  for (const options of invalid)
    it(`${JSON.stringify(options)} is rejected, because it would write too much`, () =>
      withoutChange(async ({ client }) => {
        const calls: readonly ((to: ShopClient) => Promise<unknown>)[] = [
          (to) => to.create('item', { name: 'x' }, wrong(options)),
          (to) => to.update('item', '1', { stock: 1 }, wrong(options)),
          (to) => to.remove('item', '1', wrong(options)),
          (to) => to.relate('item', '1', 'tags', { add: [round] }, wrong(options)),
        ]
        for (const call of calls) assert.equal(await codeOf(call(client)), 'invalid_preference')
      }))

  it('a dry run within a transaction is rolled back alone', () =>
    withApi(engine, async ({ client }) => {
      await client.transaction(async (tx) => {
        const { id } = await tx.create('item', { name: 'nut' })
        const { affected } = await tx.remove('item', id, { dryRun: true })
        assert.deepEqual(affected, { item: { deleted: 1 } })
        const many = tx.remove('item', '1', { maxAffected: 2 })
        assert.equal(await codeOf(many), 'too_many_affected')
        await tx.update('item', id, { stock: 5 }, { maxAffected: 1 })
      })
      const { data } = await client.list('item', { filter: { name: 'nut' } })
      assert.deepEqual(
        data.map(({ stock }) => stock),
        [5],
      )
      assert.equal((await client.get('item', '1')).name, 'engine')
    }))
})
