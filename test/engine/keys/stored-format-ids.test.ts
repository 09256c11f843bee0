import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  type DatetimeFormat,
  datetime,
  defineModel,
  integer,
  resource,
  storedAs,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { assertModelConforms } from '../../checker/check-served.ts'
import { Cleanup } from '../../cleanup.ts'
import { type Client, connect } from '../../client.ts'
import { databases } from '../../databases.ts'
import { execute, filled } from '../../filled.ts'
import { openStore } from '../engine.ts'

/** The formats, with two stored datetimes and their texts in ids. */
// biome-ignore format: a table, one format per row
const formats: readonly (readonly [format: DatetimeFormat, stored: readonly [string | number, string | number], texts: readonly [string, string]])[] = [
  ['YYYY-MM-DD HH:MM:SS', ['2024-02-29 12:30:00', '1815-12-10 00:00:10'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10Z']],
  ['YYYY-MM-DD HH:MM:SS.SSS', ['2024-02-29 12:30:00.000', '1815-12-10 00:00:10.250'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10.25Z']],
  ['YYYY-MM-DD HH:MM:SS.SSSSSS', ['2024-02-29 12:30:00.000000', '1815-12-10 00:00:10.000001'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10.000001Z']],
  ['YYYY-MM-DDTHH:MM:SSZ', ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10Z'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10Z']],
  ['YYYY-MM-DDTHH:MM:SS.SSSZ', ['2024-02-29T12:30:00.000Z', '1815-12-10T00:00:10.100Z'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10.1Z']],
  ['YYYY-MM-DDTHH:MM:SS.SSSSSSZ', ['2024-02-29T12:30:00.000000Z', '1815-12-10T00:00:10.100000Z'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10.1Z']],
  ['YYYY-MM-DDTHH:MM:SS', ['2024-02-29T12:30:00', '1815-12-10T00:00:10'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10Z']],
  ['YYYY-MM-DD HH:MM:SS.SSS+00:00', ['2024-02-29 12:30:00.000+00:00', '1815-12-10 00:00:10.250+00:00'], ['2024-02-29T12:30:00Z', '1815-12-10T00:00:10.25Z']],
  ['epoch-seconds', [1709209800, -4861555190], ['2024-02-29T12:30:00Z', '1815-12-12T00:00:10Z']],
  ['epoch-milliseconds', [1709209800000, -4861555189750], ['2024-02-29T12:30:00Z', '1815-12-12T00:00:10.25Z']],
]

const nameOf = (index: number) => `format${index}`
const model = defineModel(
  formats.flatMap(([format], index) => {
    const name = nameOf(index)
    const kind = storedAs(datetime, format)
    return [
      resource(name, {
        path: `/${name}`,
        table: name,
        id: { column: ['a', 'at'], kind: [integer, kind] },
        fields: {
          a: attribute(integer, { required: true }),
          at: attribute(kind, { required: true }),
          word: attribute(text),
          refs: toMany(`${name}ref`, { column: ['a', 'at'], access: 'read-only' }),
        },
      }),
      resource(`${name}ref`, {
        path: `/${name}ref`,
        access: 'read-only',
        table: `${name}ref`,
        fields: { one: toOne(name, { column: ['a', 'at'] }) },
      }),
    ]
  }),
)

const toSql = (value: string | number) => (typeof value === 'number' ? `${value}` : `'${value}'`)
const tables = formats.flatMap(([format, [first, second]], index) => {
  const name = nameOf(index)
  const type = format.startsWith('epoch') ? 'bigint' : 'varchar(40)'
  return [
    `create table ${name} (a integer not null, at ${type} not null, word text, primary key (a, at))`,
    `insert into ${name} values (1, ${toSql(first)}, 'first'), (1, ${toSql(second)}, 'second')`,
    `create table ${name}ref (id integer primary key, a integer, at ${type}, foreign key (a, at) references ${name})`,
    `insert into ${name}ref values (1, 1, ${toSql(first)}), (2, 1, ${toSql(second)}), (3, null, null)`,
  ]
})

for (const database of databases) {
  describe(`Datetimes of a declared format as a part of an id · ${database.name}`, () => {
    const cleanup = new Cleanup()
    let client: Client
    let url: string
    before(async () => {
      url = await filled(cleanup, database, tables.join(';'))
      const store = await openStore(model, url)
      const server = createServer({ model, store, logLevel: 'silent' })
      cleanup.after(() => server.close().then(() => store.close()))
      await store.verify()
      client = connect(await server.listen({ host: '127.0.0.1', port: 0 }))
      cleanup.after(() => client.close())
    })
    after(() => cleanup.run())

    const send = async (method: string, path: string, status: number, data?: unknown) => {
      const exchange = await client.send(method, path, data === undefined ? {} : { body: { data } })
      assertModelConforms(model, exchange)
      assert.equal(exchange.status, status, exchange.text)
      return JSON.parse(exchange.text)
    }

    for (const [index, [format, [stored], [first, second]]] of formats.entries()) {
      const type = nameOf(index)
      const ids = [`1,${second}`, `1,${first}`]
      it(`${format}: ids have canonical texts, and find their rows`, async () => {
        const { data } = await send('GET', `/${type}?sort=id&include=refs`, 200)
        assert.deepEqual(
          data.map((each: { id: string }) => each.id),
          ids,
        )
        for (const { id, attributes, links } of data) {
          assert.equal(id, `1,${attributes.at}`)
          assert.equal((await send('GET', links.self, 200)).data.attributes.word, attributes.word)
        }
        const filter = encodeURIComponent(JSON.stringify([{ name: 'id', op: 'in_', val: ids }]))
        assert.equal((await send('GET', `/${type}?filter=${filter}`, 200)).meta.count, 2)
        await send('GET', `/${type}/1,2024-02-29`, 404)
      })

      it(`${format}: linkage and included resources agree`, async () => {
        const { data, included } = await send('GET', `/${type}ref?include=one`, 200)
        const linked = data.map(
          (each: { relationships: { one: { data: { id: string } | null } } }) =>
            each.relationships.one.data?.id,
        )
        assert.deepEqual(linked, [ids[1], ids[0], undefined])
        assert.deepEqual(included.map(({ id }: { id: string }) => id).sort(), ids.toSorted())
        const id = encodeURIComponent(ids[1] ?? '')
        const refs = await send('GET', `/${type}/${id}/relationships/refs`, 200)
        assert.deepEqual(refs.data, [{ type: `${type}ref`, id: '1' }])
      })

      it(`${format}: a create stores the format`, async () => {
        const attributes = { a: 2, at: first.replace('Z', '+00:00') }
        const { data } = await send('POST', `/${type}`, 201, { type, attributes })
        assert.equal(data.id, `2,${first}`)
        const [row] = await execute(
          url,
          `select cast(at as varchar(40)) as at from ${type} where a = 2`,
        )
        assert.equal(row?.at, String(stored))
        await send('DELETE', data.links.self, 200)
      })
    }
  })
}
