import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  array,
  attribute,
  computed,
  createApi,
  defineKind,
  defineModel,
  expression,
  integer,
  type Kind,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { databases } from '../../databases.ts'
import { ids } from '../../test-response.ts'
import { engine, findStartErrors, openStore } from '../engine.ts'
import { attributeText, create } from '../things.ts'

const isColor = (json: unknown): json is `#${string}` =>
  typeof json === 'string' && /^#[0-9a-f]{6}$/.test(json)

/** A color, stored as a number. */
const color = defineKind({
  name: 'color',
  schema: { type: 'string', pattern: '^#[0-9a-f]{6}$' },
  read: (json) => (isColor(json) ? { value: json } : { expected: 'a color, such as "#ff8800"' }),
  stores: integer,
  load: (stored) => {
    if (stored < 0 || stored > 0xffffff) throw new Error(`${stored} is not a color`)
    return `#${stored.toString(16).padStart(6, '0')}` as const
  },
  bind: (value) => Number.parseInt(value.slice(1), 16),
  operators: 'ordered',
})

interface Point {
  readonly x: number
  readonly y: number
}

function readPoint(json: unknown): { value: Point } | { expected: string } {
  const { x, y } = Object(json)
  return typeof x === 'number' && typeof y === 'number'
    ? { value: { x, y } }
    : { expected: 'a point, such as {"x":1,"y":2}' }
}

/** A point, in the type `point` of PostgreSQL and as text on SQLite. */
const point = defineKind<Point>({
  name: 'point',
  schema: { type: 'object', required: ['x', 'y'] },
  read: readPoint,
  readFilterText: (words) => {
    const [x, y] = words.split(',').map(Number)
    return readPoint({ x, y })
  },
  columns: {
    sqlite: {
      acceptsColumnType: (type) => /^text$/i.test(type),
      load: (stored) => JSON.parse(String(stored)),
      bind: ({ x, y }) => JSON.stringify({ x, y }),
    },
    postgres: {
      acceptsColumnType: (type) => type === 'point',
      select: (column) =>
        sql`case when ${column} is not null then json_build_object('x', ${column}[0], 'y', ${column}[1])::text end`,
      load: (stored) => JSON.parse(String(stored)),
      bind: ({ x, y }) => `(${x},${y})`,
      type: 'point',
      operators: {
        eq: (column, [value]) => sql`${column} ~= ${value}`,
        in_: (column, [list]) =>
          sql`exists (select 1 from unnest(${list}) as p where ${column} ~= p)`,
      },
    },
  },
})

/** An IP network, which only PostgreSQL stores. `contains` finds the networks of an address. */
const network = defineKind({
  name: 'network',
  schema: { type: 'string' },
  read: (json): { value: string } | { expected: string } =>
    typeof json === 'string' && /^[0-9./]+$/.test(json)
      ? { value: json }
      : { expected: 'a network, such as "10.0.0.0/8"' },
  operators: 'array',
  columns: {
    postgres: {
      acceptsColumnType: (type) => type === 'cidr',
      select: (column) => sql`${column}::text`,
      type: 'inet',
      operators: {
        contains: (column, [address]) => sql`${column} >>= ${address}`,
        overlaps: (column, [address]) => sql`${column} && ${address}`,
      },
    },
  },
})

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    color: attribute(color, { required: true, default: '#000000' }),
    colors: attribute(array(color)),
    lenient: attribute(color, { column: 'given', invalidValues: 'null' }),
    strict: attribute(color, { column: 'odd' }),
    place: attribute(point),
    darker: expression(color, (column) => sql`${column('color')} / 2`),
    label: computed(text, { color }, ({ color }) => `color ${color}`),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})
const model = defineModel([thing])

const served = {
  model,
  tables: ({ newId }: ColumnTypes, dialect: string) => {
    const [colors, place] = dialect === 'sqlite' ? ['text', 'text'] : ['bigint[]', 'point']
    return `create table thing (id ${newId}, color integer not null, colors ${colors}, given integer, odd integer,
      place ${place}, whole_id integer references thing (id))`
  },
}

engine('A kind that a program defines', served, (app) => {
  const find = async (filter: unknown, sort = 'id') =>
    ids(await app.get('/things', { filter: JSON.stringify(filter), sort })).join(' ')

  it('is read, written, computed with and validated', async () => {
    const made = await create(app, { color: '"#ff8800"', place: '{"x":1.5,"y":-2}' })
    assert.equal(made.status, 201, made.text)
    const { attributes = {} } = (await app.get('/things/1')).one
    assert.deepEqual(
      [attributes.color, attributes.darker, attributes.label, attributes.place],
      ['#ff8800', '#7fc400', 'color #ff8800', { x: 1.5, y: -2 }],
    )
    assert.equal((await create(app, {})).one.attributes?.color, '#000000')
    for (const [name, json, expected] of [
      ['color', '"red"', 'color must be a color, such as "#ff8800"; it is "red".'],
      ['place', '{"x":1}', 'place must be a point, such as {"x":1,"y":2}; it is {"x":1}.'],
      ['color', 'null', 'color must be a color, such as "#ff8800"; it is null.'],
    ] as const) {
      const rejected = await create(app, { [name]: json })
      assert.equal(rejected.status, 422)
      assert.deepEqual(rejected.error.source, { pointer: `/data/attributes/${name}` })
      assert.equal(rejected.error.detail, expected)
    }
  })

  it('is filtered and sorted by what is stored', async () => {
    for (const json of ['"#ff0000"', '"#00ff00"', '"#0000ff"']) await create(app, { color: json })
    assert.equal(await find([{ name: 'color', op: 'eq', val: '#00ff00' }]), '2')
    assert.equal(await find([{ name: 'color', op: 'between', val: ['#000100', '#ffffff'] }]), '1 2')
    assert.equal(await find([{ name: 'color', op: 'in_', val: ['#0000ff', '#ff0000'] }]), '1 3')
    assert.equal(await find([{ name: 'color', op: 'gt', field: 'darker' }]), '1 2 3')
    assert.equal(await find([], 'color'), '3 2 1')
    assert.deepEqual(ids(await app.get('/things', { 'filter[color]': '#0000ff' })), ['3'])
    const rejected = await app.get('/things', { 'filter[color]': 'red' })
    assert.match(rejected.error.detail, /color must be compared with a color, such as "#ff8800"/)
    const other = await app.get('/things', { filter: [{ name: 'color', op: 'like', val: 'x' }] })
    assert.match(other.error.detail, /color has no operator "like"/)
  })

  it('has the SQL of its own for operators, and reads texts of filters by itself', async () => {
    await create(app, { place: '{"x":1,"y":2}' })
    await create(app, { place: '{"x":3,"y":4}' })
    await create(app, {})
    assert.equal(await find([{ name: 'place', op: 'eq', val: { x: 3, y: 4 } }]), '2')
    assert.deepEqual(ids(await app.get('/things', { 'filter[place]': '1,2' })), ['1'])
    const val = [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ]
    assert.equal(await find([{ name: 'place', op: 'in_', val }]), '1 2')
    assert.equal(await find([{ name: 'place', op: 'eq', val: null }]), '3')
  })

  it('can be the kind of the elements of an array', async () => {
    const sent = '["#ff8800","#000000"]'
    const made = await create(app, { colors: sent })
    assert.equal(made.status, 201, made.text)
    assert.equal(attributeText(await app.get('/things/1'), 'colors'), sent)
    assert.equal(await find([{ name: 'colors', op: 'contains', val: ['#ff8800'] }]), '1')
    assert.equal(await find([{ name: 'colors', op: 'contains', val: ['#ff8801'] }]), '')
    const rejected = await create(app, { colors: '["#ff8800","red"]' })
    assert.deepEqual(rejected.error.source, { pointer: '/data/attributes/colors/1' })
  })

  it('has invalid values that are null, or an error', async () => {
    await app.execute('insert into thing (color, given) values (1, -1), (2, 3)')
    const { many } = await app.get('/things')
    assert.deepEqual(
      many.map(({ attributes }) => attributes?.lenient),
      [null, '#000003'],
    )
    await app.execute('update thing set odd = 99999999')
    assert.equal((await app.get('/things')).status, 500)
  })

  it('has its type in calls in process', async () => {
    await create(app, { color: '"#ff8800"' })
    const store = await openStore(model, app.databaseUrl)
    try {
      const client = createApi({ model, store }).with()
      const { data } = await client.list('thing', { filter: { color: { ge: '#000001' } } })
      const colors: readonly `#${string}`[] = data.map((each) => each.color)
      assert.deepEqual(colors, ['#ff8800'])
      const places: readonly (Point | null)[] = data.map(({ place }) => place)
      assert.deepEqual(places, [null])
      // @ts-expect-error a color is not a number
      await assert.rejects(client.create('thing', { color: 5 }), /color must be a color/)
    } finally {
      await store.close()
    }
  })
})

const gate = resource('gate', {
  path: '/gates',
  table: 'gate',
  fields: { network: attribute(network) },
})
const gates = defineModel([gate])

engine(
  'A kind that only PostgreSQL stores',
  {
    model: gates,
    only: 'postgres',
    tables: `create table gate (id bigint generated by default as identity primary key, network cidr);
      insert into gate (network) values ('10.0.0.0/8'), ('10.1.0.0/16'), ('192.168.0.0/16')`,
  },
  (app) => {
    it('has the operators of the database', async () => {
      const filter = [{ name: 'network', op: 'contains', val: '10.1.2.3' }]
      assert.deepEqual(ids(await app.get('/gates', { filter })), ['1', '2'])
    })
  },
)

for (const database of databases) {
  describe(`The startup check of kinds that a program defines · ${database.name}`, () => {
    const sqlite = database.dialect === 'sqlite'
    const errorOf = async (kind: Kind<unknown>, type: string, isExpression = false) => {
      const field = isExpression
        ? expression(kind, (column) => column('it'))
        : attribute(kind, { access: 'read-only' })
      const declared = resource('a', { path: '/a', table: 'a', fields: { it: field } })
      const table = `create table a (id ${database.columnTypes.newId}, it ${type})`
      return (await findStartErrors(database, defineModel([declared]), table)).join('\n')
    }

    it('compares the type of the column', async () => {
      assert.equal(await errorOf(color, 'integer'), '')
      assert.match(
        await errorOf(point, 'date'),
        /a\.fields\.it\.column: the column "it" of the table "a" has the type "date", which cannot store all point values exactly/,
      )
    })

    it('requires a codec for the database', async () => {
      const error = await errorOf(network, sqlite ? 'text' : 'cidr')
      const computed = await errorOf(network, sqlite ? 'text' : 'cidr', true)
      const reason = /a\.fields\.it(?:\.column)?: the kind network has no codec for sqlite/
      if (sqlite) for (const each of [error, computed]) assert.match(each, reason)
      else assert.deepEqual([error, computed], ['', ''])
    })

    it('has the database check the SQL', async () => {
      const codec = { acceptsColumnType: () => true, select: () => sql`nothing("it")` }
      const broken = defineKind({
        name: 'broken',
        schema: {},
        read: (json) => ({ value: json }),
        columns: { sqlite: codec, postgres: codec },
      })
      assert.match(
        await errorOf(broken, 'text'),
        /a\.fields\.it: the database rejects its SQL: .*nothing/,
      )
    })
  })
}

describe('The definition of a kind', () => {
  const valid = {
    name: 'x',
    schema: {},
    read: (json: unknown) => ({ value: json }),
    stores: text,
    load: (stored: string) => stored,
    bind: String,
  }
  const { stores: _, load: __, bind: ___, ...common } = valid

  for (const [changes, message] of [
    [{ nam: 'x' }, 'there is no member "nam"; did you mean "name"?'],
    [{ name: undefined }, 'name is missing'],
    [{ name: '' }, 'name must be a text'],
    [{ name: 'decimal' }, 'there is a kind "decimal" already'],
    [{ read: 5 }, 'read must be a function'],
    [{ load: undefined }, 'load is missing'],
    [{ schema: 'x' }, 'schema must be a JSON Schema'],
    [{ operators: 'all' }, 'operators must be one of textual, ordered, plain, array, opaque'],
    [{ stores: String }, 'stores must be an attribute kind, such as text'],
    [{ columns: {} }, 'there is no member "columns"; the members are'],
  ] as const) {
    it(`rejects ${JSON.stringify(changes)}: ${message}`, () => {
      assert.throws(
        () => defineKind({ ...valid, ...changes } as never),
        (error) => error instanceof TypeError && error.message.startsWith(`defineKind: ${message}`),
      )
    })
  }

  for (const [columns, message] of [
    [{}, 'columns must have a codec for sqlite or postgres'],
    [{ postgre: {} }, 'columns.postgre: did you mean "postgres"?'],
    [{ sqlite: {} }, 'columns.sqlite.acceptsColumnType must be a function of a column type'],
  ] as const) {
    it(`rejects ${JSON.stringify(columns)}: ${message}`, () => {
      assert.throws(() => defineKind({ ...common, columns } as never), {
        name: 'TypeError',
        message: `defineKind: ${message}`,
      })
    })
  }

  it('has no arrays if it has codecs of its own, and says what to define instead', () => {
    for (const each of [point, defineKind({ ...valid, stores: point, load: String } as never)])
      assert.throws(() => array(each as Kind<unknown>), {
        name: 'RangeError',
        message: `array: the elements cannot be of the kind ${each.name}, whose codecs read a column of one value; define it with \`stores\` and a built-in kind, or define a kind of the whole array with \`columns\``,
      })
    const unwritable = defineKind({ ...valid, isReadOnly: true })
    assert.throws(() => array(unwritable), {
      message: 'array: the elements cannot be of the kind x',
    })
  })

  it('must have a name of its own among the kinds of a column', () => {
    const twice = () => defineKind(valid)
    const [one, other] = [twice(), twice()]
    const declare = (second: Kind<unknown>) =>
      defineModel([
        resource('a', {
          path: '/a',
          table: 'a',
          fields: {
            b: attribute(one, { column: 'x' }),
            c: attribute(second, { column: 'x', access: 'read-only' }),
          },
        }),
      ])
    assert.doesNotThrow(() => declare(one))
    assert.throws(
      () => declare(other),
      /a\.fields\.c\.kind: reads the column "x" as another kind than "b" does, but both have the name x; give each kind a name of its own/,
    )
  })
})
