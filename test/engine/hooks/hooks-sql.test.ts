import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { attribute, defineModel, type HookContext, resource, type Sql, sql, text } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine } from '../engine.ts'

/** The SQL that the hook of a write, and that of a read, runs. */
let inWrite: (query: HookContext['query']) => Promise<unknown> = async () => undefined
let inRead = inWrite

const album = resource('album', {
  path: '/albums',
  table: 'album',
  fields: { name: attribute(text) },
  hooks: {
    async afterCreate(_, { query }) {
      await inWrite(query)
    },
    async beforeRead({ query }) {
      await inRead(query)
    },
  },
})
const track = resource('track', {
  path: '/tracks',
  table: 'track',
  fields: { code: attribute(text) },
})

const served = {
  model: defineModel([album, track], { maxPageSize: null }),
  tables: ({ newId, date }: ColumnTypes) => `
    create table album (id ${newId}, name text, made ${date});
    create table track (id ${newId}, code text unique);
    insert into album values (1, 'a', '2024-02-29')`,
}

/** SQL that fails on every database. */
const failing: readonly Sql[] = [
  sql`insert into track (code) values ('taken'), ('taken')`,
  sql`insert into track (code) select name from nowhere`,
  sql`no SQL at all`,
]

engine('SQL of hooks', served, (app) => {
  beforeEach(() => {
    inWrite = async () => undefined
    inRead = inWrite
  })
  const create = () => app.post('/albums', { data: { type: 'album' } })
  const codes = async () =>
    (await app.get('/tracks')).many.map(({ attributes }) => attributes?.code)

  it('given SQL that fails in a hook, when a resource is created, then the response is a 500 and the write is rolled back', async () => {
    for (const statement of failing) {
      inWrite = async (query) => {
        await query(sql`insert into track (code) values ('before')`)
        await query(statement)
      }
      const answer = await create()
      assert.deepEqual([answer.status, answer.error.code], [500, 'internal_error'])
    }
    inWrite = async () => undefined
    assert.deepEqual(await codes(), [])
    assert.deepEqual(ids(await app.get('/albums')), ['1'])
  })

  it('given SQL that fails, when the hook catches the error, then the statements before and after it are committed', async () => {
    for (const [at, statement] of failing.entries()) {
      inWrite = async (query) => {
        await query(sql`insert into track (code) values (${`before ${at}`})`)
        await assert.rejects(query(statement))
        await query(sql`insert into track (code) values (${`after ${at}`})`)
      }
      assert.equal((await create()).status, 201)
    }
    const expected = [0, 1, 2].flatMap((at) => [`before ${at}`, `after ${at}`])
    assert.deepEqual(await codes(), expected)
  })

  it('given concurrent SQL in a hook, when one statement fails, then the others are committed', async () => {
    inWrite = async (query) => {
      const all = ['a', 'b', 'a', 'c'].map((code) =>
        query(sql`insert into track (code) values (${code})`),
      )
      const results = await Promise.allSettled(all)
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
      )
    }
    assert.equal((await create()).status, 201)
    assert.deepEqual(await codes(), ['a', 'b', 'c'])
  })

  it('given SQL that fails in a beforeRead hook, when the hook catches the error, then the read goes on', async () => {
    inRead = async (query) => {
      for (const statement of [...failing, sql`insert into track (code) values ('by a read')`])
        await assert.rejects(query(statement))
      assert.equal((await query(sql`select * from album`)).length, 1)
    }
    for (const query of [{}, { 'page[size]': '0' }])
      assert.deepEqual(ids(await app.get('/albums', query)), ['1'])
    assert.deepEqual(await codes(), [])
  })

  it('given SQL in a hook, when it returns rows, then numbers, texts, dates and nulls are plain values', async () => {
    let found: unknown
    inRead = async (query) => {
      ;[found] = await query(
        sql`select id, name, made, count(*) as all_of_them, ${'x'} || name as bound, null as missing
          from album group by id, name, made`,
      )
    }
    await app.get('/albums')
    const expected = { id: 1, name: 'a', made: '2024-02-29', all_of_them: 1, bound: 'xa' }
    assert.deepEqual({ ...Object(found) }, { ...expected, missing: null })
  })
})
