import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, defineModel, resource, sql, text, toMany, toOne } from 'lapidary'
import type { DialectName } from '../../../src/model/dialect.ts'
import type { ColumnTypes } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids, type Resource } from '../../test-response.ts'
import { engine, openStore } from '../engine.ts'

const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: {
    holder: toOne('holder', { column: 'holder_id', access: 'read-only' }),
    keeper: toOne('keeper', { column: 'holder_id', access: 'read-only' }),
  },
})
const holder = resource('holder', {
  path: '/holders',
  table: 'holder',
  fields: {
    name: attribute(text),
    items: toMany('item', { column: 'holder_id', access: 'read-only' }),
  },
})
/** A holder who is still there. */
const keeper = resource('keeper', {
  path: '/keepers',
  table: 'holder',
  scope: (column) => sql`${column('gone')} = ${false}`,
  insertDefaults: { gone: false },
  fields: { name: attribute(text) },
})

const served = {
  model: defineModel([item, holder, keeper]),
  tables: ({ newId, id, boolean: truth }: ColumnTypes) => {
    const [no, yes] = truth === 'integer' ? ['0', '1'] : ['false', 'true']
    return `
      create table holder (id ${newId}, name text, gone ${truth} default ${no});
      create table item (id ${newId}, holder_id ${id});
      insert into holder (id, gone) values (1, ${no}), (2, ${yes});
      insert into item (id, holder_id) values (1, 1), (2, 2), (3, 9), (4, null), (5, 1)`
  },
}

engine('Foreign keys that reference no row', served, (app) => {
  for (const [relationship, id, found] of [
    ['holder', '1', ['1', '5']],
    ['holder', '2', ['2']],
    ['holder', '9', []],
    ['keeper', '1', ['1', '5']],
    ['keeper', '2', []],
    ['keeper', '9', []],
  ] as const)
    it(`match no filter on the id of the related resource, and match its negation: ${relationship} ${id}`, async () => {
      const clause = { name: `${relationship}__id`, op: 'eq', val: id }
      const has = { name: relationship, op: 'has', val: { name: 'id', op: 'eq', val: id } }
      const others = ['1', '2', '3', '4', '5'].filter((each) => !found.some((one) => one === each))
      for (const filter of [[clause], [has]])
        assert.deepEqual(ids(await app.get('/items', { filter })), found, JSON.stringify(filter))
      assert.deepEqual(ids(await app.get('/items', { filter: [{ not: clause }] })), others)
    })
})

/** The relationships over the key of an item, with different constraints in the database and the declaration. */
const linked = defineModel(
  [
    resource('part', {
      path: '/parts',
      table: 'part',
      fields: {
        // The column has no foreign key.
        loose: toOne('box', { column: 'loose_id' }),
        // The column has a foreign key that is not enforced for all rows.
        broken: toOne('box', { column: 'broken_id' }),
        // The column has a foreign key.
        sound: toOne('box', { column: 'sound_id' }),
        // As `sound`, but the declaration asks for lookups.
        checked: toOne('box', { column: 'sound_id', enforced: false, access: 'read-only' }),
        // As `loose`, but the declaration promises that each key references a row.
        promised: toOne('box', { column: 'promised_id', enforced: true }),
      },
    }),
    resource('box', {
      path: '/boxes',
      table: 'box',
      fields: {
        parts: toMany('part', { column: 'loose_id' }),
        soundParts: toMany('part', { column: 'sound_id' }),
        lid: toOne('lid', { foreignKey: 'other', column: 'box_id', access: 'read-only' }),
        brothers: toMany('box', { through: { table: 'pair', from: 'one_id', to: 'other_id' } }),
      },
    }),
    resource('lid', {
      path: '/lids',
      table: 'lid',
      access: 'read-only',
      fields: {
        // The id is itself a foreign key.
        box: toOne('box', { column: 'id' }),
      },
    }),
  ],
  { maxPageSize: null },
)

const brokenKeys = {
  model: linked,
  tables: ({ newId, id }: ColumnTypes, dialect: DialectName) => `
    create table box (id ${newId});
    create table part (id ${newId}, loose_id ${id}, sound_id ${id} references box (id), promised_id ${id},
      broken_id ${id} ${dialect === 'sqlite' ? 'references BOX' : ''});
    create table pair (one_id ${id}, other_id ${id});
    create table lid (id ${id} primary key references box (id), box_id ${id} unique);
    insert into box (id) values (1), (2);
    insert into lid values (2, 9);
    insert into pair values (1, 2), (1, 8), (8, 1);
    insert into part (id, loose_id, broken_id, sound_id, promised_id) values (1, 9, 9, 1, 1), (2, 1, 1, null, null);
    ${dialect === 'sqlite' ? '' : 'alter table part add foreign key (broken_id) references box (id) not valid'}`,
}

engine('Linkage of foreign keys that reference no row', brokenKeys, (app) => {
  const names = ['loose', 'broken', 'sound', 'checked', 'promised']
  const linkage = (resources: readonly Resource[]) =>
    resources.map(({ relationships = {} }) =>
      Object.fromEntries(
        Object.entries(relationships).flatMap(([name, { data }]) =>
          data === undefined || Array.isArray(data) ? [] : [[name, data?.id ?? null]],
        ),
      ),
    )
  const first = { loose: null, broken: null, sound: '1', checked: '1', promised: '1' }
  const second = { loose: '1', broken: '1', sound: null, checked: null, promised: null }

  for (const size of ['0', '30'])
    it(`names no resource that is not included, page[size]=${size}`, async () => {
      // The document checker compares linkage with the included resources.
      const query = { include: names.join(), 'page[size]': size }
      const { body } = await app.get('/parts', query)
      assert.ok(Array.isArray(body.data))
      assert.deepEqual(linkage(body.data), [first, second])
      assert.deepEqual(
        body.included?.map(({ id }) => id),
        ['1'],
      )
    })

  it('is null in a response without included resources, and at its own path', async () => {
    const { body } = await app.get('/parts/1', { 'fields[part]': names.join(), include: 'sound' })
    assert.ok(body.data && !Array.isArray(body.data))
    assert.deepEqual(linkage([body.data]), [first])
    for (const name of ['loose', 'broken']) {
      assert.equal((await app.get(`/parts/1/relationships/${name}`)).body.data, null)
      assert.equal((await app.get(`/parts/1/${name}`)).body.data, null)
    }
  })

  it('of a join table names only resources that exist', async () => {
    const { body } = await app.get('/boxes', { include: 'brothers,parts' })
    assert.ok(Array.isArray(body.data))
    const brothers = body.data.map(({ relationships }) => relationships?.brothers?.data)
    assert.deepEqual(brothers, [[{ type: 'box', id: '2' }], []])
  })

  it('gives a resource that does not exist no related resources', async () => {
    // Rows without a foreign key contain the ids 8 and 9. The id of a lid is that of a box, so the box 1 exists and the lid 1 does not.
    for (const path of ['/boxes/9/parts', '/boxes/8/brothers', '/boxes/9/lid', '/lids/1/box']) {
      const [, type, id, name] = path.split('/')
      for (const each of [path, `/${type}/${id}/relationships/${name}`])
        for (const query of ['', '?page[size]=0', '?page[number]=2&page[size]=1', '?sort=id']) {
          const { status, error } = await app.get(`${each}${query}`)
          assert.deepEqual([status, error.code], [404, 'not_found'], `${each}${query}`)
        }
    }
    assert.equal((await app.get('/lids/2/box')).one.id, '2')
    const data = [{ type: 'part', id: '2' }]
    const created = await app.post('/boxes/9/parts', { data: { type: 'part' } })
    const added = await app.post('/boxes/9/relationships/parts', { data })
    const replaced = await app.patch('/boxes/9/relationships/parts', { data })
    const removed = await app.delete('/boxes/9/relationships/parts', { data })
    assert.deepEqual(
      [created, added, replaced, removed].map(({ status }) => status),
      [404, 404, 404, 404],
    )
  })

  it('gives a resource that does not exist no related resources in a streamed document', async () => {
    const numbers = Array.from({ length: 700 }, (_, at) => `(${at + 100}, 9)`)
    await app.execute(`insert into part (id, loose_id) values ${numbers.join()}`)
    for (const query of ['', '?page[size]=0', '?page[size]=600'])
      assert.equal((await app.get(`/boxes/9/parts${query}`)).status, 404)
  })

  it('looks a resource in the path up without a further statement', async () => {
    // A part of each box is found by a key with a foreign key, and by one without.
    await app.execute('update part set loose_id = 1')
    const countOf = async (path: string) => (await statementsOf(() => app.get(path))).length
    assert.equal(await countOf('/boxes/1/parts'), await countOf('/boxes/1/soundParts'))
    const statements = await statementsOf(() => app.get('/boxes/1/soundParts'))
    assert.doesNotMatch(statements.join(), /in \(select "t1"."id" from "box"/)
  })

  it('is looked up by batches of a stream, for primary and included rows', async () => {
    const numbers = Array.from({ length: 2000 }, (_, at) => at + 100)
    // Every fourth key references nothing. SQLite stores any value.
    const nothing =
      app.dialect === 'sqlite' ? ['9', "'a text that is not a number'", `x'31'`] : ['9']
    const isNothing = (id: number) => id % 4 === 0
    const keys = (id: number) =>
      isNothing(id) ? nothing[id % nothing.length] : String((id % 2) + 1)
    await app.execute(
      `insert into part (id, loose_id, sound_id) values ${numbers.map((id) => `(${id}, ${keys(id)}, 1)`).join()}`,
    )
    const query = { 'fields[part]': 'loose,checked', 'page[size]': '0' }
    const streams = [
      ['/parts', query],
      ['/boxes/1', { ...query, include: 'soundParts' }],
    ] as const
    for (const [path, search] of streams) {
      let parts: readonly Resource[] = []
      const statements = await statementsOf(async () => {
        const { body } = await app.get(path, search)
        parts = Array.isArray(body.data) ? body.data : (body.included ?? [])
      })
      const linked = new Map(parts.map((part) => [Number(part.id), linkage([part])[0]]))
      for (const id of numbers) {
        const loose = isNothing(id) ? null : keys(id)
        assert.deepEqual(linked.get(id), { loose, checked: '1' })
      }
      const lookups = statements.filter((sql) => /^select "t0"."id"(::text)? from "box"/.test(sql))
      assert.ok(lookups.length > 1 && lookups.length < 50, `${lookups.length} lookups`)
      const streamed = statements.filter((sql) => /"loose_id"/.test(sql) && !/json_/.test(sql))
      assert.notEqual(streamed.length, 0)
      for (const sql of streamed)
        assert.doesNotMatch(sql, /\(select [^)]*from "box" as "t1" where "t1"."id" =/)
    }
  })

  for (const name of names)
    it(`${name}: needs a lookup only where no foreign key and no declaration guarantees the key`, async () => {
      const query = { 'fields[part]': name, include: name, 'page[size]': '10' }
      const statements = await statementsOf(() => app.get('/parts', query))
      const isLookup = ['loose', 'broken', 'checked'].includes(name)
      const looksUp =
        app.dialect === 'sqlite'
          ? statements.some((sql) => sql.includes('"part" as "t0" join "box" as "t1"'))
          : /select "t1"."id"(::text)? from "box" as "t1"/.test(statements.join())
      assert.equal(looksUp, isLookup, `${name}: ${statements.join('\n')}`)
    })

  it('is a warning at the start if a foreign key of SQLite is violated', async () => {
    const store = await openStore(linked, app.databaseUrl)
    try {
      const { warnings } = await store.verify()
      const violated = warnings.filter((line) => line.includes('references no row'))
      const expected = `part.fields.broken: the key "9" in "broken_id" of "part" references no row of "box", so linkage is looked up there for each row; to fix it: update "part" set "broken_id" = null where "broken_id" not in (select "id" from "box")`
      assert.deepEqual(violated, app.dialect === 'sqlite' ? [expected] : [])
    } finally {
      await store.close()
    }
  })
})
