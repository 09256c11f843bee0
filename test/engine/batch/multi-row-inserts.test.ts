import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, integer, resource, text, toMany, toOne, uuid } from 'lapidary'
import { type Random, randomOf } from '../../property/random-choices.ts'
import { scale, seed } from '../../property/seed.ts'
import { listen } from '../../telemetry/listen.ts'
import { type BatchSuite, describeBatches } from './send-batch.ts'

const shelf = resource('shelf', {
  path: '/shelves',
  table: 'shelf',
  fields: { name: attribute(text), items: toMany('item', { column: 'shelf_id' }) },
})
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    code: attribute(text, { required: true }),
    size: attribute(integer),
    shelf: toOne('shelf', { column: 'shelf_id' }),
    next: toOne('item', { column: 'next_id' }),
  },
})
/** Clients may choose its ids. */
const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  id: { kind: uuid, client: 'optional' },
  fields: { name: attribute(text), parent: toOne('tag', { column: 'parent_id' }) },
})
/** A trigger sees its rows. */
const watched = resource('watched', {
  path: '/watched',
  table: 'watched',
  fields: { name: attribute(text) },
})
/** On PostgreSQL a function of a default, or of a check of a domain, sees its rows. */
const counted = (['numbered', 'limited'] as const).map((type) =>
  resource(type, { path: `/${type}`, table: type, fields: { name: attribute(text) } }),
)
/** A hook sees its rows. */
const hooked = resource('hooked', {
  path: '/hooked',
  table: 'hooked',
  fields: { name: attribute(text) },
  hooks: { afterCreate: () => {} },
})

const store: BatchSuite = {
  model: defineModel([shelf, item, tag, watched, hooked, ...counted], {
    atomic: { maxOperations: 200 },
  }),
  tables: ({ newId, id, uuid }, dialect) => `
    create table shelf (id ${newId}, name text);
    create table item (id ${newId}, code text not null unique, size integer check (size < 100),
      shelf_id ${id}, next_id ${id} references item (id));
    create table tag (id ${uuid} primary key, name text, parent_id ${uuid} references tag (id));
    create table watched (id ${newId}, name text);
    create table hooked (id ${newId}, name text);
    create table seen (rows integer);
    ${
      dialect === 'sqlite'
        ? 'create trigger watch after insert on watched begin insert into seen select count(*) from watched; end;'
        : `create function watch() returns trigger language plpgsql as $$ begin insert into seen select count(*) from watched; return new; end $$;
           create trigger watch after insert on watched for each row execute function watch();
           create function next_number() returns bigint language plpgsql as 'begin return (select count(*) + 1 from numbered); end';
           create function has_room(text) returns boolean language plpgsql as 'begin return (select count(*) < 150 from limited); end';
           create domain roomy as text check (has_room(value));`
    }
    create table numbered (id ${newId}, name text, number integer ${dialect === 'postgres' ? 'default next_number()' : ''});
    create table limited (id ${newId}, name ${dialect === 'postgres' ? 'roomy' : 'text'});`,
  fill: `insert into shelf (name) values ('top'); insert into item (code) values ('taken')`,
}

type Operation = Readonly<Record<string, unknown>>

const add = (type: string, attributes: object, more: object = {}): Operation => ({
  op: 'add',
  data: { type, attributes, ...more },
})

const hundred = (type: string, make: (index: number) => object): readonly Operation[] =>
  Array.from({ length: 100 }, (_, index) => add(type, make(index)))

/** Random operations, most of which are creates of items like the one before. */
function makeOperations(random: Random, name: string): readonly Operation[] {
  const count = 2 + random.below(30)
  let kind = 'item'
  let lastItem: string | undefined
  let lastShelf: string | undefined
  let lastTag: string | undefined
  return Array.from({ length: count }, (_, index) => {
    if (random.chance(0.15))
      kind = random.pick(['item', 'linked', 'shelf', 'tag', 'next', 'hooked'])
    const code = random.chance(0.01) ? 'taken' : `${name}.${index}`
    const size = random.chance(0.01) ? 100 : random.below(100)
    const relate = (relationship: string, data: object | null) => ({
      lid: String(index),
      relationships: { [relationship]: { data } },
    })
    const [item, shelf] = [lastItem, lastShelf]
    if (['item', 'linked', 'next'].includes(kind)) lastItem = String(index)
    switch (kind) {
      case 'linked': {
        const stored = { type: 'shelf', id: random.chance(0.02) ? '99' : '1' }
        const named = shelf !== undefined && random.chance(0.5) && { type: 'shelf', lid: shelf }
        return add('item', { code, size }, relate('shelf', named || stored))
      }
      case 'shelf':
        lastShelf = String(index)
        return add('shelf', { name: code }, { lid: lastShelf })
      case 'tag': {
        const parent = lastTag !== undefined && random.chance(0.5) && { type: 'tag', id: lastTag }
        lastTag = crypto.randomUUID()
        const relationships = { parent: { data: parent || null } }
        return add('tag', { name: code }, { id: lastTag, relationships })
      }
      case 'next': {
        const named = item !== undefined && random.chance(0.5) && { type: 'item', lid: item }
        return add('item', { code, size }, relate('next', named || { type: 'item', id: '1' }))
      }
      case 'hooked':
        return add('hooked', { name: code })
      default:
        return add('item', { code, size }, { lid: String(index) })
    }
  })
}

describeBatches('Creates of one type in a batch', store, (app) => {
  /** The inserts that a batch sends. */
  const countInserts = async (operations: readonly Operation[]) => {
    const { statements } = await listen(async () => {
      const { status, document } = await app.batch(operations)
      assert.equal(status, 200, JSON.stringify(document))
    })
    return statements.filter(({ statement }) => statement.sql.startsWith('insert into "')).length
  }

  it('are few statements', async () => {
    assert.equal(await countInserts(hundred('item', (size) => ({ code: `c${size}` }))), 3)
    assert.equal(await countInserts(hundred('tag', (name) => ({ name: `t${name}` }))), 3)
  })

  it('are one by one where a hook or a trigger sees the rows', async () => {
    assert.equal(await countInserts(hundred('hooked', (name) => ({ name: `h${name}` }))), 100)
    assert.equal(await countInserts(hundred('watched', (name) => ({ name: `w${name}` }))), 100)
    const seen = await app.rows('select rows from seen order by rows')
    assert.deepEqual(
      seen.map(({ rows }) => Number(rows)),
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
  })

  if (app.dialect === 'postgres')
    it('are one by one where a function of a default or a check sees the rows', async () => {
      assert.equal(await countInserts(hundred('numbered', (name) => ({ name: `n${name}` }))), 100)
      assert.deepEqual(
        await app.rows('select count(distinct number)::int as numbers from numbered'),
        [{ numbers: 100 }],
      )
      assert.equal(await countInserts(hundred('limited', (name) => ({ name: `l${name}` }))), 100)
      const { status } = await app.batch(hundred('limited', (name) => ({ name: `m${name}` })))
      assert.equal(status, 422)
    })

  it('have the ids and the results of their order', async () => {
    const { results } = await app.batch(
      hundred('item', (size) => ({ code: `c${size}`, size: size % 90 })),
    )
    const rows = await app.rows(`select id, code from item where code <> 'taken' order by id`)
    assert.deepEqual(
      results.map(({ data }) => [data?.id, data?.attributes?.code]),
      rows.map(({ id, code }) => [String(id), code]),
    )
    assert.deepEqual(
      results.map(({ data }) => data?.attributes?.code),
      Array.from({ length: 100 }, (_, index) => `c${index}`),
    )
  })

  it('report the first that is rejected, and store none', async () => {
    const operations = hundred('item', (size) => ({ code: `c${size === 70 ? 5 : size}`, size }))
    const { status, errors } = await app.batch(operations)
    assert.equal(status, 409)
    assert.deepEqual(
      errors.map(({ code, source }) => [code, source?.pointer]),
      [['constraint_conflict', '/atomic:operations/70/data/attributes/code']],
    )
    assert.deepEqual(await app.rows('select code from item'), [{ code: 'taken' }])
  })

  it(`do what they do one by one (PROPERTY_SEED=${seed})`, async () => {
    const random = randomOf(seed)
    /** A batch that counts its rows executes its operations one by one. */
    const run = async (operations: readonly Operation[], prefer?: string) => {
      await app.reset()
      const { status, document } = await app.batch(operations, prefer ? { prefer } : {})
      const ids = new Map<string, string>()
      const text = JSON.stringify(document).replaceAll(
        /"(id|self|related)":"([^"]*?)(\d+|[0-9a-f-]{36})(\/[^"]*)?"/g,
        (_, name: string, path: string, id: string, rest = '') => {
          ids.set(id, ids.get(id) ?? `#${ids.size}`)
          return `"${name}":"${path}${ids.get(id)}${rest}"`
        },
      )
      const rows = await app.rows(
        'select code, size, shelf_id is null as is_loose, next_id is null as is_last from item order by id',
      )
      return { status, text, rows }
    }
    let failed = 0
    for (let round = 0; round < 60 * scale; round += 1) {
      const operations = makeOperations(random, `b${round}`)
      const together = await run(operations)
      if (together.status !== 200) failed += 1
      const alone = await run(operations, 'max-affected=1000')
      assert.deepEqual(together, alone, JSON.stringify(operations))
    }
    assert.ok(failed > 0 && failed < 50 * scale, String(failed))
  })
})
