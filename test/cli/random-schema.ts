import fc from 'fast-check'

/** Names that collide with something, or are none on the wire as they stand. */
const names = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ...[
        'id',
        'type',
        'links',
        'relationships',
        'name',
        'Name2',
        'status',
        'password',
        'token',
        'index',
        'resources',
      ],
      ...[
        'user',
        'users',
        'User',
        'people',
        'person',
        'children',
        'OrderItem',
        'order_items',
        'ORDER_LINE',
        'a-b',
      ],
      ...[
        'parent_id',
        'owner_id',
        'OwnerId',
        'artistid',
        'class',
        'default',
        'text',
        'date',
        'resource',
        'attribute',
      ],
      ...[
        'constructor',
        'toString',
        'valueOf',
        '__proto__',
        'a__b',
        '_x',
        'x_',
        '2fa',
        '2020',
        'größe',
        '日本',
        '€',
      ],
      ...['order details', "it's", 'say "x"', '$money', 'kind', 'email'],
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 30, max: 63 })
      .map((length) => 'long_name_'.repeat(7).slice(0, length)),
  },
)

const types = fc.constantFrom(
  ...[
    'integer',
    'int',
    'bigint',
    'text',
    'varchar(20)',
    'numeric(10,2)',
    'numeric(30,2)',
    'decimal',
    'real',
    'point',
  ],
  ...['date', 'datetime', 'time', 'uuid', 'json', 'blob', 'boolean', 'string', ''],
)

const values = fc.uniqueArray(
  fc.constantFrom(
    'open',
    'closed',
    "it's",
    'a "b"',
    'waiting for something',
    'a rather long value',
  ),
  { minLength: 1 },
)

const column = fc.record({
  name: names,
  type: types,
  isNeeded: fc.boolean(),
  isUnique: fc.boolean(),
  hasDefault: fc.boolean(),
  values: fc.option(values),
  /** The table that it leads to, by its number; some have none. */
  to: fc.nat(11),
})

const table = fc.record({
  name: names,
  columns: fc.uniqueArray(column, { minLength: 1, maxLength: 7, selector: lowerName }),
  key: fc.constantFrom('the first', 'the first two', 'none', 'its own'),
})
type Table = typeof table extends fc.Arbitrary<infer Each> ? Each : never

/** SQL that makes a few tables such as nobody would make. */
export const schemas: fc.Arbitrary<string> = fc
  .uniqueArray(table, { minLength: 1, maxLength: 6, selector: lowerName })
  .map((tables) => tables.map((each) => sqlOf(each, tables)).join(';\n'))

function sqlOf({ name, columns, key }: Table, tables: readonly Table[]): string {
  const [first, second] = columns
  const hasId = columns.some((each) => each.name === 'id')
  const keys = { 'the first': [first], 'the first two': [first, second], none: [], 'its own': [] }
  const keyed = keys[key].flatMap((each) => (each === undefined ? [] : id(each.name)))
  const parts = [
    ...(key === 'its own' && !hasId ? ['id integer primary key'] : []),
    ...columns.map((each) => columnSql(each, tables)),
    ...(keyed.length > 0 ? [`primary key (${keyed.join(', ')})`] : []),
  ]
  return `create table ${id(name)} (${parts.join(', ')})`
}

function columnSql(
  { name, type, isNeeded, isUnique, hasDefault, values: some, to }: Table['columns'][number],
  tables: readonly Table[],
): string {
  const target = tables[to]
  return [
    `${id(name)} ${type}`,
    isNeeded ? 'not null' : '',
    isUnique ? 'unique' : '',
    hasDefault ? "default 'x'" : '',
    some ? `check (${id(name)} in (${some.map(literal).join(', ')}))` : '',
    target ? `references ${id(target.name)}` : '',
  ].join(' ')
}

function lowerName({ name }: Readonly<{ name: string }>): string {
  return name.toLowerCase()
}

function id(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
