import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  attribute,
  boolean,
  createApi,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  integer,
  integer64,
  json,
  type Kind,
  number,
  resource,
  storedAs,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import pg from 'pg'
import type { ColumnTypes } from '../../databases.ts'
import { readPage } from '../../docs/pages.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids } from '../../test-response.ts'
import { type Engine, engine, openStore } from '../engine.ts'
import { create } from '../things.ts'

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    meta: attribute(json, {
      paths: {
        'address.city': text,
        'a-b': text,
        size: integer,
        long: integer64(),
        weight: number,
        open: boolean,
        state: enumeration(['new', 'old']),
        day: date,
        key: uuid,
        at: storedAs(datetime, 'YYYY-MM-DDTHH:MM:SS.SSSZ'),
        since: storedAs(datetime, 'epoch-seconds'),
        paid: storedAs(boolean, 'Y/N'),
      },
    }),
    plain: attribute(json, { paths: { size: integer, day: date } }),
    hidden: attribute(json, { access: 'write-only', paths: { size: integer } }),
    unsorted: attribute(json, { sort: false, paths: { size: integer } }),
    size: attribute(integer),
    day: attribute(date),
    name: attribute(text),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const model = defineModel([thing])
const served = {
  model,
  tables: ({ newId, date: day }: ColumnTypes, dialect: string) => {
    const binary = dialect === 'sqlite' ? 'text' : 'jsonb'
    return `create table thing (id ${newId}, meta ${binary}, plain json, hidden ${binary}, unsorted ${binary},
      size integer, day ${day}, name text, whole_id integer references thing (id))`
  },
}

/** Values in ascending order, then JSON that is not a value of the kind; the first value in another spelling, if there is one. */
// biome-ignore format: a table, one path a row
const values: Readonly<Record<string, { sorted: readonly string[]; others: readonly string[]; alike?: string }>> = {
  address__city: { sorted: ['""', '"5"', '"Paris"', '"{\\"a\\":1}"', '"é"'], others: ['5', 'true', '{}', '["Paris"]', 'null'] },
  'a-b':  { sorted: ['"a"', '"b"'], others: ['0', '[]'] },
  size:   { sorted: ['-9', '0', '2.0', '1e1', '9007199254740991'], alike: '-9.0', others: ['1.5', '"1"', 'true', '1e300', '[1]', '9223372036854775808'] },
  long:   { sorted: ['-9223372036854775808', '0', '9007199254740993', '9223372036854775807'], others: ['9223372036854775808', '"1"'] },
  weight: { sorted: ['-1.5e300', '0', '0.1', '5', '12345678901234567890', '1e300'], alike: '-15e299', others: ['"0.1"', 'false', '{}', '1e400', '-1e400'] },
  open:   { sorted: ['false', 'true'], others: ['0', '"true"', 'null'] },
  state:  { sorted: ['"new"', '"old"'], others: ['1'] },
  day:    { sorted: ['"0001-01-01"', '"2024-02-29"', '"9999-12-31"'], others: ['"today"', '20240229', '"2024-02-29T00:00:00Z"'] },
  key:    { sorted: ['"00000000-0000-4000-8000-00000000000a"', '"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'], alike: '"00000000-0000-4000-8000-00000000000A"', others: ['5'] },
  at:     { sorted: ['"2024-02-29T12:30:00.000Z"', '"2024-02-29T12:30:00.250Z"'], alike: '"2024-02-29T13:30:00+01:00"', others: ['"2024-02-29T12:30:00Z"', '"now"', '5'] },
  since:  { sorted: ['-1', '1709210096'], others: ['"x"', '1.5'] },
  paid:   { sorted: ['"N"', '"Y"'], others: ['"x"', 'true'] },
}

/** The values in filters, where stored JSON is in another format than that of the kind. */
const filtered: Readonly<Record<string, readonly string[]>> = {
  since: ['"1969-12-31T23:59:59Z"', '"2024-02-29T12:34:56Z"'],
  paid: ['false', 'true'],
}

const nest = (path: string, json: string) =>
  path.split('__').reduceRight((inner, name) => `{"${name}":${inner}}`, json)

engine('Values inside JSON', served, (app) => {
  const find = async (filter: unknown, sort?: string) => {
    const response = await app.get('/things', {
      filter: typeof filter === 'string' ? filter : JSON.stringify(filter),
      ...(sort !== undefined && { sort }),
    })
    assert.equal(response.status, 200, response.text)
    return ids(response).join(' ')
  }
  const insert = async (path: string, texts: readonly string[], column = 'meta') => {
    const rows = texts.map((json) => `('${nest(path, json).replaceAll("'", "''")}')`)
    await app.execute(`insert into thing (${column}) values ${rows.join(', ')}`)
  }

  for (const [path, { sorted, others, alike }] of Object.entries(values)) {
    const vals = filtered[path] ?? sorted

    it(`${path}: filters find the values of the kind, and take all else for null`, async () => {
      await insert(path, [...sorted, ...others])
      await app.execute("insert into thing (meta) values (null), ('[]'), ('{\"x\":1}')")
      const known = sorted.map((_, at) => String(at + 1))
      const unknown = Array.from({ length: others.length + 3 }, (_, at) =>
        String(sorted.length + at + 1),
      )
      for (const [at, val] of vals.entries()) {
        const term = `{"name":"meta__${path}","op":"eq","val":${val}}`
        assert.equal(await find(`[${term}]`), String(at + 1), val)
        const rest = known.filter((_, other) => other !== at).join(' ')
        assert.equal(await find(`[{"not":${term}}]`), rest, val)
      }
      if (alike !== undefined && !filtered[path])
        assert.equal(await find(`[{"name":"meta__${path}","op":"eq","val":${alike}}]`), '1')
      assert.equal(await find([{ name: `meta__${path}`, op: 'eq', val: null }]), unknown.join(' '))
      assert.equal(await find([{ name: `meta__${path}`, op: 'ne', val: null }]), known.join(' '))
    })

    it(`${path}: a sort orders by the values of the kind, with null last`, async () => {
      await insert(path, [...others, ...sorted.toReversed()])
      const sortPath = `meta.${path.replaceAll('__', '.')}`
      const count = others.length + sorted.length
      const ascending = sorted.map((_, at) => String(count - at))
      const nulls = others.map((_, at) => String(at + 1))
      assert.equal(await find([], sortPath), [...ascending, ...nulls].join(' '))
      assert.equal(await find([], `-${sortPath}`), [...nulls, ...ascending.toReversed()].join(' '))
    })
  }

  it('all operators of the kind apply, and no others', async () => {
    await insert('address__city', ['"Paris"', '"London"'])
    await insert('size', ['1', '5'])
    assert.equal(await find([{ name: 'meta__address__city', op: 'ilike', val: 'par%' }]), '1')
    assert.equal(await find([{ name: 'meta__address__city', op: 'match', val: 'london' }]), '2')
    assert.equal(await find([{ name: 'meta__size', op: 'between', val: [2, 9] }]), '4')
    assert.equal(await find([{ name: 'meta__size', op: 'in_', val: [1, 5] }]), '3 4')
    const rejected = await app.get('/things', {
      filter: [{ name: 'meta__size', op: 'like', val: 'x' }],
    })
    assert.match(rejected.error.detail, /^filter\[0\]\.op: meta__size has no operator "like"/)
    const wrong = await app.get('/things', { 'filter[meta__size]': 'x' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.error.detail, /meta__size must be compared with a whole number/)
  })

  it('are compared with other fields of their kind, found through relationships, and sorted by', async () => {
    await app.execute(
      `insert into thing (meta, size) values ('{"size":5}', 5), ('{"size":4}', 5);
       insert into thing (whole_id) values (2), (1)`,
    )
    assert.equal(await find([{ name: 'size', op: 'eq', field: 'meta__size' }]), '1')
    assert.equal(await find([{ name: 'meta__size', op: 'lt', field: 'size' }]), '2')
    assert.equal(await find([{ name: 'whole__meta__size', op: 'eq', val: 5 }]), '4')
    assert.equal(await find([], 'whole.meta.size'), '3 4 1 2')
    const dates = await app.get('/things', {
      filter: [{ name: 'day', op: 'eq', field: 'plain__day' }],
    })
    assert.match(dates.error.detail, /day \(date\) cannot be compared with plain__day \(date\)/)
  })

  it('the columns may be of the type json too', async () => {
    await insert('size', ['1', '5', '"x"'], 'plain')
    assert.equal(await find([{ name: 'plain__size', op: 'ge', val: 2 }]), '2')
    assert.equal(await find([], '-plain.size'), '3 2 1')
  })

  for (const [name, problem] of [
    [
      'meta__adress__city',
      'meta has no path "meta__adress__city"; did you mean "meta__address__city"?',
    ],
    [
      'plain__other',
      'plain has no path "plain__other"; the paths to filter on are "plain__size", "plain__day".',
    ],
    [
      'hidden__size',
      'thing has no relationship "hidden"; the relationships to filter on are "whole", "parts".',
    ],
    [
      'name__x',
      'thing has no relationship "name"; the relationships to filter on are "whole", "parts".',
    ],
  ] as const)
    it(`the unknown path ${name} of a filter is 400, with the nearest or all declared ones`, async () => {
      const response = await app.get('/things', { filter: [{ name, op: 'eq', val: 1 }] })
      assert.equal(response.status, 400, response.text)
      assert.ok(response.error.detail.startsWith('filter[0].name: '), response.error.detail)
      assert.equal(response.error.detail.slice('filter[0].name: '.length), problem)
    })

  for (const [sort, detail] of [
    ['plain.sise', 'sort: thing has no path "plain.sise"; did you mean "plain.size"?'],
    [
      'unsorted.size',
      'sort: thing has no relationship "unsorted"; the relationships to sort by are "whole".',
    ],
    [
      'hidden.size',
      'sort: thing has no relationship "hidden"; the relationships to sort by are "whole".',
    ],
  ] as const)
    it(`the unknown path ${sort} of a sort is 400, with the nearest or all declared ones`, async () => {
      const response = await app.get('/things', { sort })
      assert.equal(response.status, 400)
      assert.equal(response.error.detail, detail)
    })

  it('calls in process take the names, which the compiler knows', async () => {
    await create(app, { meta: '{"address":{"city":"Oslo"},"size":3}' })
    const store = await openStore(model, app.databaseUrl)
    try {
      const client = createApi({ model, store }).with()
      const found = await client.list('thing', {
        filter: { meta__address__city: 'Oslo', meta__size: { ge: 2 } },
        sort: ['-meta.address.city'],
      })
      assert.deepEqual(
        found.data.map(({ id }) => id),
        ['1'],
      )
      // @ts-expect-error there is no such path
      const unknown = client.list('thing', { filter: { meta__town: 'Oslo' } })
      await assert.rejects(unknown, /meta has no path "meta__town"/)
      // @ts-expect-error there is no such path
      await assert.rejects(client.list('thing', { sort: ['meta.town'] }), /has no path "meta.town"/)
    } finally {
      await store.close()
    }
  })
})

engine('Text of SQLite that is not JSON', { ...served, only: 'sqlite' }, (app) => {
  it('is null in a filter and in a sort', async () => {
    await app.execute(`insert into thing (meta) values ('{"size":1}'), ('{'), ('')`)
    const fields = { 'fields[thing]': 'name' }
    const filter = [{ name: 'meta__size', op: 'eq', val: null }]
    assert.deepEqual(ids(await app.get('/things', { filter, ...fields })), ['2', '3'])
    assert.deepEqual(ids(await app.get('/things', { sort: 'meta.size', ...fields })), [
      '1',
      '2',
      '3',
    ])
  })
})

describe('The declaration of paths', () => {
  const errorsOf = (kind: Kind<unknown>, paths: Readonly<Record<string, Kind<unknown>>>) => {
    try {
      defineModel([
        resource('a', { path: '/a', table: 'a', fields: { meta: attribute(kind, { paths }) } }),
      ])
      return ''
    } catch (error) {
      return String(error)
    }
  }

  for (const [kind, path, inner, reason] of [
    [text, 'a', text, 'only attributes of the kind json have paths; this has the kind text'],
    [json, 'a..b', text, '"" must be a member name without "__" that is not a number'],
    [json, 'a.0', text, '"0" must be a member name'],
    [json, 'a__b', text, '"a__b" must be a member name'],
    [json, 'a', decimal(), 'a value inside JSON cannot be of the kind decimal; use text,'],
    [json, 'a', datetime, 'cannot be of the kind datetime; declare the format of its texts'],
    [json, 'a', json, 'cannot be of the kind json'],
  ] as const)
    it(`is rejected with the reason: ${reason}`, () => {
      const errors = errorsOf(kind, { [path]: inner })
      assert.ok(errors.includes('a.fields.meta.paths'), errors)
      assert.ok(errors.includes(reason), errors)
    })

  it('is accepted with member names that JSON:API allows', () => {
    assert.equal(errorsOf(json, { 'a.b-c.D': text }), '')
  })
})

/** An index that the guide shows for the path `maker.city` of `details`, for a path of the tables here. */
function indexOf(dialect: 'SQLite' | 'PostgreSQL'): string {
  const shown = new RegExp(`${dialect}: \`(create index [^\`]*)\``).exec(
    readPage('docs/declaring/kinds.md'),
  )
  assert.ok(shown?.[1], dialect)
  return shown[1]
    .replace('on product', 'on thing')
    .replaceAll('details', 'meta')
    .replaceAll('maker', 'address')
}

engine('Indexes of values inside JSON', served, (app) => {
  for (const query of [{ 'filter[meta__address__city]': 'c5' }, { sort: 'meta.address.city' }])
    it(`serve ${JSON.stringify(query)}, as the guide shows it`, async () => {
      await app.execute(indexOf(app.dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'))
      await insertCities(app)
      const [statement = ''] = await statementsOf(() => app.get('/things', query))
      const plan = await explain(statement, app)
      assert.match(plan, /USING INDEX product_city|Index Scan using thing_case_idx/, plan)
    })
})

function insertCities(app: Engine): Promise<void> {
  const rows = Array.from({ length: 2000 }, (_, at) => `('{"address":{"city":"c${at}"}}')`)
  const analyze = app.dialect === 'sqlite' ? '' : '; analyze thing'
  return app.execute(`insert into thing (meta) values ${rows.join(', ')}${analyze}`)
}

async function explain(statement: string, { dialect, databaseUrl }: Engine): Promise<string> {
  if (dialect === 'sqlite') {
    const database = new DatabaseSync(databaseUrl.replace(/^sqlite:/, ''))
    const rows = database.prepare(`explain query plan ${statement}`).all()
    database.close()
    return rows.map(({ detail }) => String(detail)).join('\n')
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    // A text, then numbers.
    const values = [...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
    const count = Math.max(...values)
    const list = Array.from({ length: count }, (_, at) =>
      statement.includes(`$${at + 1}::text`) ? "'c5'" : '30',
    )
    await client.query(`prepare tried as ${statement}`)
    const { rows } = await client.query(`explain execute tried (${list.join(', ')})`)
    return rows.map((row) => Object.values(row).join('')).join('\n')
  } finally {
    await client.end()
  }
}

const ruled = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    name: attribute(text),
    secret: attribute(json, { column: 'meta', readable: false, paths: { size: integer } }),
    unfiltered: attribute(json, { column: 'plain', filterable: false, paths: { size: integer } }),
    unsorted: attribute(json, { sortable: false, paths: { size: integer } }),
  },
})

engine('Values inside JSON with rules', { ...served, model: defineModel([ruled]) }, (app) => {
  it('have the rules of their attribute', async () => {
    for (const name of ['secret', 'unfiltered']) {
      const response = await app.get('/things', { [`filter[${name}__size]`]: '1' })
      assert.equal(response.status, 400)
      assert.ok(
        response.error.detail.startsWith(
          `filter[${name}__size]: thing has no relationship "${name}"`,
        ),
        response.error.detail,
      )
      const compared = await app.get('/things', {
        filter: [{ name: 'unsorted__size', op: 'eq', field: `${name}__size` }],
      })
      assert.match(compared.error.detail, /^filter\[0\]\.field: thing has no attribute/)
    }
    for (const name of ['secret', 'unsorted']) {
      const response = await app.get('/things', { sort: `${name}.size` })
      assert.match(response.error.detail, /^sort: thing has no relationship/)
    }
    assert.equal((await app.get('/things', { sort: 'unfiltered.size' })).status, 200)
    assert.equal((await app.get('/things', { 'filter[unsorted__size]': '1' })).status, 200)
  })
})
