import {
  attribute,
  createHandler,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  number,
  resource,
  sql,
  text,
  time,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import { openPostgres } from 'lapidary/postgres'
import { openSqlite } from 'lapidary/sqlite'
import type { ColumnTypes, Database } from '../databases.ts'
import type { Random } from './random-choices.ts'

// Lists that cursors walk through: items with a column of each kind that has an order, whose makers and whose makers' countries are
// related, and whose parts are counted; and slots, whose id has several columns.

const levels = ['high', 'low', 'mid'] as const
const paths = { rank: integer, city: text }

const item = resource('item', {
  path: '/items',
  table: 'item',
  id: { column: 'id', client: 'optional' },
  fields: {
    name: attribute(text),
    size: attribute(integer),
    serial: attribute(integer64()),
    ratio: attribute(number),
    price: attribute(decimal({ precision: 30, scale: 12 })),
    made: attribute(date),
    seen: attribute(datetime),
    clock: attribute(time),
    code: attribute(uuid),
    level: attribute(enumeration([...levels])),
    settings: attribute(json, { paths }),
    doubled: expression(integer, (column) => sql`${column('size')} * 2`),
    maker: toOne('maker', { column: 'maker_id' }),
    parts: toMany('part', { column: 'item_id', count: true }),
    slots: toMany('slot', { column: 'item_id' }),
  },
})

const maker = resource('maker', {
  path: '/makers',
  table: 'maker',
  fields: {
    name: attribute(text),
    founded: attribute(date),
    country: toOne('country', { column: 'country_id' }),
    items: toMany('item', { column: 'maker_id', count: true }),
  },
})

const country = resource('country', {
  path: '/countries',
  table: 'country',
  fields: { name: attribute(text), makers: toMany('maker', { column: 'country_id', count: true }) },
})

const part = resource('part', {
  path: '/parts',
  table: 'part',
  fields: { name: attribute(text), item: toOne('item', { column: 'item_id' }) },
})

const slot = resource('slot', {
  path: '/slots',
  table: 'slot',
  id: { column: ['place', 'number'], kind: [text, integer], client: 'required' },
  fields: { weight: attribute(integer), item: toOne('item', { column: 'item_id' }) },
})

/** A term of a sort of items; `-` in front of it reverses it. */
export const itemTerms: readonly string[] = [
  ...Object.keys(item.fields).filter(
    (name) => !['maker', 'parts', 'slots', 'settings'].includes(name),
  ),
  ...[
    'id',
    'settings.rank',
    'settings.city',
    'parts.count',
    'maker.id',
    'maker.name',
    'maker.founded',
  ],
  ...['maker.items.count', 'maker.country.name', 'maker.country.makers.count'],
]

/** A term of a sort of slots. */
export const slotTerms: readonly string[] = [
  ...['weight', 'id', 'item.name', 'item.maker.country.name', 'item.parts.count', 'item.id'],
]

/** A server of the lists. */
export interface ListServer {
  /** Sends a request. @returns the status, and the document */
  send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<{ status: number; document: Document }>>
  close(): Promise<void>
}

/** A document, as far as walks read it. */
export interface Document {
  readonly data: readonly Readonly<{ id: string; meta?: { page: { cursor: string } } }>[]
  readonly links: Readonly<Record<string, string | null>>
  readonly meta?: Readonly<{ count?: number; page?: Readonly<Record<string, unknown>> }>
  readonly errors?: readonly Readonly<Record<string, unknown>>[]
}

/** Serves the lists on a new database with random rows, the same on each database for the same random numbers. */
export async function serveLists(database: Database, random: Random): Promise<ListServer> {
  const model = defineModel([item, maker, country, part, slot], {
    maxPageSize: null,
    secret: 'the secret of the walks',
  })
  const open = await database.create()
  await open.second?.execute(
    writeTables(database.columnTypes, random, database.dialect === 'postgres'),
  )
  const store = open.url.startsWith('sqlite:')
    ? openSqlite(model, open.url.slice('sqlite:'.length))
    : await openPostgres(model, open.url, { poolSize: 1 })
  await store.verify()
  const handle = createHandler({ model, store })
  return {
    send: async (method, path, body) => {
      const headers = { 'content-type': 'application/vnd.api+json' }
      const init = body === undefined ? { method } : { method, headers, body: writeBody(body) }
      const response = await handle(new Request(new URL(path, 'http://localhost'), init))
      const content = await response.text()
      return { status: response.status, document: content === '' ? {} : JSON.parse(content) }
    },
    close: async () => {
      await store.close()
      await open.remove()
    },
  }
}

/** Writes a body, with 64-bit integers as numbers. */
function writeBody(body: unknown): string {
  return JSON.stringify(body).replace(/"serial":"(-?\d+)"/, '"serial":$1')
}

/** Ids up to this one are those of rows that nothing changes during a walk. */
export const stableItems = 14
const makers = 4
const countries = 2

/** Random texts of the values of the fields of an item, as a document contains them; null for none. */
export function randomItem({ pick, chance }: Random): Readonly<Record<string, unknown>> {
  const orNull = <Value>(...values: readonly Value[]): Value | null =>
    chance(0.3) ? null : pick(values)
  return {
    name: orNull(
      '',
      'a',
      'B',
      'b',
      'ä',
      'aa',
      '𝒳',
      '\uffee',
      "it's",
      'a'.repeat(600),
      `${'a'.repeat(600)}b`,
    ),
    size: orNull(0, -1, 1, 2 ** 31),
    serial: orNull('9223372036854775807', '9223372036854775806', '-9223372036854775808', '0'),
    ratio: orNull(0.1, 0.1 + 0.2, 0.3, -1e-300, 1.7976931348623157e308, -0),
    price: orNull('1.000000000001', '1.000000000002', '1', '-99999999999999999.5'),
    made: orNull('2026-05-01', '0001-01-01', '9999-12-31'),
    seen: orNull(
      '2026-05-01T10:00:00.000001Z',
      '2026-05-01T10:00:00.000002Z',
      '2026-05-01T10:00:00Z',
    ),
    clock: orNull('10:00:00', '10:00:00.000001', '23:59:59.999999'),
    code: orNull('00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000001'),
    level: orNull(...levels),
    settings: orNull({ rank: 1 }, { rank: 2, city: 'x' }, { city: 'X' }, {}),
  }
}

/** The tables and their rows. */
function writeTables(types: ColumnTypes, random: Random, isPostgres: boolean): string {
  const { integer: whole, text: string } = types
  const columns = [
    'name',
    'size',
    'serial',
    'ratio',
    'price',
    'made',
    'seen',
    'clock',
    'code',
    'level',
    'settings',
  ]
  const columnTypes = [
    string,
    whole,
    types.integer64,
    types.number,
    types.decimal,
    types.date,
    types.datetime,
    types.time,
    types.uuid,
    types.enumeration,
    types.json,
  ]
  const indexes = columns.filter((name) => name !== 'settings' && random.chance(0.5))
  return [
    `create table country (id ${types.newId}, name ${string})`,
    `create table maker (id ${types.newId}, name ${string}, founded ${types.date}, country_id ${types.id})`,
    `create table item (id ${types.newId}, ${columns.map((name, index) => `${name} ${columnTypes[index]}`).join(', ')}, maker_id ${types.id})`,
    `create table part (id ${types.newId}, name ${string}, item_id ${types.id})`,
    `create table slot (place ${string} not null, number ${whole} not null, weight ${whole}, item_id ${types.id}, primary key (place, number))`,
    ...indexes.map(
      (name) =>
        `create index item_${name} on item (${isPostgres && name === 'name' ? 'name collate "C"' : name}, id)`,
    ),
    'create index maker_name on maker (name)',
    'create index item_maker on item (maker_id)',
    ...writeRows(columns, random, isPostgres),
  ].join(';\n')
}

function writeRows(columns: readonly string[], random: Random, isPostgres: boolean): string[] {
  const { pick, chance } = random
  const literal = (value: unknown): string => {
    if (value === null || value === undefined) return 'null'
    if (typeof value === 'number') return Object.is(value, -0) ? '-0.0' : String(value)
    if (typeof value === 'object') return `'${JSON.stringify(value)}'`
    return `'${String(value).replaceAll("'", "''")}'`
  }
  const insert = (table: string, names: readonly string[], rows: readonly (readonly unknown[])[]) =>
    `insert into ${table} (${names.join(', ')}) values ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`
  const stored = (name: string, value: unknown) =>
    !isPostgres && name === 'seen' && typeof value === 'string'
      ? value.replace('00Z', '00.000000Z')
      : value
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const someOf = (count: number) => (chance(0.2) ? null : pick(numbers(count)))
  const items = numbers(stableItems).map((id) => {
    const values = randomItem(random)
    return [id, ...columns.map((name) => stored(name, values[name])), someOf(makers)]
  })
  const places = ['a', 'B', 'b', 'a,b', '~']
  const slots = places.flatMap((place) =>
    numbers(3).map((each) => [place, each, pick([1, 2, null]), someOf(stableItems)]),
  )
  const reset = ['country', 'maker', 'item', 'part'].map(
    (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 100)`,
  )
  return [
    insert(
      'country',
      ['id', 'name'],
      numbers(countries).map((id) => [id, pick(['x', 'y', null])]),
    ),
    insert(
      'maker',
      ['id', 'name', 'founded', 'country_id'],
      numbers(makers).map((id) => [
        id,
        pick(['m', 'M', 'n', null]),
        pick(['2000-01-01', null]),
        someOf(countries),
      ]),
    ),
    insert('item', ['id', ...columns, 'maker_id'], items),
    insert(
      'part',
      ['id', 'name', 'item_id'],
      numbers(12).map((id) => [id, 'p', someOf(stableItems)]),
    ),
    insert('slot', ['place', 'number', 'weight', 'item_id'], slots),
    ...(isPostgres ? reset : []),
  ]
}
