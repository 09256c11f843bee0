import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  attribute,
  auth,
  boolean,
  date,
  datetime,
  decimal,
  declare,
  defineModel,
  enumeration,
  explainRead,
  expression,
  integer,
  type Model,
  type ReadExplanation,
  resource,
  type Sql,
  type Store,
  sql,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { Cleanup } from '../cleanup.ts'
import { type ColumnTypes, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'
import { partOnOthers } from '../long-tests.ts'

const fields = {
  name: attribute(text, { required: true }),
  label: expression(text, (column) => sql`${column('name')} || '!'`),
  found: expression(
    integer,
    (column) => sql`(select count(*) from shop where shop.id = ${column('stock')})`,
  ),
  rest: expression(integer, (column) => sql`10000 - ${column('stock')}`),
  stock: attribute(integer, { required: true }),
  price: attribute(decimal({ precision: 10, scale: 2 })),
  made_on: attribute(date),
  seen_at: attribute(datetime),
  state: attribute(enumeration(['new', 'used'])),
  code: attribute(uuid),
  sold: attribute(boolean),
}
const item = resource('item', {
  path: '/items',
  table: 'item',
  fields: { ...fields, shop: toOne('shop', { column: 'shop_id' }) },
})
const shop = resource('shop', {
  path: '/shops',
  table: 'shop',
  fields: {
    name: attribute(text),
    items: toMany('item', { column: 'shop_id', count: true }),
    visits: toMany('visit', { column: 'shop_id' }),
  },
})
const cheap = resource('cheap', {
  path: '/cheap',
  table: 'item',
  scope: (column) => sql`${column('stock')} < 5`,
  access: 'read-only',
  fields: { name: fields.name },
})
const visit = resource('visit', {
  path: '/visits',
  table: 'visit',
  fields: { day: attribute(integer), shop: toOne('shop', { column: 'shop_id' }) },
})
const note = resource('note', { path: '/notes', table: 'note', fields: { body: attribute(text) } })
const model = defineModel([item, shop, cheap, visit, note])

/** Enough rows for PostgreSQL to prefer an index. */
const rowCount = 5000
const tables = (types: ColumnTypes, dialect: string) => `
  create table shop (id ${types.newId}, name text);
  create table item (id ${types.newId}, name ${types.text} not null, stock ${types.integer} not null, price ${types.decimal},
    made_on ${types.date}, seen_at ${types.datetime}, state text, code ${types.uuid}, sold ${types.boolean},
    shop_id integer references shop (id));
  create table visit (id ${types.newId}, day integer, shop_id integer references shop (id));
  insert into visit (day) with recursive number (n) as (select 1 union all select n + 1 from number where n < 10500) select n from number;
  create table note (id ${types.newId}, body text);
  insert into note (body) values ('${'x'.repeat(100_000)}');
  insert into shop (name) values ('North'), ('South');
  ${
    dialect === 'postgres'
      ? `insert into item (name, stock, price, made_on, seen_at, state, code, sold, shop_id)
           select 'n' || n, n, n, date '2000-01-01' + n, now(), 'new', md5(n::text)::uuid, n % 2 = 0, 1 + n % 2
           from generate_series(1, ${rowCount}) as n; analyze item`
      : `insert into item (name, stock, price, made_on, seen_at, state, code, sold, shop_id)
           with recursive number (n) as (select 1 union all select n + 1 from number where n < ${rowCount})
           select 'n' || n, n, cast(n as text), date('2000-01-01', '+' || n || ' days'), datetime('now'), 'new',
             lower(hex(randomblob(4))) || '-0000-4000-8000-' || lower(hex(randomblob(6))), n % 2, 1 + n % 2 from number`
  }`

const filterBy = (...terms: readonly object[]) =>
  `filter=${encodeURIComponent(JSON.stringify(terms))}`

for (const database of databases)
  describe(`Explained reads · ${database.name}`, () => {
    const cleanup = new Cleanup()
    let url: string
    let store: Store
    before(async () => {
      url = await filled(cleanup, database, tables(database.columnTypes, database.dialect))
      store = await openStore(model, url)
      cleanup.after(() => store.close())
    })
    after(() => cleanup.run())
    const isPostgres = database.dialect === 'postgres'
    const explain = (search: string, path = '/items') =>
      explainRead({ model, store }, `${path}?${search}`)
    /** Creates an index for the time of some work. */
    const withIndex = async (sql: string | undefined, work: () => Promise<void>) => {
      assert.ok(sql)
      await execute(url, `${sql}; analyze item`)
      // Indexes are looked up once.
      const opened = store
      store = await openStore(model, url)
      try {
        await work()
      } finally {
        await store.close()
        store = opened
        const names = isPostgres
          ? "select indexname as name from pg_indexes where indexname like 'item%' and indexname not like '%pkey'"
          : "select name from sqlite_schema where type = 'index' and sql is not null"
        for (const { name } of await execute(url, names)) await execute(url, `drop index "${name}"`)
      }
    }
    /** The plans that an explanation expects of the indexes which it proposes, and those that use an index. */
    const indexedPlans = ({ statements }: ReadExplanation) =>
      statements.flatMap(({ indexedPlan }) => indexedPlan ?? [])
    const indexedPlansOf = ({ statements }: ReadExplanation) =>
      statements.flatMap(({ plan }) => (/item_/.test(plan.join()) ? plan : []))
    const messages = ({ warnings }: ReadExplanation) => warnings.map(({ message }) => message)

    it('given a text of 100 KB, then it is explained like any other', async () => {
      for (const search of ['', filterBy({ name: 'body', op: 'eq', val: 'y' })]) {
        const { statements } = await explain(search, '/notes')
        assert.ok(statements.length > 0)
      }
    })

    it('have the statements with their values, plans, rows and durations', async () => {
      const { dialect, statements, warnings } = await explain('include=shop&page[size]=3&sort=id')
      assert.equal(dialect, database.dialect)
      assert.deepEqual(warnings, [])
      assert.equal(statements.length, isPostgres ? 1 : 3)
      for (const { sql, plan, milliseconds } of statements) {
        assert.match(sql, /select/)
        assert.ok(plan.length > 0 && milliseconds >= 0)
      }
      const [first] = statements
      assert.match(first?.plan.join('\n') ?? '', /SCAN t0|Index Scan using item_pkey/)
      assert.ok(first?.parameters.includes('3'), String(first?.parameters))
      assert.equal(first?.rows, isPostgres ? 5 : 3)
    })

    it('explain every route that reads', async () => {
      for (const path of ['/shops', '/shops/1', '/shops/1/items', '/items/1/shop'])
        assert.ok((await explain('', path)).statements.length > 0, path)
      const linkage = await explain('', 'http://localhost:3000/shops/1/relationships/items')
      assert.ok(linkage.statements.length > 0)
      assert.deepEqual((await explain('', '/')).statements, [])
    })

    it('explain sorts and filters by a number of related resources', async () => {
      const filter = encodeURIComponent(JSON.stringify([{ name: 'items', op: 'count_gt', val: 1 }]))
      for (const search of ['sort=items.count', 'sort=-items.count,name', `filter=${filter}`])
        assert.match((await explain(search, '/shops')).statements[0]?.sql ?? '', /count\(/, search)
    })

    it('throw the errors of the request', async () => {
      await assert.rejects(explain('sort=nam'), { code: 'invalid_sort' })
      await assert.rejects(explain('', '/itms'), { code: 'route_not_found', status: 404 })
      await assert.rejects(explain('', '/items/0'), { code: 'not_found' })
      await assert.rejects(explain('', '/shops/77/items'), { code: 'not_found' })
    })

    // biome-ignore format: a table, one filter a row
    const served = [
    ['stock', { name: 'stock', op: 'eq', val: 5 }, '1'],
    ['stock', { name: 'stock', op: 'between', val: [5, 7] }, '3'],
    ['name', { name: 'name', op: 'eq', val: 'n5' }, '1'],
    ['name', { name: 'name', op: 'in_', val: ['n5', 'n6'] }, '2'],
    ['name', { name: 'name', op: 'startswith', val: 'n77' }, '11'],
    ['name', { name: 'name', op: 'gt', val: 'n4990', sort: 'name' }, '565'],
    ['made_on', { name: 'made_on', op: 'eq', val: '2000-01-03' }, '1'],
    ['code', { name: 'code', op: 'eq', val: '0f7e6d5c-0000-4000-8000-000000000001' }, '0'],
    ['state', { name: 'state', op: 'eq', val: 'used' }, '0'],
  ] as const

    for (const [index, [field, term, found]] of served.entries())
      it(
        `warn of ${field} (${term.op}) without an index, and the fix makes the plan use one`,
        partOnOthers(database.dialect, index, 2),
        async () => {
          const { sort = 'id', ...filter } = { sort: undefined, ...term }
          const search = `${filterBy(filter)}&sort=${sort}`
          const explanation = await explain(search)
          const [warning, ...others] = explanation.warnings
          const message = `the filter by item.${field} (${term.op}) reads every row of "item": no index begins with the column "${field}"`
          assert.deepEqual([warning?.message, others], [message, []])
          const change = 'with it, only the rows that match this condition are read'
          assert.equal(warning?.change, `${change}: ${found} of the 5,000 rows`)
          assert.doesNotMatch(planOf(explanation), /item_(?!pkey)/)
          await withIndex(warning?.fix, async () => {
            const fixed = await explain(search)
            assert.deepEqual(fixed.warnings, [])
            assert.match(planOf(fixed), /item_(?!pkey)/)
            assert.deepEqual(indexedPlans(explanation), isPostgres ? [] : indexedPlansOf(fixed))
          })
        },
      )

    it('warn of a sort without an index, and the fix makes the plan use one', async () => {
      const explanation = await explain('sort=-stock')
      const [warning] = explanation.warnings
      assert.deepEqual(messages(explanation), [
        'the sort by item.stock reads every row of "item": no index begins with the column "stock"',
      ])
      await withIndex(warning?.fix, async () => {
        const fixed = await explain('sort=-stock')
        assert.deepEqual(fixed.warnings, [])
        assert.match(planOf(fixed), /item_stock/)
        const change = 'with it, rows are read in this order, and only those of the page'
        assert.equal(warning?.change, `${change}: 30 of the 5,000 rows`)
        assert.deepEqual(indexedPlans(explanation), isPostgres ? [] : indexedPlansOf(fixed))
      })
    })

    it('warn of a sort of a column that may be null, and the fix makes the plan use one', async () => {
      for (const sort of ['made_on', '-made_on']) {
        const { warnings } = await explain(`sort=${sort}`)
        assert.equal(warnings.length, 1)
        await withIndex(warnings[0]?.fix, async () => {
          const fixed = await explain(`sort=${sort}`)
          assert.deepEqual(fixed.warnings, [])
          if (!isPostgres) assert.match(planOf(fixed), /SCAN t0 USING INDEX item_made_on/)
        })
      }
    })

    it('warn of datetimes and UUIDs whose index is not used, because SQLite converts their texts', async () => {
      await withIndex('create index item_seen on item (seen_at)', async () => {
        const filter = filterBy({ name: 'seen_at', op: 'eq', val: '2020-01-01T00:00:00Z' })
        for (const search of [filter, 'sort=seen_at']) {
          const explanation = await explain(search)
          if (!isPostgres) assert.doesNotMatch(planOf(explanation), /t0 USING .*INDEX/)
          const all = messages(explanation)
          assert.equal(all.length, isPostgres ? 0 : 1, all.join('\n'))
          if (!isPostgres) assert.match(all.join(), /declare their format, e\.g\. storedAs/)
        }
      })
      await withIndex('create index item_code on item (code)', async () => {
        const code = '0f7e6d5c-0000-4000-8000-000000000001'
        const { warnings } = await explain(filterBy({ name: 'code', op: 'eq', val: code }))
        const fixes = warnings.map(({ fix }) => fix)
        const lower = 'create index "item_lower_code" on "item" (lower("code"))'
        assert.deepEqual(fixes, isPostgres ? [] : [lower])
      })
    })

    it('say what an index changes by the first 10,000 rows of a large table, and where it changes little', async () => {
      const changeOf = async (search: string, path = '/visits') =>
        (await explain(search, path)).warnings.map(({ change }) => change?.replace(/^[^:]*: /, ''))
      const day = (op: string, val: number) => filterBy({ name: 'day', op, val })
      assert.deepEqual(await changeOf(day('lt', 8)), ['7 of the first 10,000 rows'])
      assert.deepEqual(await changeOf(day('gt', 8)), [
        '9,992 of the first 10,000 rows, so many that the database may read every row all the same',
      ])
      assert.deepEqual(await changeOf('sort=-day&page[size]=5&page[number]=3'), [
        '15 of at least 10,000 rows',
      ])
      assert.deepEqual(await changeOf('', '/shops/1/visits'), ['0 of the first 10,000 rows'])
    })

    for (const [path, search] of [
      ['/shops', 'include=items'],
      ['/shops/1/items', ''],
      ['/shops', filterBy({ name: 'items', op: 'any' })],
    ] as const)
      it(`given ${path} ${search}, then they warn of a relationship without an index`, async () => {
        const { warnings } = await explain(search, path)
        assert.equal(warnings.length, 1, `${path} ${search}`)
        assert.match(warnings[0]?.fix ?? '', /^create index .*on "item" \("shop_id"\)$/)
        const change = 'with it, only the related rows are read: 2,500 of the 5,000 rows on average'
        assert.equal(warnings[0]?.change, change)
      })

    it('do not warn of a relationship that is not followed', async () => {
      assert.deepEqual((await explain('', '/shops')).warnings, [])
    })

    it('warn within combinations and related resources, but not if another condition has an index', async () => {
      const stock = { name: 'stock', op: 'gt', val: 4990 }
      const name = { name: 'name', op: 'eq', val: 'n5' }
      assert.equal((await explain(filterBy({ or: [stock, name] }))).warnings.length, 2)
      const inner = filterBy({ name: 'items', op: 'any', val: stock })
      assert.match(messages(await explain(inner, '/shops')).join(), /item\.stock \(gt\)/)
      await withIndex('create index item_stock on item (stock)', async () => {
        assert.deepEqual((await explain(filterBy(stock, name))).warnings, [])
        assert.equal((await explain(filterBy({ or: [stock, name] }))).warnings.length, 1)
      })
    })

    it('say which filters no index serves', async () => {
      assert.deepEqual(
        messages(await explain(filterBy({ name: 'name', op: 'ilike', val: '%5%' }))),
        ['the filter by item.name (ilike) reads the text of every row; no index serves it'],
      )
      const price = await explain(filterBy({ name: 'price', op: 'gt', val: '5' }))
      assert.equal(price.warnings.length, 1)
      assert.deepEqual((await explain(filterBy({ name: 'id', op: 'eq', val: '5' }))).warnings, [])
    })

    it('say that a test for null has no index', async () => {
      const isNull = filterBy({ name: 'stock', op: 'is_', val: null })
      assert.deepEqual(messages(await explain(isNull)), [
        'the filter by item.stock (is null) reads every row of "item": no index begins with the column "stock"',
      ])
      await withIndex('create index item_stock on item (stock)', async () =>
        assert.deepEqual(messages(await explain(isNull)), []),
      )
    })

    for (const search of ['sort=found', filterBy({ name: 'found', op: 'gt', val: 5 })])
      it(`say of ${search} that no index serves a subquery`, async () => {
        const [message = ''] = messages(await explain(search))
        assert.match(message, /no index serves an expression with a subquery or a parameter$/)
      })

    // biome-ignore format: a table, one request a row
    const expressions = [
      ['sort by item.rest', 'sort=rest', '(10000 - stock)'],
      ['sort by item.rest', 'sort=-rest&include=shop', '(10000 - stock)'],
      ['sort by item.label', 'sort=label', isPostgres ? "(name || '!') collate \"C\"" : "(name || '!')"],
      ['filter by item.rest (eq)', `${filterBy({ name: 'rest', op: 'eq', val: 5 })}&sort=id`, '(10000 - stock)'],
      ['filter by item.rest (is null)', filterBy({ name: 'rest', op: 'is_', val: null }), '(10000 - stock)'],
      ['filter by item.label (startswith)', filterBy({ name: 'label', op: 'startswith', val: 'n77' }), isPostgres ? "(name || '!') collate \"C\"" : "(name || '!')"],
    ] as const

    for (const [index, [subject, search, indexed]] of expressions.entries())
      it(
        `warn of ${search}, which evaluates an expression, but not with an index on it`,
        partOnOthers(database.dialect, index, 2),
        async () => {
          const explanation = await explain(search)
          assert.deepEqual(messages(explanation), [
            `the ${subject} evaluates an expression for every row of "item"; only an index on this expression would serve it`,
          ])
          await withIndex(`create index item_expression on item (${indexed})`, async () =>
            assert.deepEqual(messages(await explain(search)), [], planOf(await explain(search))),
          )
        },
      )

    it('say which sorts no index serves', async () => {
      assert.deepEqual(messages(await explain('sort=shop.name')), [
        'the sort by item.shop.name sorts every row of "item"; no index serves a sort by a field of another table',
      ])
      assert.deepEqual(messages(await explain('sort=-items.count', '/shops')), [
        'the sort by shop.items.count counts the related resources of every row; no index serves it',
      ])
      const one = filterBy({ name: 'id', op: 'eq', val: '5' })
      assert.deepEqual(messages(await explain(`sort=shop.name&${one}`)), [])
    })

    it('say which filters no index serves, because they exclude values or are negated', async () => {
      const rows = 'is evaluated for each row; no index serves'
      const [low, shopName] = [
        { name: 'stock', op: 'lt', val: 4990 },
        { name: 'shop', op: 'has', val: { name: 'name', op: 'ne', val: 'North' } },
      ]
      for (const [term, ...expected] of [
        [
          { name: 'stock', op: 'ne', val: 5 },
          `the filter by item.stock (ne) ${rows} an operator that excludes values`,
        ],
        [
          { name: 'stock', op: 'notin_', val: [5] },
          `the filter by item.stock (notin_) ${rows} an operator that excludes values`,
        ],
        [
          { name: 'name', op: 'notlike', val: 'n%' },
          'the filter by item.name (notlike) reads the text of every row; no index serves it',
        ],
        [
          { not: { name: 'stock', op: 'between', val: [1, 2] } },
          `the negated filter by item.stock (between) ${rows} a negation`,
        ],
        [shopName, `the filter by shop.name (ne) ${rows} an operator that excludes values`],
      ] as const)
        assert.deepEqual(messages(await explain(filterBy(term))).slice(0, 1), expected)
      await withIndex('create index item_stock on item (stock)', async () => {
        for (const term of [
          { not: low },
          { not: { or: [low, { name: 'name', op: 'eq', val: 'n1' }] } },
        ]) {
          const explanation = await explain(`${filterBy(term)}&sort=name`)
          const isServed = /Index Cond/.test(planOf(explanation))
          assert.equal(isServed, isPostgres)
          assert.equal(messages(explanation).join().includes('negation'), !isServed)
        }
        const served = filterBy({ name: 'stock', op: 'eq', val: 5 }, { not: low })
        assert.deepEqual(messages(await explain(served)), [])
      })
    })

    it('have the rules of the identity, and its values', async () => {
      const own = declare<{ auth: { stock: number } }>()
      const stock = own.auth((user) => user.stock)
      const rule = { filter: [{ name: 'stock', op: 'eq', val: stock }] }
      const ruled = own.resource('item', {
        path: '/items',
        table: 'item',
        access: { read: rule },
        fields: {
          name: fields.name,
          stock: attribute(integer, { required: true, readable: false }),
        },
      })
      const ruledModel = own.defineModel([ruled])
      const opened = await openStore(ruledModel, url)
      try {
        const options = { model: ruledModel, store: opened }
        const { statements } = await explainRead(options, '/items', { auth: { stock: 4321 } })
        assert.deepEqual(
          [statements[0]?.rows, statements[0]?.parameters.join().includes('4321')],
          [1, true],
        )
        const { warnings } = await explainRead(
          options,
          `/items?${filterBy({ name: 'name', op: 'eq', val: 'n5' })}`,
          { auth: { stock: 1 } },
        )
        const changes = warnings.flatMap(({ change }) => change ?? [])
        // The rule hides this row: numbers of rows would reveal it.
        assert.deepEqual(changes, ['with it, only the rows that match this condition are read'])
        await assert.rejects(explainRead(options, '/items?sort=stock', { auth: { stock: 1 } }), {
          code: 'invalid_sort',
        })
      } finally {
        await opened.close()
      }
    })

    it('have no numbers of rows that a hook may hide', async () => {
      const hooks = { beforeRead: () => {} }
      const hooked = defineModel([
        resource('item', { path: '/items', table: 'item', hooks, fields: { name: fields.name } }),
      ])
      const opened = await openStore(hooked, url)
      try {
        const search = filterBy({ name: 'name', op: 'eq', val: 'n5' })
        const { warnings } = await explainRead(
          { model: hooked, store: opened },
          `/items?${search}`,
          { hooks: true },
        )
        assert.deepEqual(
          warnings.map(({ change }) => change),
          ['with it, only the rows that match this condition are read'],
        )
      } finally {
        await opened.close()
      }
    })

    /** How a model leaves all items but one out. */
    const hiding: Readonly<Record<string, () => Model>> = {
      'an access rule': () => defineModel([oneItem({ access: { read: isOne } })]),
      'a rule for another type': () =>
        defineModel([oneItem({}), resource('shop', { ...ofShop, access: { read: false } })]),
      'a scope': () => defineModel([oneItem({ scope: isOne.sql })]),
      'soft deletion': () => defineModel([oneItem({ softDelete: 'seen_at' })]),
      'a tenant': () =>
        defineModel([oneItem({})], { tenant: { column: 'stock', value: auth(() => 1) } }),
      'a hook before every transaction': () =>
        defineModel([oneItem({})], { hooks: { begin: () => {} } }),
      ...(isPostgres && {
        'a session': () => defineModel([oneItem({})], { session: { settings: { 'app.id': '1' } } }),
      }),
    }
    const ofShop = { path: '/shops', table: 'shop', fields: { name: attribute(text) } }
    const isOne = { sql: (column: (name: string) => Sql) => sql`${column('stock')} = 1` }
    const oneItem = (options: object) =>
      resource('item', {
        ...{ path: '/items', table: 'item' },
        fields: { name: fields.name },
        ...options,
      })
    for (const [what, define] of Object.entries(hiding))
      it(`given ${what} that hides rows, then neither plans nor warnings have numbers of rows`, async () => {
        const hidden = define()
        const opened = await openStore(hidden, url)
        try {
          for (const search of ['', filterBy({ name: 'name', op: 'eq', val: 'n5' }), 'sort=name']) {
            const { statements, warnings } = await explainRead(
              { model: hidden, store: opened },
              `/items?${search}`,
              { auth: {} },
            )
            const plan = statements.flatMap((each) => each.plan).join('\n')
            assert.doesNotMatch(plan, /rows|cost|actual|Removed|Buffers|Memory|Workers/i)
            const changes = warnings.map(({ change }) => change).join()
            assert.doesNotMatch(changes, /\d/)
          }
        } finally {
          await opened.close()
        }
      })

    it('run a long list up to its limit', async () => {
      const { statements } = await explain('page[size]=1000')
      assert.ok((statements[0]?.rows ?? 0) >= 501)
    })
  })

const planOf = ({ statements }: ReadExplanation) =>
  statements.flatMap(({ plan }) => plan).join('\n')
