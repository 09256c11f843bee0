import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, type ModelOptions, resource, text, toMany, toOne } from 'lapidary'
import type { TestResponse } from '../../test-response.ts'
import { type Engine, engine } from '../engine.ts'

const box = resource('box', {
  path: '/boxes',
  table: 'box',
  fields: { name: attribute(text), pieces: toMany('piece', { column: 'box_id' }) },
})

const piece = resource('piece', {
  path: '/pieces',
  table: 'piece',
  fields: { name: attribute(text), box: toOne('box', { column: 'box_id' }) },
})

const fixture = (options: ModelOptions) => ({
  model: defineModel([box, piece], options),
  tables: ({ newId }: Readonly<{ newId: string }>) => `
    create table box (id ${newId}, name text);
    create table piece (id ${newId}, name text, box_id bigint references box (id));
    create index piece_box on piece (box_id);
    insert into box (name) values ('one');
    insert into piece (name, box_id)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < 1200)
      select 'piece', 1 from number;`,
})

/** The paths of lists of all 1200 pieces. */
const lists = ['/pieces', '/boxes/1/pieces', '/boxes/1/relationships/pieces']

async function assertPage(app: Engine, size: string | undefined, expected: number): Promise<void> {
  for (const path of lists) {
    // Linkage is paged only if the query has a page parameter.
    const query = size === undefined ? { 'page[number]': '1' } : { 'page[size]': size }
    const { many } = await app.get(path, query)
    assert.equal(many.length, expected, `${path} ${size}`)
  }
}

async function assertInvalid(
  app: Engine,
  sizes: readonly string[],
  maximum: number,
): Promise<void> {
  for (const path of [...lists, '/pieces/1', '/boxes/1/relationships/pieces'])
    for (const size of sizes) {
      const response: TestResponse = await app.get(path, { 'page[size]': size })
      assert.equal(response.status, 400, `${path} ${size}`)
      assert.equal(response.error.code, 'invalid_page')
      const detail = `page[size] must be between 1 and ${maximum} here; it is ${size}.`
      assert.equal(response.error.detail, detail)
    }
}

engine('The default maximum page size', fixture({}), (app) => {
  it('given pages of more than 1000 resources or of all, when requested, then they are invalid', async () => {
    await assertPage(app, undefined, 30)
    await assertPage(app, '1000', 1000)
    await assertInvalid(app, ['1001', '0', '1000000000'], 1000)
  })

  it('given linkage of 1200 members, when requested without a page, then it is complete', async () => {
    const { many } = await app.get('/boxes/1/relationships/pieces')
    assert.equal(many.length, 1200)
  })
})

engine(
  'The maximum page size of a model whose pages are larger',
  fixture({ pageSize: 1100 }),
  (app) => {
    it('given a default page of 1100, when a page is requested, then 1100 is the maximum', async () => {
      await assertPage(app, undefined, 1100)
      await assertPage(app, '1100', 1100)
      await assertInvalid(app, ['1101', '0'], 1100)
    })
  },
)

engine('A model without a maximum page size', fixture({ maxPageSize: null }), (app) => {
  it('given page[size]=0, when requested, then the page contains all resources', async () => {
    await assertPage(app, undefined, 30)
    await assertPage(app, '0', 1200)
    await assertPage(app, '1000000000', 1200)
  })
})

describe('The maximum page size of a model', () => {
  it('is 1000 or the default page size, the larger of the two; null means none', () => {
    const sizes = (options: ModelOptions) => defineModel([box, piece], options)
    assert.equal(sizes({}).maxPageSize, 1000)
    assert.equal(sizes({ maxPageSize: undefined }).maxPageSize, 1000)
    assert.equal(sizes({ pageSize: 1000 }).maxPageSize, 1000)
    assert.equal(sizes({ pageSize: 5000 }).maxPageSize, 5000)
    assert.equal(sizes({ pageSize: 5000, maxPageSize: 6000 }).maxPageSize, 6000)
    assert.equal(sizes({ pageSize: 5000, maxPageSize: null }).maxPageSize, undefined)
  })
})
