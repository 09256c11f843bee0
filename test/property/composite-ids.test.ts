import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  attribute,
  date,
  defineModel,
  integer,
  type Kind,
  type Model,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { mediaType } from '../client.ts'
import { type ColumnTypes, databases, isOnCitus } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute } from '../filled.ts'
import { scale, seed } from './seed.ts'

/** The kinds of a part of an id, with the type of its column and values in their order. */
const partKinds = {
  integer: { kind: integer, type: 'id', values: ['-5', '0', '7', '9007199254740993'] },
  uuid: {
    kind: uuid,
    type: 'uuid',
    values: ['0', '1', 'a', 'f'].map((digit) => `${digit}81d4fae-7dec-41d0-a765-00a0c91e6bf6`),
  },
  text: { kind: text, type: 'text', values: ['', 'a,b', 'x/y ~0%2C', 'é'] },
  date: {
    kind: date,
    type: 'date',
    values: ['0001-01-01', '2024-02-29', '2024-03-01', '9999-12-31'],
  },
} as const satisfies Readonly<
  Record<
    string,
    { kind: Kind<string> | Kind<number>; type: keyof ColumnTypes; values: readonly string[] }
  >
>
type PartKind = keyof typeof partKinds

const number = fc.nat(3)
/** The numbers of the values of an id; a short id ignores the last one. */
const anyParts = fc.tuple(number, fc.nat(1), fc.nat(1))
const anyOperation = fc.oneof(
  fc.record({
    is: fc.constantFrom('create', 'create'),
    parts: anyParts,
    word: fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
  }),
  fc.record({
    is: fc.constant('update'),
    parts: anyParts,
    word: fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
  }),
  fc.record({
    is: fc.constantFrom('delete', 'read', 'filter', 'compare'),
    parts: anyParts,
    word: fc.constant(''),
  }),
  fc.record({
    is: fc.constantFrom('link', 'unlink', 'set'),
    parts: anyParts,
    word: fc.constantFrom('1', '2', '3'),
  }),
)
type Operation = typeof anyOperation extends fc.Arbitrary<infer Each> ? Each : never

const tablesAndViews = {
  storage: fc.constantFrom('table', 'view'),
  trigger: fc.constantFrom('none', 'logs inserts', 'keeps rows'),
}
/** Citus: "triggers are not supported on distributed tables", "cannot modify views when the query contains citus tables". */
const plainTables: typeof tablesAndViews = {
  storage: fc.constant('table'),
  trigger: fc.constant('none'),
}

/** Citus: "non-IMMUTABLE functions are not allowed in the RETURNING clause", as the cast of a date to a text. */
const partNames = (['integer', 'uuid', 'text', 'date'] as const).filter(
  (kind) => !isOnCitus || kind !== 'date',
)

const anyScenario = fc.record({
  kinds: fc.array(fc.constantFrom<PartKind>(...partNames), {
    minLength: 2,
    maxLength: 3,
  }),
  ...(isOnCitus ? plainTables : tablesAndViews),
  operations: fc.array(anyOperation, { minLength: 25, maxLength: 40 }),
})
type Scenario = typeof anyScenario extends fc.Arbitrary<infer Each> ? Each : never

const columnNames = ['a', 'b', 'c']
const columnsOf = ({ kinds }: Scenario) => columnNames.slice(0, kinds.length)

function defineScenario(scenario: Scenario): Model {
  const columns = columnsOf(scenario)
  const foreignKey = columns.map((name) => `thing_${name}`)
  return defineModel(
    [
      resource('thing', {
        path: '/things',
        table: scenario.storage === 'view' ? 'thing_view' : 'thing',
        id: {
          column: columns,
          kind: scenario.kinds.map((kind) => partKinds[kind].kind),
          client: 'required',
        },
        fields: { word: attribute(text), children: toMany('child', { column: foreignKey }) },
      }),
      resource('child', {
        path: '/children',
        table: 'child',
        fields: { thing: toOne('thing', { column: foreignKey }) },
      }),
    ],
    { maxPageSize: null },
  )
}

/** Writes the tables, the triggers and the view whose rows `instead of` triggers write. */
function writeTables(scenario: Scenario, dialect: string, types: ColumnTypes): string[] {
  const columns = columnsOf(scenario)
  const typed = (prefix: string, suffix: string) =>
    scenario.kinds.map(
      (kind, at) => `${prefix}${columns[at]} ${types[partKinds[kind].type]}${suffix}`,
    )
  const key = columns.join(', ')
  const foreignKey = columns.map((name) => `thing_${name}`).join(', ')
  const isRow = (row: string) => columns.map((name) => `${name} = ${row}.${name}`).join(' and ')
  const values = [...columns, 'word'].map((name) => `new.${name}`).join(', ')
  const instead = {
    insert: `insert into thing (${key}, word) values (${values})`,
    update: `update thing set word = new.word where ${isRow('old')}`,
    delete: `delete from thing where ${isRow('old')}`,
  }
  const isSqlite = dialect === 'sqlite'
  const trigger = (name: string, event: string, body: string, result: string) =>
    isSqlite
      ? [`create trigger ${name} ${event} begin ${body}; end`]
      : [
          `create function ${name}() returns trigger language plpgsql as $f$ begin ${body}; return ${result}; end $f$`,
          `create trigger ${name} ${event} for each row execute function ${name}()`,
        ]
  return [
    `create table thing (${[...typed('', ' not null'), 'word text'].join(', ')}, primary key (${key}))`,
    `create table child (id ${types.newId}, ${typed('thing_', '').join(', ')}, foreign key (${foreignKey}) references thing (${key}))`,
    'insert into child (id) values (1), (2), (3)',
    'create table log (word text)',
    ...(scenario.trigger === 'logs inserts'
      ? trigger('logs', 'after insert on thing', 'insert into log values (new.word)', 'null')
      : []),
    ...(scenario.trigger === 'keeps rows'
      ? trigger(
          'keeps',
          'before delete on thing',
          isSqlite ? 'select raise(ignore)' : 'null',
          'null',
        )
      : []),
    ...(scenario.storage === 'view'
      ? [
          'create view thing_view as select * from thing',
          ...Object.entries(instead).flatMap(([event, body]) =>
            trigger(
              `view_${event}`,
              `instead of ${event} on thing_view`,
              body,
              event === 'delete' ? 'old' : 'new',
            ),
          ),
        ]
      : []),
  ]
}

/** The rows of a scenario: words by id, and the things of the children. */
interface Expected {
  readonly words: Map<string, string>
  readonly things: Map<string, string>
}

const identify = (id: string) => ({ type: 'thing', id })
const escapePart = (part: string) => part.replaceAll('~', '~0').replaceAll(',', '~1')

function toId({ kinds }: Scenario, parts: readonly number[]): string {
  return kinds.map((kind, at) => escapePart(partKinds[kind].values[parts[at] ?? 0] ?? '')).join(',')
}

/** The parts of a response that scenarios check. */
interface Answer {
  readonly status: number
  readonly body: { readonly data?: unknown; readonly errors?: readonly { readonly code: string }[] }
}
type Send = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  data?: unknown,
) => Promise<Answer>

const listIds = ({ body }: Answer) => (body.data as readonly { id: string }[]).map(({ id }) => id)

/** Sends the request of an operation, and compares the response with the expected one. */
async function run(
  { is, parts, word }: Operation,
  scenario: Scenario,
  { words, things }: Expected,
  send: Send,
): Promise<void> {
  const id = toId(scenario, parts)
  const path = `/things/${encodeURIComponent(id)}`
  const exists = words.has(id)
  const expect = (answer: Answer, status: number) =>
    assert.equal(answer.status, status, `${is} ${id}: ${JSON.stringify(answer.body)}`)
  const children = [...things].flatMap(([child, thing]) => (thing === id ? [child] : []))
  switch (is) {
    case 'create': {
      expect(
        await send('POST', '/things', { type: 'thing', id, attributes: { word } }),
        exists ? 409 : 201,
      )
      if (!exists) words.set(id, word)
      return
    }
    case 'update': {
      expect(
        await send('PATCH', path, { type: 'thing', id, attributes: { word } }),
        exists ? 200 : 404,
      )
      if (exists) words.set(id, word)
      return
    }
    case 'delete': {
      const isKept = scenario.trigger === 'keeps rows'
      const status = !exists ? 404 : children.length > 0 && !isKept ? 409 : 200
      expect(await send('DELETE', path), status)
      if (status === 200 && !isKept) words.delete(id)
      return
    }
    case 'read': {
      const answer = await send('GET', `${path}?include=children`)
      expect(answer, exists ? 200 : 404)
      const { attributes, relationships } = (answer.body.data ?? {}) as Record<
        string,
        Record<string, never>
      >
      if (exists) assert.equal(attributes?.word, words.get(id))
      if (exists)
        assert.deepEqual(
          listIds({ status: 200, body: relationships?.children ?? {} }),
          children.sort(),
        )
      return
    }
    case 'filter': {
      const answer = await send('GET', `/things?filter[id]=${encodeURIComponent(id)}`)
      assert.deepEqual(listIds(answer), exists ? [id] : [])
      const filter = JSON.stringify([{ name: 'thing__id', op: 'in_', val: [id] }])
      const linked = await send('GET', `/children?filter=${encodeURIComponent(filter)}`)
      assert.deepEqual(listIds(linked), exists ? children.sort() : [])
      return
    }
    case 'compare': {
      const sorted = listIds(await send('GET', '/things?page[size]=0'))
      assert.deepEqual(sorted.toSorted(), [...words.keys()].sort())
      const filter = JSON.stringify([{ name: 'id', op: 'le', val: id }])
      const query = `page[size]=0&sort=-id&filter=${encodeURIComponent(filter)}`
      const below = await send('GET', `/things?${query}`)
      const rank = (each: string) => toRanks(each, scenario)
      const isBelow = (each: string) => compareRanks(rank(each), rank(id)) <= 0
      // UUIDs cannot be compared by order.
      if (scenario.kinds.includes('uuid')) expect(below, 400)
      else assert.deepEqual(listIds(below), sorted.filter(isBelow).toReversed())
      assert.deepEqual(
        sorted.toSorted((one, other) => compareRanks(rank(one), rank(other))),
        sorted,
      )
      return
    }
    case 'link':
    case 'unlink': {
      const method = is === 'link' ? 'POST' : 'DELETE'
      const answer = await send(method, `${path}/relationships/children`, [
        { type: 'child', id: word },
      ])
      expect(answer, exists ? 200 : 404)
      if (exists && is === 'link') things.set(word, id)
      if (exists && is === 'unlink' && things.get(word) === id) things.delete(word)
      return
    }
    case 'set': {
      const answer = await send('PATCH', `/children/${word}/relationships/thing`, identify(id))
      expect(answer, exists ? 200 : 404)
      if (exists) things.set(word, id)
      return
    }
  }
}

/** The index of each part of an id among the values of its kind. */
function toRanks(id: string, { kinds }: Scenario): readonly number[] {
  const parts = id.split(',')
  return kinds.map((kind, at) =>
    partKinds[kind].values.findIndex((value) => escapePart(value) === parts[at]),
  )
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

describe('Random ids over several columns', () => {
  for (const database of databases) {
    it(`name the same resource in every request, with triggers and views · ${database.name}`, async () => {
      const property = fc.asyncProperty(anyScenario, async (scenario) => {
        const { url, remove } = await database.create()
        for (const sql of writeTables(scenario, database.dialect, database.columnTypes))
          await execute(url, sql)
        const model = defineScenario(scenario)
        const store = await openStore(model, url)
        const server = createServer({ model, store, logLevel: 'silent' })
        const headers = { accept: mediaType, 'content-type': mediaType }
        const send: Send = async (method, target, data) => {
          const payload = data === undefined ? {} : { payload: JSON.stringify({ data }) }
          const response = await server.inject({ method, url: target, headers, ...payload })
          return { status: response.statusCode, body: JSON.parse(response.body) }
        }
        try {
          await store.verify()
          const expected: Expected = { words: new Map(), things: new Map() }
          for (const operation of scenario.operations)
            await run(operation, scenario, expected, send)
          await run({ is: 'compare', parts: [1, 1, 1], word: '' }, scenario, expected, send)
        } finally {
          await server.close()
          await store.close()
          await remove()
        }
      })
      await fc.assert(property, { seed, numRuns: 2 * scale, endOnFailure: scale === 1 })
    })
  }
})
