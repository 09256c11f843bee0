import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  date,
  defineModel,
  email,
  integer,
  type Kind,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { kinds } from '../../src/model/kinds.ts'
import type { Answer } from '../answer.ts'
import { ids } from '../answer.ts'
import type { Engine } from './engine.ts'
import { engine } from './engine.ts'
import { type AttributeKind, kindValues } from './kind-values.ts'

const declared: Readonly<Record<AttributeKind, Kind<unknown>>> = {
  text,
  email,
  integer,
  number,
  boolean,
  date,
}
const all = Object.entries(kindValues)
const columns = all.map(([name, { column }]) => `"${name}" ${column}`).join(', ')

/** One attribute of each kind, under the kind's name. */
const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    ...Object.fromEntries(Object.entries(declared).map(([name, kind]) => [name, attribute(kind)])),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const served = {
  model: defineModel([thing]),
  tables: `create table thing (id integer primary key autoincrement, ${columns},
    whole_id integer references thing (id)) strict`,
}

/** A create with attributes as JSON texts. */
function create(world: Engine, attributes: Readonly<Record<string, string>>): Promise<Answer> {
  const members = Object.entries(attributes).map(([name, json]) => `"${name}":${json}`)
  const raw = `{"data":{"type":"thing","attributes":{${members.join(',')}}}}`
  return world.call('POST', '/things', jsonApi(raw))
}

const jsonApi = (raw: string) => ({
  raw,
  headers: {
    'Content-Type': 'application/vnd.api+json',
    'Content-Length': String(Buffer.byteLength(raw)),
  },
})

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Numbers as they are spelled in the document (JSON.parse source text access, ES2026), all else as JSON. */
const asSpelled: Reviver = (_key, value, context) => {
  if (typeof value === 'number') return context?.source
  return typeof value === 'object' && value !== null ? value : JSON.stringify(value)
}

/** The attribute of the one resource of an answer, as JSON text. */
function told({ text: body }: Answer, name: string): unknown {
  const document: { data: { attributes: Record<string, unknown> } } = JSON.parse(body, asSpelled)
  return document.data.attributes[name]
}

/** The attribute of each resource of a list, as JSON text. */
function toldOfAll({ text: body }: Answer, name: string): unknown[] {
  const document: { data: { attributes: Record<string, unknown> }[] } = JSON.parse(body, asSpelled)
  return document.data.map(({ attributes }) => attributes[name])
}

it('every kind there is has values here', () => {
  assert.deepEqual(Object.keys(kinds).sort(), [...Object.keys(kindValues), 'id'].sort())
})

engine('Kinds in bodies', served, (world) => {
  for (const [kind, { accepts, refuses, expected }] of all) {
    it(`${kind}: what is taken is told back exactly, at once and later`, async () => {
      for (const [sent, tells = sent] of accepts) {
        const made = await create(world, { [kind]: sent })
        assert.equal(made.status, 201, made.text)
        assert.equal(told(made, kind), tells)
        const later = await world.get(`/things/${made.one.id}`)
        assert.equal(told(later, kind), tells)
        const patched = await world.call(
          'PATCH',
          `/things/${made.one.id}`,
          jsonApi(`{"data":{"type":"thing","id":"1","attributes":{"${kind}":${sent}}}}`),
        )
        assert.equal(told(patched, kind), tells)
      }
    })

    it(`${kind}: null is taken, and told when nothing was sent`, async () => {
      const unset = await create(world, {})
      assert.equal(told(unset, kind), 'null')
      const nothing = await create(world, { [kind]: 'null' })
      assert.equal(told(nothing, kind), 'null')
      const [[some] = ['null']] = accepts
      const made = await create(world, { [kind]: some })
      const cleared = await world.patch(`/things/${made.one.id}`, {
        data: { type: 'thing', id: made.one.id, attributes: { [kind]: null } },
      })
      assert.equal(told(cleared, kind), 'null')
    })

    it(`${kind}: what it is not is refused with its place, and what it must be`, async () => {
      for (const sent of refuses) {
        const refused = await create(world, { [kind]: sent })
        assert.equal(refused.status, 422, `${sent} → ${refused.text}`)
        assert.deepEqual(refused.fault.source, { pointer: `/data/attributes/${kind}` })
        assert.ok(
          refused.fault.detail.startsWith(`${kind} must be ${expected}`),
          refused.fault.detail,
        )
        assert.equal(refused.body.errors?.length, 1)
      }
      assert.equal((await world.get('/things')).body.meta?.count, 0)
    })
  }
})

engine('Kinds in filters', served, (world) => {
  for (const [kind, { accepts, notVals, texts, notTexts, expected, asked = expected }] of all) {
    it(`${kind}: a JSON val is read as a body's value is`, async () => {
      const made = new Map<unknown, string[]>()
      await create(world, { [kind]: 'null' })
      for (const [sent, tells = sent] of accepts) {
        const { one } = await create(world, { [kind]: sent })
        made.set(tells, [...(made.get(tells) ?? []), one.id])
      }
      for (const [sent, tells = sent] of accepts) {
        const filter = `[{"name":"${kind}","op":"eq","val":${sent}}]`
        assert.deepEqual(ids(await world.get('/things', { filter })), made.get(tells), sent)
      }
      const list = accepts.map(([sent]) => sent).join(',')
      const among = await world.get('/things', {
        filter: `[{"name":"${kind}","op":"in_","val":[${list}]}]`,
      })
      assert.deepEqual(new Set(ids(among)), new Set([...made.values()].flat()))
    })

    it(`${kind}: null asks for nulls`, async () => {
      const { one: none } = await create(world, {})
      const [[some] = ['null']] = accepts
      const { one: full } = await create(world, { [kind]: some })
      for (const [op, found] of [
        ['eq', none],
        ['is_', none],
        ['ne', full],
        ['isnot', full],
      ] as const) {
        const answer = await world.get('/things', { filter: [{ name: kind, op, val: null }] })
        assert.deepEqual(ids(answer), [found.id], op)
      }
    })

    it(`${kind}: a val that is none is refused with its place`, async () => {
      for (const val of notVals) {
        for (const [op, json] of [
          ['eq', val],
          ['in_', `[null,${val}]`],
        ]) {
          const answer = await world.get('/things', {
            filter: `[{"name":"${kind}","op":"${op}","val":${json}}]`,
          })
          assert.equal(answer.status, 400, `${json} → ${answer.text}`)
          assert.deepEqual(answer.fault.source, { parameter: 'filter' })
          assert.match(answer.fault.detail, /^filter\[0\]\.val: /)
          const says = `${kind} must be compared with ${asked}`
          assert.ok(answer.fault.detail.includes(says), answer.fault.detail)
        }
      }
    })

    it(`${kind}: filter[${kind}]=text reads the text as the kind`, async () => {
      const made = new Map<string, string>()
      await create(world, { [kind]: 'null' })
      for (const [, value] of texts) {
        if (!made.has(value)) made.set(value, (await create(world, { [kind]: value })).one.id)
      }
      for (const [sent, value] of texts) {
        const answer = await world.get('/things', { [`filter[${kind}]`]: sent })
        assert.deepEqual(ids(answer), [made.get(value)], `${sent} → ${answer.text}`)
      }
    })

    it(`${kind}: a text that is none is refused with its parameter`, async () => {
      for (const wrong of notTexts) {
        const answer = await world.get('/things', { [`filter[${kind}]`]: wrong })
        assert.equal(answer.status, 400, `${wrong} → ${answer.text}`)
        assert.deepEqual(answer.fault.source, { parameter: `filter[${kind}]` })
        const says = `${kind} must be compared with ${asked}`
        assert.ok(answer.fault.detail.includes(says), answer.fault.detail)
      }
    })
  }
})

engine('Kinds as they stand in the table', served, (world) => {
  it('integers beyond 2^53 are told exactly, in lists, alone, included and after an update', async () => {
    const stored = [
      '-9223372036854775808',
      '-9007199254740993',
      '9007199254740993',
      '9223372036854775807',
    ]
    const rows = stored.map((value, index) => `(${value}, ${index === 0 ? 'null' : 1})`)
    await world.execute(`insert into thing ("integer", whole_id) values ${rows.join(', ')}`)
    for (const query of [{}, { sort: 'integer' }, { 'page[size]': '0' }]) {
      assert.deepEqual(toldOfAll(await world.get('/things', query), 'integer'), stored)
    }
    assert.deepEqual(
      toldOfAll(await world.get('/things', { sort: '-integer' }), 'integer'),
      stored.toReversed(),
    )
    const alone = await world.get('/things/1', { include: 'parts' })
    assert.equal(told(alone, 'integer'), stored[0])
    for (const value of stored) assert.ok(alone.text.includes(`"integer":${value}`), value)
    const patched = await world.patch('/things/4', {
      data: { type: 'thing', id: '4', attributes: { text: 'x' } },
    })
    assert.equal(told(patched, 'integer'), stored[3])
    const field = { name: 'integer', op: 'eq', field: 'integer' }
    assert.equal((await world.get('/things', { filter: [field] })).many.length, 4)
    const above = { name: 'integer', op: 'gt', val: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(ids(await world.get('/things', { filter: [above] })), ['3', '4'])
  })

  it('a number that JSON cannot say is told as null; minus zero is zero', async () => {
    await world.execute(
      'insert into thing ("number") values (9e999), (-9e999), (-0.0), (1e308), (4.9e-324)',
    )
    const answer = await world.get('/things')
    assert.deepEqual(toldOfAll(answer, 'number'), ['null', 'null', '0', '1e+308', '5e-324'])
  })

  it('integers and numbers are compared and sorted as numbers, not as the texts they are told as', async () => {
    await world.execute(
      'insert into thing ("integer", "number") values (10, 10), (9, 9.5), (-1, -1.5), (100, 1e3)',
    )
    for (const name of ['integer', 'number']) {
      const query = { sort: `-${name}`, 'fields[thing]': name }
      assert.deepEqual(ids(await world.get('/things', query)), ['4', '1', '2', '3'])
      const filter = [{ name, op: 'ge', val: 10 }]
      assert.deepEqual(ids(await world.get('/things', { filter })), ['1', '4'])
    }
  })
})

/** Another model in the same process, whose names on the wire are those of the first one and whose table is not. */
const amount = resource('thing', {
  path: '/things',
  table: 'amount',
  fields: { number: attribute(number), text: attribute(text, { required: true }) },
})
const loose = {
  model: defineModel([amount]),
  tables: 'create table amount (id integer primary key, number numeric, text text)',
}

engine('Columns that are looser than their kinds', loose, (world) => {
  it('numbers that the column turns into integers are told as the numbers they are, beyond 2^53 too', async () => {
    await world.execute('insert into amount (number) values (1e18), (9007199254740994), (0.5), (7)')
    const answer = await world.get('/things', { sort: '-number', 'fields[thing]': 'number' })
    assert.equal(answer.status, 200, answer.text)
    const numbers = answer.many.map(({ attributes }) => attributes?.number)
    assert.deepEqual(numbers, [1e18, 9007199254740994, 7, 0.5])
  })

  it('a required attribute may be null where nobody has asked us: it is told and sorted as any null', async () => {
    await world.execute("insert into amount (text) values (null), ('a'), (null), ('b')")
    assert.deepEqual(ids(await world.get('/things', { sort: 'text,id' })), ['2', '4', '1', '3'])
    assert.deepEqual(ids(await world.get('/things', { sort: '-text,id' })), ['1', '3', '4', '2'])
    assert.equal((await world.get('/things/1')).one.attributes?.text, null)
  })
})
