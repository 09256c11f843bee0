import {
  attribute,
  boolean,
  date,
  datetime,
  decimal,
  defineModel,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  type Model,
  number,
  resource,
  sql,
  text,
  time,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import type { Random } from '../random-choices.ts'

// Random schemas of lists that cursors walk through: items with columns of any kinds, null or not, with or without indexes; their
// makers and the countries of these, which are related; parts, which are counted; and slots, whose id has several columns.

const levels = ['high', 'low', 'mid'] as const
const long = 'a'.repeat(600)

/** The kinds of attributes that have an order, and values at its edges, as documents contain them. */
const kinds = {
  text: {
    kind: text,
    values: ['', 'a', 'B', 'b', 'ä', 'aa', '𝒳', '\uffee', "it's", long, `${long}b`],
  },
  integer: { kind: integer, values: [0, -1, 1, 2 ** 31] },
  integer64: {
    kind: integer64(),
    values: ['9223372036854775807', '9223372036854775806', '-9223372036854775808', '0'],
  },
  number: { kind: number, values: [0.1, 0.1 + 0.2, 0.3, -1e-300, 1.7976931348623157e308, -0] },
  decimal: {
    kind: decimal({ precision: 30, scale: 12 }),
    values: ['1.000000000001', '1.000000000002', '1', '-99999999999999999.5'],
  },
  boolean: { kind: boolean, values: [true, false] },
  date: { kind: date, values: ['2026-05-01', '0001-01-01', '9999-12-31'] },
  datetime: {
    kind: datetime,
    values: ['2026-05-01T10:00:00.000001Z', '2026-05-01T10:00:00.000002Z', '2026-05-01T10:00:00Z'],
  },
  time: { kind: time, values: ['10:00:00', '10:00:00.000001', '23:59:59.999999'] },
  uuid: {
    kind: uuid,
    values: ['00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000001'],
  },
  enumeration: { kind: enumeration([...levels]), values: [...levels] },
  json: { kind: json, values: [{ rank: 1 }, { rank: 2, city: 'x' }, { city: 'X' }, {}] },
} as const

type KindName = keyof typeof kinds

/** A column with an attribute. */
interface Column {
  readonly name: string
  readonly kind: KindName
  readonly isNullable: boolean
}

/** An index, as its columns with their directions. */
type Index = readonly (readonly [column: Column, direction: 'asc' | 'desc'])[]

/** What is random about the tables and their declarations. */
interface ListSchema {
  readonly item: readonly Column[]
  readonly maker: readonly Column[]
  readonly country: readonly Column[]
  readonly indexes: readonly Index[]
  /** Whether keys have constraints, so that each leads to a row. */
  readonly isEnforced: boolean
  /** The columns of the id of a slot, in their order. */
  readonly slotId: readonly ('place' | 'number')[]
}

/** Draws a schema. */
export function drawSchema(random: Random): ListSchema {
  const { below, pick, chance } = random
  const drawColumns = (table: string, least: number, most: number): Column[] =>
    Array.from({ length: least + below(most - least + 1) }, (_, index) => ({
      name: `${table}${index}`,
      kind: pick(Object.keys(kinds) as KindName[]),
      isNullable: chance(0.7),
    }))
  const item = drawColumns('f', 1, 7)
  const indexed = item.filter(({ kind }) => kind !== 'json')
  const drawIndex = (): Index =>
    indexed
      .filter(() => chance(0.4))
      .slice(0, 3)
      .map((column) => [column, pick(['asc', 'desc'])] as const)
  return {
    ...{ item, maker: drawColumns('g', 1, 3), country: drawColumns('h', 1, 2) },
    indexes: Array.from({ length: below(4) }, drawIndex),
    isEnforced: chance(0.5),
    slotId: pick([
      ['place', 'number'],
      ['number', 'place'],
    ]),
  }
}

/** Lists the terms of a sort by the attributes of a table, also through a relationship. */
function listTerms(columns: readonly Column[], path = ''): string[] {
  return columns.flatMap(({ name, kind }) =>
    kind === 'json' ? [`${path}${name}.rank`, `${path}${name}.city`] : [`${path}${name}`],
  )
}

/** Lists the terms of a sort of items; `-` in front of one reverses it. */
export function listItemTerms({ item, maker, country }: ListSchema): readonly string[] {
  return [
    ...[...listTerms(item), 'id', 'parts.count', ...Object.keys(declareExpressions(item))],
    ...['maker.id', 'maker.items.count', 'maker.country.makers.count'],
    ...[...listTerms(maker, 'maker.'), ...listTerms(country, 'maker.country.')],
  ]
}

/** Lists the terms of a sort of slots. */
export function listSlotTerms({ item, country }: ListSchema): readonly string[] {
  const related = [...listTerms(item, 'item.'), ...listTerms(country, 'item.maker.country.')]
  return ['weight', 'id', 'item.parts.count', 'item.id', ...related]
}

function declareAttributes(columns: readonly Column[]) {
  const paths = { rank: integer, city: text }
  return Object.fromEntries(
    columns.map(({ name, kind, isNullable }) => {
      const required = isNullable ? {} : { required: true }
      const declared =
        kind === 'json'
          ? attribute(json, { paths, ...required })
          : attribute(kinds[kind].kind as typeof text, required)
      return [name, declared]
    }),
  )
}

/** Declares an expression over each integer and each text. */
function declareExpressions(columns: readonly Column[]) {
  return Object.fromEntries(
    columns.flatMap(({ name, kind }): [string, ReturnType<typeof expression>][] => {
      const at = `${name}x`
      if (kind === 'integer')
        return [[at, expression(integer, (column) => sql`${column(name)} * -2`)]]
      if (kind !== 'text') return []
      return [[at, expression(text, (column) => sql`substr(${column(name)}, 1, 1)`)]]
    }),
  )
}

/** Declares the types of a schema. */
export function declareLists({ item, maker, country, slotId }: ListSchema): Model {
  const slotKinds = { place: text, number: integer }
  const resources = [
    resource('item', {
      path: '/items',
      table: 'item',
      id: { column: 'id', client: 'optional' },
      fields: {
        ...{ ...declareAttributes(item), ...declareExpressions(item) },
        maker: toOne('maker', { column: 'maker_id' }),
        parts: toMany('part', { column: 'item_id', count: true }),
        slots: toMany('slot', { column: 'item_id' }),
      },
    }),
    resource('maker', {
      path: '/makers',
      table: 'maker',
      fields: {
        ...declareAttributes(maker),
        country: toOne('country', { column: 'country_id' }),
        items: toMany('item', { column: 'maker_id', count: true }),
      },
    }),
    resource('country', {
      path: '/countries',
      table: 'country',
      fields: {
        ...declareAttributes(country),
        makers: toMany('maker', { column: 'country_id', count: true }),
      },
    }),
    resource('part', {
      path: '/parts',
      table: 'part',
      fields: { name: attribute(text), item: toOne('item', { column: 'item_id' }) },
    }),
    resource('slot', {
      path: '/slots',
      table: 'slot',
      id: { column: [...slotId], kind: slotId.map((name) => slotKinds[name]), client: 'required' },
      fields: { weight: attribute(integer), item: toOne('item', { column: 'item_id' }) },
    } as never),
  ]
  // The types of random fields are not known.
  return defineModel(resources as never, {
    maxPageSize: null,
    secret: 'the secret of the walks',
  }) as Model
}

/** Ids up to this one are those of rows that nothing changes during a walk. */
export const stableItems = 14
const makers = 4
/** No row has this id. */
const danglingId = 99
const countries = 2

/** Draws the values of a row, as a document contains them; null for none. */
export function drawRow(
  columns: readonly Column[],
  { pick, chance }: Random,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map(({ name, kind, isNullable }) => [
      name,
      isNullable && chance(0.3) ? null : pick<unknown>(kinds[kind].values),
    ]),
  )
}

/** Writes the tables and their rows. */
export function writeLists(
  schema: ListSchema,
  types: ColumnTypes,
  random: Random,
  isPostgres: boolean,
): string {
  const { item, maker, country, indexes, isEnforced, slotId } = schema
  const { integer: whole, text: string } = types
  const toKey = (table: string) => `${types.id}${isEnforced ? ` references ${table}` : ''}`
  const define = (columns: readonly Column[]) =>
    columns.map(
      ({ name, kind, isNullable }) => `${name} ${types[kind]}${isNullable ? '' : ' not null'}`,
    )
  const writeIndex = (index: Index, at: number) => {
    const keys = index.map(([{ name, kind }, direction]) => {
      const collation = isPostgres && kind === 'text' ? ' collate "C"' : ''
      return `${name}${collation} ${direction}`
    })
    return `create index item_${at} on item (${[...keys, 'id'].join(', ')})`
  }
  return [
    `create table country (id ${types.newId}, ${define(country).join(', ')})`,
    `create table maker (id ${types.newId}, ${define(maker).join(', ')}, country_id ${toKey('country')})`,
    `create table item (id ${types.newId}, ${define(item).join(', ')}, maker_id ${toKey('maker')})`,
    `create table part (id ${types.newId}, name ${string}, item_id ${types.id})`,
    `create table slot (place ${string} not null, number ${whole} not null, weight ${whole}, item_id ${types.id}, primary key (${slotId.join(', ')}))`,
    ...indexes.map(writeIndex),
    'create index item_maker on item (maker_id)',
    ...writeRows(schema, random, isPostgres),
  ].join(';\n')
}

/** Writes a value of a column as SQL. */
function toLiteral(value: unknown, kind: KindName | undefined, isPostgres: boolean): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number') return Object.is(value, -0) ? '-0.0' : String(value)
  if (typeof value === 'boolean') return isPostgres ? String(value) : String(Number(value))
  if (typeof value === 'object') return `'${JSON.stringify(value)}'`
  const stored =
    kind === 'datetime' && !isPostgres ? String(value).replace('00Z', '00.000000Z') : String(value)
  return `'${stored.replaceAll("'", "''")}'`
}

/** Texts that only other programs store, and only SQLite has: with U+0000, or not UTF-8. */
const foreignTexts = [
  "'a' || char(0)",
  "'a' || char(0) || 'b'",
  "cast(x'61ff' as text)",
  "cast(x'61fe00' as text)",
  `'${long}' || char(0) || 'b'`,
  'char(65533)',
]

/** Writes the changes of some rows by other programs. */
export function writeForeignTexts({ item, maker }: ListSchema, random: Random): string {
  const write = (table: string, columns: readonly Column[], count: number) =>
    columns
      .filter(({ kind }) => kind === 'text')
      .flatMap(({ name }) =>
        Array.from({ length: count }, (_, index) =>
          random.chance(0.4)
            ? [`update ${table} set ${name} = ${random.pick(foreignTexts)} where id = ${index + 1}`]
            : [],
        ).flat(),
      )
  return [...write('item', item, stableItems), ...write('maker', maker, makers)].join(';\n')
}

function writeRows(schema: ListSchema, random: Random, isPostgres: boolean): string[] {
  const { pick, chance } = random
  const { item, maker, country, isEnforced } = schema
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  // Without a constraint a key may reference no row.
  const dangling = isEnforced ? [] : [danglingId]
  const someOf = (count: number) => (chance(0.2) ? null : pick([...numbers(count), ...dangling]))
  const insert = (table: string, names: readonly string[], rows: readonly (readonly string[])[]) =>
    `insert into ${table} (${names.join(', ')}) values ${rows.map((row) => `(${row.join(', ')})`).join(', ')}`
  const fill = (
    table: string,
    columns: readonly Column[],
    count: number,
    key?: [string, number],
  ) => {
    const rows = numbers(count).map((id) => {
      const row = drawRow(columns, random)
      const values = columns.map(({ name, kind }) => toLiteral(row[name], kind, isPostgres))
      return [String(id), ...values, ...(key ? [String(someOf(key[1]))] : [])]
    })
    const names = ['id', ...columns.map(({ name }) => name), ...(key ? [key[0]] : [])]
    return insert(table, names, rows)
  }
  const slots = ['a', 'B', 'b', 'a,b', '~'].flatMap((place) =>
    numbers(3).map((each) =>
      [place, each, pick([1, 2, null]), someOf(stableItems)].map((value) =>
        toLiteral(value, undefined, isPostgres),
      ),
    ),
  )
  const reset = ['country', 'maker', 'item', 'part'].map(
    (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 100)`,
  )
  return [
    fill('country', country, countries),
    fill('maker', maker, makers, ['country_id', countries]),
    fill('item', item, stableItems, ['maker_id', makers]),
    fill('part', [], 12, ['item_id', stableItems]),
    insert('slot', ['place', 'number', 'weight', 'item_id'], slots),
    ...(isPostgres ? reset : []),
  ]
}
