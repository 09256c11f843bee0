import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, type HookContext, resource, sql, text } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import { engine } from '../engine.ts'

/** Runs after a note was created. */
let afterCreate: (query: HookContext['query']) => Promise<unknown> = async () => undefined

const fields = { words: attribute(text) }
const note = resource('note', {
  path: '/notes',
  table: 'note',
  fields,
  hooks: {
    async afterCreate(_, { query }) {
      await afterCreate(query)
    },
  },
})
/** A scope that depends on the time. */
const due = resource('due', {
  path: '/due',
  table: 'note',
  scope: (column) => sql`${column('id')} > 0 and current_timestamp > '2000-01-01'`,
  access: 'read-only',
  fields,
})
const seen = resource('seen', { path: '/seen', table: 'seen', access: 'read-only', fields })
const long = resource('long', {
  path: '/long',
  table: 'note',
  scope: (column) => sql`length(${column('words')}) > 0`,
  access: 'read-only',
  fields,
})

const served = {
  model: defineModel([note, due, seen, long]),
  tables: ({ newId }: ColumnTypes) => `
    create table note (id ${newId}, words text);
    create view seen as select * from note where current_date > '2000-01-01';
    insert into note (words) values ('a'), ('b'), ('c')`,
}

engine('Counts', served, (app) => {
  const countOf = async (path: string) =>
    (await app.get(path, { 'page[size]': '1' })).body.meta?.count

  // For PostgreSQL, `postgres-counts.test.ts` tests this.
  const cachedCounts = [
    ['/notes', 'cached', 0],
    ['/long', 'cached', 0],
    ['/due', 'not cached: its SQL depends on the time', 1],
    ['/seen', 'not cached: the SQL of its view depends on the time', 1],
  ] as const
  for (const [path, then, counted] of app.dialect === 'sqlite' ? cachedCounts : [])
    it(`given ${path}, then its count is ${then}`, async () => {
      assert.equal(await countOf(path), 3)
      const run = await statementsOf(() => countOf(path))
      assert.equal(run.filter((sql) => sql.includes('count(*)')).length, counted, path)
    })

  it('given pages that are streamed, then their count and their rows agree with the complete list', async () => {
    const values = Array.from({ length: 1237 }, (_, at) => `('n${at}')`)
    await app.execute(`insert into note (words) values ${values.join(', ')}`)
    const read = async (size: number, number: number) => {
      const page = { 'page[size]': String(size), 'page[number]': String(number) }
      const { body, many } = await app.get('/notes', page)
      return [many.length, body.meta?.count]
    }
    // Three times, because the count is cached, and its cache is used.
    for (let time = 1; time <= 3; time += 1) {
      assert.deepEqual(await read(600, 1), [600, 1240], `${time}`)
      assert.deepEqual(await read(600, 2), [600, 1240], `${time}`)
      assert.deepEqual(await read(600, 3), [40, 1240], `${time}`)
      assert.deepEqual(await read(600, 4), [0, 1240], `${time}`)
      assert.deepEqual(await read(1, 1240), [1, 1240], `${time}`)
    }
  })

  it('given hooks that write, then counts contain their committed rows and not those that were rolled back', async () => {
    const create = () => app.post('/notes', { data: { type: 'note', attributes: { words: 'd' } } })
    assert.equal(await countOf('/notes'), 3)
    afterCreate = (query) => query(sql`insert into note (words) values ('e'), ('f')`)
    assert.equal((await create()).status, 201)
    assert.equal(await countOf('/notes'), 6)
    afterCreate = async (query) => {
      await query(sql`delete from note`)
      throw new Error('This hook fails.')
    }
    assert.equal((await create()).status, 500)
    assert.equal(await countOf('/notes'), 6)
  })
})
