import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attribute, defineModel, type ModelOptions, resource, text, toMany, toOne } from 'lapidary'
import type { Answer } from '../answer.ts'
import { type Engine, engine } from './engine.ts'

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

const served = (options: ModelOptions) => ({
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

/** Paths of lists of all 1200 pieces. */
const lists = ['/pieces', '/boxes/1/pieces', '/boxes/1/relationships/pieces']

async function assertPage(
  world: Engine,
  size: string | undefined,
  expected: number,
): Promise<void> {
  for (const path of lists) {
    // Without a page, linkage is whole.
    const query = size === undefined ? { 'page[number]': '1' } : { 'page[size]': size }
    const { many } = await world.get(path, query)
    assert.equal(many.length, expected, `${path} ${size}`)
  }
}

async function assertRefusals(
  world: Engine,
  sizes: readonly string[],
  most: number,
): Promise<void> {
  for (const path of [...lists, '/pieces/1', '/boxes/1/relationships/pieces'])
    for (const size of sizes) {
      const answer: Answer = await world.get(path, { 'page[size]': size })
      assert.equal(answer.status, 400, `${path} ${size}`)
      assert.equal(answer.fault.code, 'invalid_page')
      const detail = `page[size] must be between 1 and ${most} here; it is ${size}.`
      assert.equal(answer.fault.detail, detail)
    }
}

engine('The largest page, where the model does not say', served({}), (world) => {
  it('has 1000 resources: more are refused, and so is everything', async () => {
    await assertPage(world, undefined, 30)
    await assertPage(world, '1000', 1000)
    await assertRefusals(world, ['1001', '0', '1000000000'], 1000)
  })

  it('does not bound linkage that is asked for without a page', async () => {
    const { many } = await world.get('/boxes/1/relationships/pieces')
    assert.equal(many.length, 1200)
  })
})

engine('The largest page, where pages are larger', served({ pageSize: 1100 }), (world) => {
  it('is as large as a page', async () => {
    await assertPage(world, undefined, 1100)
    await assertPage(world, '1100', 1100)
    await assertRefusals(world, ['1101', '0'], 1100)
  })
})

engine('The largest page, where there is none', served({ maxPageSize: null }), (world) => {
  it('is everything', async () => {
    await assertPage(world, undefined, 30)
    await assertPage(world, '0', 1200)
    await assertPage(world, '1000000000', 1200)
  })
})

describe('The largest page of a model', () => {
  it('is 1000 by default, or the page where that is larger; none for null', () => {
    const sizes = (options: ModelOptions) => defineModel([box, piece], options)
    assert.equal(sizes({}).maxPageSize, 1000)
    assert.equal(sizes({ maxPageSize: undefined }).maxPageSize, 1000)
    assert.equal(sizes({ pageSize: 1000 }).maxPageSize, 1000)
    assert.equal(sizes({ pageSize: 5000 }).maxPageSize, 5000)
    assert.equal(sizes({ pageSize: 5000, maxPageSize: 6000 }).maxPageSize, 6000)
    assert.equal(sizes({ pageSize: 5000, maxPageSize: null }).maxPageSize, undefined)
  })
})
