import fc from 'fast-check'

/** Names that collide with other names, or that are not valid member names. */
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
  /** The index of the table that it references. A greater index than the last one means none. */
  to: fc.nat(11),
})

const table = fc.record({
  name: names,
  columns: fc.uniqueArray(column, { minLength: 1, maxLength: 7, selector: lowerName }),
  key: fc.constantFrom('the first', 'the first two', 'the first three', 'none', 'its own'),
  /** The index of the table whose composite key a foreign key references; as in a column, a great index means none. */
  toKey: fc.nat(8),
})
type Table = typeof table extends fc.Arbitrary<infer Each> ? Each : never
/** A column of a random table. */
export type Column = Table['columns'][number]
/** The tables of a schema. */
export type Tables = readonly Table[]

/** Schemas of one to six tables with unusual names, types and keys. */
export const schemas: fc.Arbitrary<Tables> = fc.uniqueArray(table, {
  minLength: 1,
  maxLength: 6,
  selector: lowerName,
})

/** SQL that creates the tables in SQLite, which accepts almost every declaration. */
export function sqliteSql(tables: Tables): string {
  return tables.map((each) => sqliteTable(each, tables)).join(';\n')
}

function sqliteTable({ name, columns, key, toKey }: Table, tables: Tables): string {
  const keyed = keyOf({ columns, key })
  const references = listReferences({ columns, toKey }, tables)
  const parts = [
    ...(hasOwnKey({ columns, key }) ? ['id integer primary key'] : []),
    ...columns.map((each) => sqliteColumn(each, tables)),
    ...references.map(({ name: own, type }) => `${id(own)} ${type}`),
    ...(keyed.length > 0 ? [`primary key (${keyed.join(', ')})`] : []),
    ...(references.length > 0 ? [compositeKey(references, tables[toKey])] : []),
  ]
  return `create table ${id(name)} (${parts.join(', ')})`
}

function sqliteColumn(
  { name, type, isNeeded, isUnique, hasDefault, values: some, to }: Column,
  tables: Tables,
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

/** A column of a composite foreign key, and the column that it references. */
interface Reference {
  readonly name: string
  readonly type: string
  readonly referenced: Column
}

/** The columns of a composite foreign key, of the types of the key that it references; none if there is no such key. */
export function listReferences(
  { columns, toKey }: Pick<Table, 'columns' | 'toKey'>,
  tables: Tables,
): readonly Reference[] {
  const target = tables[toKey]
  const keyed = target ? keyColumns(target) : []
  const taken = columns.map(lowerName)
  return keyed.length < 2 || taken.includes('ref 1')
    ? []
    : keyed.map((referenced, at) => {
        return { name: `ref ${at + 1}`, type: referenced.type, referenced }
      })
}

function compositeKey(references: readonly Reference[], target: Table | undefined): string {
  const own = references.map(({ name }) => id(name)).join(', ')
  const keys = references.map(({ referenced }) => id(referenced.name)).join(', ')
  return `foreign key (${own}) references ${id(target?.name ?? '')} (${keys})`
}

/** The PostgreSQL types that replace types which only SQLite accepts. */
const postgresTypes: Readonly<Record<string, string>> = {
  datetime: 'timestamp(3)',
  blob: 'bytea',
  string: 'char(5)',
  '': 'text[]',
}

/** SQL that creates the tables in PostgreSQL, with those of their keys that it accepts. */
export function postgresSql(tables: Tables): string {
  const keys = [...tables.flatMap(ownKeys), ...tables.flatMap((each) => foreignKeys(each, tables))]
  return [
    ...tables.map((each) => postgresTable(each, tables)),
    ...keys.map((key) => `do $do$ begin ${key}; exception when others then null; end $do$`),
  ].join(';\n')
}

function postgresTable({ name, columns, key, toKey }: Table, tables: Tables): string {
  const own = hasOwnKey({ columns, key })
    ? ['id integer generated by default as identity primary key']
    : []
  const parts = columns.map(({ name: column, isNeeded, hasDefault, values: some, ...rest }) => {
    const type = postgresType(rest, tables)
    const isText = /^(?:text|varchar.*)$/.test(type)
    return [
      `${id(column)} ${type}`,
      isNeeded ? 'not null' : '',
      isText && hasDefault ? "default 'open'" : '',
      isText && some ? `check (${id(column)} in (${some.map(literal).join(', ')}))` : '',
    ].join(' ')
  })
  const references = listReferences({ columns, toKey }, tables).map(
    ({ name: each, referenced }) => `${id(each)} ${postgresType(referenced, tables)}`,
  )
  return `create table ${id(name)} (${[...own, ...parts, ...references].join(', ')})`
}

/** A foreign key column has the type of the key that it references, as PostgreSQL requires. */
export function postgresType({ type, to }: Pick<Column, 'type' | 'to'>, tables: Tables): string {
  const target = tables[to]
  const isFirst = target?.key === 'the first'
  const found =
    target === undefined ? type : isFirst ? (target.columns[0]?.type ?? type) : 'integer'
  return postgresTypes[found] ?? found
}

function ownKeys({ name, columns, key }: Table): string[] {
  const keyed = keyOf({ columns, key })
  return [
    ...(keyed.length > 0 ? [`alter table ${id(name)} add primary key (${keyed.join(', ')})`] : []),
    ...columns.flatMap(({ name: column, isUnique }) =>
      isUnique ? [`alter table ${id(name)} add unique (${id(column)})`] : [],
    ),
  ]
}

function foreignKeys({ name, columns, toKey }: Table, tables: Tables): string[] {
  const references = listReferences({ columns, toKey }, tables)
  const composite =
    references.length > 0
      ? [`alter table ${id(name)} add ${compositeKey(references, tables[toKey])}`]
      : []
  const single = columns.flatMap(({ name: column, to }) => {
    const target = tables[to]
    if (target === undefined) return []
    return [`alter table ${id(name)} add foreign key (${id(column)}) references ${id(target.name)}`]
  })
  return [...single, ...composite]
}

function hasOwnKey({ columns, key }: Pick<Table, 'columns' | 'key'>): boolean {
  return key === 'its own' && !columns.some(({ name }) => name === 'id')
}

function keyOf(table: Pick<Table, 'columns' | 'key'>): string[] {
  return keyColumns(table).map(({ name }) => id(name))
}

function keyColumns({ columns, key }: Pick<Table, 'columns' | 'key'>): readonly Column[] {
  const lengths = {
    'the first': 1,
    'the first two': 2,
    'the first three': 3,
    none: 0,
    'its own': 0,
  }
  return columns.slice(0, lengths[key])
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
