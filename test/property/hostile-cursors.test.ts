import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  createHandler,
  date,
  datetime,
  decimal,
  defineModel,
  integer,
  type Model,
  number,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { type Database, databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute } from '../filled.ts'
import { randomOf } from './random-choices.ts'
import { scale, seed } from './seed.ts'

// Cursors of ids of every kind, as a client that follows no rule sends them: in the query, in both bodies of QUERY, for members of an include
// path. A good one continues the list; any other is 400, and never a page.

/** The columns of an id, and the values of rows, each a column's value; those of texts have characters that URLs and SQL have uses for. */
const idKinds = {
  bigint: {
    kinds: [undefined],
    rows: [
      '-9223372036854775808',
      '-1',
      '0',
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
    ].map((each) => [each]),
  },
  uuid: {
    kinds: [uuid],
    rows: ['0', '1', '9', 'a', 'f'].map((each) => [`${each}81d4fae-7dec-41d0-a765-00a0c91e6bf6`]),
  },
  text: {
    kinds: [text],
    rows: [
      "'",
      '"',
      '%',
      '%00',
      '&page[after]=x',
      ',',
      '/',
      '\\',
      '_',
      'a',
      'a b',
      'B',
      '~',
      'é',
      '\u2028',
      '\ufffe',
      '𝒳',
    ].map((each) => [each]),
  },
  composite: {
    kinds: [text, integer, uuid],
    rows: ['a', 'a,1', ',', "'--", 'ä'].flatMap((each) =>
      ['-1', '9007199254740993'].map((n) => [each, n, '081d4fae-7dec-41d0-a765-00a0c91e6bf6']),
    ),
  },
} as const

type IdKind = keyof typeof idKinds

const columnNames = ['k0', 'k1', 'k2'] as const

function declare(is: IdKind, secret: string): Model {
  const { kinds } = idKinds[is]
  const column = columnNames.slice(0, kinds.length)
  const isOne = kinds.length === 1
  const id = isOne
    ? { column: column[0], ...(kinds[0] && { kind: kinds[0] }), client: 'required' }
    : { column, kind: kinds, client: 'required' }
  const fields = {
    rank: attribute(integer),
    name: attribute(text),
    shelf: toOne('shelf', { column: 'shelf_id' }),
  }
  return defineModel(
    [
      resource('item', { path: '/items', table: 'item', id, fields } as never),
      resource('shelf', {
        path: '/shelves',
        table: 'shelf',
        fields: { items: toMany('item', { column: 'shelf_id' }) },
      }),
      resource('other', {
        path: '/others',
        table: 'item',
        id,
        fields: { rank: attribute(integer) },
      } as never),
    ] as never,
    { secret, maxPageSize: 100 },
  ) as Model
}

function fill(is: IdKind, { columnTypes: types }: Database): string {
  const { kinds, rows } = idKinds[is]
  const columns = columnNames.slice(0, kinds.length)
  const typeOf = (kind: unknown) =>
    kind === uuid ? types.uuid : kind === text ? types.text : types.id
  const defined = columns.map((name, at) => `${name} ${typeOf(kinds[at])} not null`)
  const values = rows.map((row, at) => {
    const key = row.map((each) => (/^-?\d+$/.test(each) ? each : `'${each.replaceAll("'", "''")}'`))
    return `(${[...key, at % 3 === 0 ? 'null' : at % 2, at % 4 === 0 ? 'null' : `'n${at % 3}'`, 1].join(', ')})`
  })
  return `create table shelf (id ${types.newId}); insert into shelf (id) values (1);
    create table item (${defined.join(', ')}, rank ${types.integer}, name ${types.text}, shelf_id ${types.id} references shelf (id), primary key (${columns.join(', ')}));
    insert into item (${columns.join(', ')}, rank, name, shelf_id) values ${values.join(', ')};`
}

interface Document {
  readonly data?: unknown
  readonly links?: Readonly<Record<string, string | null>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly errors?: readonly Readonly<{ code: string; detail: string }>[]
}

/** Sends parameters by one of the ways that a list has. */
type Send = (
  path: string,
  parameters: readonly (readonly [string, string])[],
) => Promise<Readonly<{ status: number; document: Document }>>

type Handle = (request: Request) => Promise<Response>

function listWays(handle: Handle): Readonly<Record<string, Send>> {
  const send = async (path: string, init: RequestInit) => {
    const response = await handle(new Request(`http://localhost${path}`, init))
    return { status: response.status, document: JSON.parse(await response.text()) as Document }
  }
  const query = (type: string, body: string) => ({
    method: 'QUERY',
    headers: { 'content-type': type },
    body,
  })
  return {
    GET: (path, parameters) =>
      send(`${path}?${new URLSearchParams(parameters.map(([...pair]) => pair))}`, {}),
    'a QUERY with a form': (path, parameters) =>
      send(
        path,
        query(
          'application/x-www-form-urlencoded',
          String(new URLSearchParams(parameters.map(([...pair]) => pair))),
        ),
      ),
    'a QUERY with JSON': (path, parameters) => {
      const body: Record<string, unknown> = {}
      for (const [name, value] of parameters) setMember(body, name, value)
      return send(path, query('application/json', JSON.stringify(body)))
    },
  }
}

/** Sets a parameter, `includePage[items][after]`, as the member of a JSON body that it is. */
function setMember(body: Record<string, unknown>, parameter: string, value: string): void {
  const names = parameter.split(/[[\]]+/).filter((part) => part !== '')
  const last = names.pop() ?? ''
  let object = body
  for (const name of names) {
    const inner = (object[name] ?? {}) as Record<string, unknown>
    object[name] = inner
    object = inner
  }
  const isList = ['sort', 'include', 'includeSort'].includes(names[0] ?? last)
  object[last] = isList ? value.split(',') : value
}

const sorts = ['id', '-id', 'rank', '-rank,name', 'shelf.id,-id', '-name,rank,-id']

for (const database of databases)
  for (const is of Object.keys(idKinds) as IdKind[])
    it(`given ids of the kind ${is}, then good cursors continue each list, and no other is a page · ${database.name}`, async () => {
      const random = randomOf(seed)
      const open = await database.create()
      await execute(open.url, fill(is, database))
      const model = declare(is, 'the secret of the hostile cursors')
      const store = await openStore(model, open.url)
      const otherModel = declare(is, 'another secret of these cursors')
      const otherStore = await openStore(otherModel, open.url)
      const foreign = createHandler({ model: otherModel, store: otherStore })
      const handle = createHandler({ model, store })
      try {
        for (const [way, send] of Object.entries(listWays(handle)))
          for (const sort of sorts)
            await checkList({ send, label: `${way} ${sort}`, sort, random, foreign })
      } finally {
        await store.close()
        await otherStore.close()
        await open.remove()
      }
    })

interface Check {
  readonly send: Send
  readonly label: string
  readonly sort: string
  readonly random: ReturnType<typeof randomOf>
  readonly foreign: Handle
}

const idsOf = ({ data }: Document): string[] =>
  Array.isArray(data) ? data.map((each) => String(Object(each).id)) : []

async function checkList({ send, label, sort, random, foreign }: Check): Promise<void> {
  const all = await send('/items', [
    ['sort', sort],
    ['page[cursors]', 'true'],
    ['page[size]', '100'],
  ])
  assert.equal(all.status, 200, `${label} ${JSON.stringify(all.document)}`)
  const ids = idsOf(all.document)
  const cursors: string[] = Array.isArray(all.document.data)
    ? all.document.data.map((each) => String(Object(each).meta.page.cursor))
    : []
  for (const path of ['/items', '/shelves/1/items', '/shelves/1/relationships/items'])
    for (const [at, cursor] of cursors.entries()) {
      const after = await send(path, [
        ['sort', sort],
        ['page[after]', cursor],
        ['page[size]', '3'],
      ])
      assert.deepEqual(
        idsOf(after.document),
        ids.slice(at + 1, at + 4),
        `${label} ${path} ${at} ${JSON.stringify(after.document)}`,
      )
      const before = await send(path, [
        ['sort', sort],
        ['page[before]', cursor],
        ['page[size]', '3'],
      ])
      assert.deepEqual(
        idsOf(before.document),
        ids.slice(Math.max(0, at - 3), at),
        `${label} ${path} ${at}`,
      )
    }
  for (const [at, cursor] of cursors.entries()) {
    const members = await send('/shelves/1', [
      ['include', 'items'],
      ['includeSort[items]', sort],
      ['includePage[items][after]', cursor],
      ['includePage[items][size]', '2'],
    ])
    if (members.status === 405) break
    const { relationships } = Object(members.document.data)
    assert.deepEqual(
      idsOf(Object(relationships).items),
      ids.slice(at + 1, at + 3),
      `${label} members ${at} ${JSON.stringify(members.document.errors)}`,
    )
  }
  const [cursor = ''] = cursors
  const other = await foreign(new Request(`http://localhost/items?sort=${sort}&page[cursors]=true`))
  const ofOtherType = sort === 'id' ? [] : cursors.slice(0, 1)
  const bad = [
    ...[
      '',
      ' ',
      'null',
      '0',
      '-1',
      'undefined',
      '\0',
      `${cursor}\0`,
      `\0${cursor}`,
      'a'.repeat(20_000),
      cursor.repeat(100),
    ],
    ...[
      `${cursor}=`,
      `${cursor}A`,
      cursor.slice(1),
      cursor.slice(0, -1),
      cursor.slice(0, 22),
      ` ${cursor}`,
      `${cursor} `,
      cursor.replaceAll(/[-_A]/g, '+'),
      `${cursor}.${cursor}`,
      '𝒳',
    ],
    ...Array.from({ length: 5 * scale }, () => mutate(cursor, random)),
    JSON.parse(await other.text()).data[0].meta.page.cursor,
  ].filter((each) => each !== cursor)
  for (const parameter of ['page[after]', 'page[before]', 'includePage[items][after]'])
    for (const value of bad) {
      const isMember = parameter.startsWith('include')
      const parameters: (readonly [string, string])[] = isMember
        ? [
            ['include', 'items'],
            ['includeSort[items]', sort],
            [parameter, value],
          ]
        : [
            ['sort', sort],
            [parameter, value],
          ]
      const sent = await send(isMember ? '/shelves/1' : '/items', parameters)
      if (sent.status === 405) continue
      const codes = sent.document.errors?.map(({ code }) => code)
      assert.equal(
        sent.status,
        400,
        `${label} ${parameter} ${value.slice(0, 200)} ${JSON.stringify(sent.document)}`,
      )
      assert.deepEqual(
        codes,
        ['invalid_cursor'],
        `${label} ${parameter} ${value.slice(0, 200)} ${JSON.stringify(sent.document).slice(0, 500)}`,
      )
      assert.ok(JSON.stringify(sent.document).length < 2_000, 'the error repeats the cursor')
    }
  for (const value of ofOtherType) {
    const sent = await send('/others', [
      ['sort', 'rank'],
      ['page[after]', value],
    ])
    assert.deepEqual([sent.status, sent.document.errors?.[0]?.code], [400, 'invalid_cursor'], label)
  }
  // JSON has each member once.
  if (!label.includes('JSON')) {
    const twice = await send('/items', [
      ['sort', sort],
      ['page[after]', cursor],
      ['page[after]', cursor],
    ])
    assert.deepEqual(
      [twice.status, twice.document.errors?.map(({ code }) => code)],
      [400, ['repeated_parameter']],
      label,
    )
  }
  for (const order of sorts.filter((each) => each !== sort)) {
    const sent = await send('/items', [
      ['sort', order],
      ['page[after]', cursor],
    ])
    // An order that ends with the id is the same without it.
    if (order === `${sort},id` || sort === `${order},id`) continue
    assert.deepEqual(
      [sent.status, sent.document.errors?.[0]?.code],
      [400, 'invalid_cursor'],
      `${label} as ${order}`,
    )
  }
}

/** Changes one character of a cursor to another that cursors have. */
function mutate(cursor: string, { below, pick }: ReturnType<typeof randomOf>): string {
  const at = below(cursor.length)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return (
    cursor.slice(0, at) +
    pick(letters.split('').filter((each) => each !== cursor[at])) +
    cursor.slice(at + 1)
  )
}

/** Kinds of an attribute, with a value as SQL. */
const attributeKinds = {
  boolean: [boolean, 'true'],
  date: [date, "'2026-01-01'"],
  datetime: [datetime, "'2026-05-01T10:00:00.000001Z'"],
  decimal: [decimal({ precision: 10, scale: 2 }), '1.5'],
  integer: [integer, '5'],
  number: [number, '1.5'],
  text: [text, "'abc'"],
  uuid: [uuid, "'a81d4fae-7dec-41d0-a765-00a0c91e6bf6'"],
} as const

for (const database of databases)
  it(`given a sort key whose kind has changed, then cursors from before are refused · ${database.name}`, async () => {
    const closing: (() => Promise<void>)[] = []
    const serve = async (is: keyof typeof attributeKinds) => {
      const [kind, value] = attributeKinds[is]
      const { newId, [is]: type } = database.columnTypes
      const open = await database.create()
      await execute(
        open.url,
        `create table item (id ${newId}, f ${type}); insert into item (f) values (${value}), (${value}), (null)`,
      )
      const item = resource('item', {
        path: '/items',
        table: 'item',
        fields: { f: attribute(kind as typeof text) },
      })
      const model = defineModel([item], { secret: 'the secret that all of them have' })
      const store = await openStore(model, open.url)
      closing.push(async () => {
        await store.close()
        await open.remove()
      })
      const { GET } = listWays(createHandler({ model, store }))
      assert.ok(GET)
      return GET
    }
    try {
      const cursors = new Map<string, string>()
      const servers = new Map<string, Send>()
      for (const is of Object.keys(attributeKinds) as (keyof typeof attributeKinds)[]) {
        const send = await serve(is)
        servers.set(is, send)
        const { document } = await send('/items', [
          ['sort', 'f'],
          ['page[cursors]', 'true'],
        ])
        cursors.set(is, String(Object(document.data)[0].meta.page.cursor))
      }
      for (const [is, send] of servers)
        for (const [was, cursor] of cursors) {
          const { status, document } = await send('/items', [
            ['sort', 'f'],
            ['page[after]', cursor],
          ])
          const codes = document.errors?.map(({ code }) => code)
          if (is === was) assert.deepEqual([status, idsOf(document)], [200, ['2', '3']])
          else assert.deepEqual([status, codes], [400, ['invalid_cursor']], `${was} as ${is}`)
        }
    } finally {
      for (const close of closing) await close()
    }
  })

/** Changes of a column by which it no longer has a value, with that value. */
const narrowings = [
  ['bigint', 'integer', '6000000000'],
  ['bigint', 'smallint', '40000'],
  ['integer', 'smallint', '40000'],
] as const

// SQLite compares a column of any type with any number.
for (const database of databases.filter(({ dialect }) => dialect === 'postgres'))
  for (const [was, is, value] of narrowings)
    it(`given a sort key whose column was ${was} and is ${is}, then cursors with values of before are refused · ${database.name}`, async () => {
      const item = resource('item', {
        ...{ path: '/items', table: 'item' },
        fields: { f: attribute(integer) },
      })
      const model = defineModel([item], { secret: 'the secret that all of them have' })
      const open = await database.create()
      const serve = async (use: (send: Send) => Promise<void>) => {
        const store = await openStore(model, open.url)
        const { GET } = listWays(createHandler({ model, store }))
        assert.ok(GET)
        await use(GET).finally(() => store.close())
      }
      const rows = `insert into item (f) values (${value}), (1), (2)`
      await execute(
        open.url,
        `create table item (id ${database.columnTypes.newId}, f ${was}); ${rows}`,
      )
      let cursor = ''
      await serve(async (send) => {
        const { document } = await send('/items', [
          ['sort', '-f'],
          ['page[cursors]', 'true'],
        ])
        cursor = String(Object(document.data)[0].meta.page.cursor)
      })
      await execute(open.url, 'delete from item where f > 2')
      await execute(open.url, `alter table item alter f type ${is}`)
      try {
        await serve(async (send) => {
          for (const place of ['after', 'before']) {
            const { status, document } = await send('/items', [
              ['sort', '-f'],
              [`page[${place}]`, cursor],
            ])
            const codes = document.errors?.map(({ code }) => code)
            assert.deepEqual([status, codes], [400, ['invalid_cursor']], place)
          }
        })
      } finally {
        await open.remove()
      }
    })
