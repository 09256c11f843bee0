import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { StoredColumn } from 'lapidary'
import { readSqliteCatalog } from 'lapidary/sqlite'
import { generateDeclarations } from '../../cli/introspect/generate-declarations.ts'
import { inferKind } from '../../cli/introspect/infer-kind.ts'
import {
  createProject,
  createSqliteDatabase,
  importGenerated,
  verifiedModel,
} from './generated-project.ts'

/** Column types, each with the kind that is inferred from it; `undefined` for none. */
type ExpectedKinds = Readonly<Record<string, string | undefined>>

/** The kind of an unknown type, without a sample of its values. */
const readOnlyText = "databaseText, { access: 'read-only' }"

const sqliteTypes: ExpectedKinds = {
  INTEGER: 'integer',
  INT: 'integer',
  'TINYINT(1)': 'integer',
  SMALLINT: 'integer',
  MEDIUMINT: 'integer',
  INT2: 'integer',
  'INT UNSIGNED': 'integer',
  BIGINT: 'integer64()',
  INT8: 'integer64()',
  'UNSIGNED BIG INT': 'integer64()',
  REAL: 'number',
  'DOUBLE PRECISION': 'number',
  FLOAT: 'number',
  NUMERIC: 'number',
  DECIMAL: 'number',
  'NUMERIC(10,2)': 'decimal({ precision: 10, scale: 2 })',
  'DECIMAL(15)': 'decimal({ precision: 15, scale: 0 })',
  'decimal ( 10 , 5 )': 'decimal({ precision: 10, scale: 5 })',
  'NUMERIC(20,2)': 'number',
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TEXT: 'text',
  'VARCHAR(20)': 'text',
  'NVARCHAR(120)': 'text',
  'CHARACTER VARYING(9)': 'text',
  CLOB: 'text',
  DATE: 'date',
  DATETIME: 'datetime',
  TIMESTAMP: 'datetime',
  'TIMESTAMP WITH TIME ZONE': 'datetime',
  TIME: 'time',
  UUID: 'uuid',
  UNIQUEIDENTIFIER: 'uuid',
  JSON: 'json',
  BLOB: 'bytes',
  'VARBINARY(16)': 'bytes',
  'BIGINT UNSIGNED': 'integer64()',
  'INT ZEROFILL': 'integer64()',
  'LONG DOUBLE': 'number',
  STRING: readOnlyText,
  POINT: readOnlyText,
  INTERVAL: readOnlyText,
  YEAR: readOnlyText,
  INET: readOnlyText,
  CHARINT: readOnlyText,
  '': undefined,
}

const postgresTypes: ExpectedKinds = {
  smallint: 'integer',
  integer: 'integer',
  int2: 'integer',
  int4: 'integer',
  bigint: 'integer64()',
  int8: 'integer64()',
  'numeric(10,2)': 'decimal({ precision: 10, scale: 2 })',
  'numeric(30,10)': 'decimal({ precision: 30, scale: 10 })',
  'numeric(5,0)': 'decimal({ precision: 5, scale: 0 })',
  'numeric(2,5)': 'decimal()',
  'numeric(2,-3)': 'decimal()',
  numeric: 'decimal()',
  real: 'number',
  'double precision': 'number',
  float8: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  'timestamp without time zone': 'datetime',
  'timestamp(3) with time zone': 'datetime',
  timestamptz: 'datetime',
  'time without time zone': 'time',
  time: 'time',
  'time with time zone': 'databaseText',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'json',
  bytea: 'bytes',
  text: 'text',
  'character varying(20)': 'text',
  varchar: 'text',
  'character(3)': 'text',
  bpchar: 'text',
  citext: 'text',
  name: 'databaseText',
  'text[]': 'array',
  'integer[]': 'array',
  interval: 'databaseText',
  'interval year to month': 'databaseText',
  'bit varying(5)': 'databaseText',
  point: 'databaseText',
  money: 'databaseText',
  'public.mood': 'databaseText',
  composite: 'databaseJson',
  'composite[]': 'databaseJson',
  hstore: 'databaseJson',
  tsvector: undefined,
  'tsquery[]': undefined,
}

function column(type: string, values?: readonly string[]): StoredColumn {
  const plain = { name: 'x', type, nullable: true, hasDefault: false, writable: true }
  return values === undefined ? plain : { ...plain, values }
}

describe('The kind inferred from a SQLite column type', () => {
  const columns = Object.keys(sqliteTypes).map((type, index) => `c${index} ${type}`)
  const sql = `create table a (id integer primary key, ${columns.join(', ')})`

  let directory: string
  let path: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lapidary-'))
    path = createSqliteDatabase(directory, 'a', sql)
  })
  after(() => rm(directory, { recursive: true, force: true }))

  for (const [index, [type, kind]] of Object.entries(sqliteTypes).entries()) {
    it(`"${type}" is ${kind ?? 'none'}`, () => {
      const [a] = generateDeclarations(readSqliteCatalog(path)).resources
      const line = kind === undefined ? `// c${index} is omitted` : `c${index}: attribute(${kind})`
      assert.ok(a?.text.includes(`  ${line}`), `${line}\n${a?.text}`)
    })
  }

  it('can store every value of the column', async (test) => {
    const url = `sqlite:${path}`
    await verifiedModel(await importGenerated(await createProject(test), 'a', url), url)
  })
})

describe('The kind inferred from a PostgreSQL column type', () => {
  for (const [type, kind] of Object.entries(postgresTypes)) {
    it(`"${type}" is ${kind ?? 'none'}`, () => {
      const name = /^\w+/.exec(kind ?? '')?.[0]
      assert.equal(inferKind(column(type), { dialect: 'postgres' })?.name, name)
    })
  }

  it('has the same precision and scale as on SQLite', () => {
    const postgres = inferKind(column('numeric(10,2)'), { dialect: 'postgres' })
    const sqlite = inferKind(column('NUMERIC(10,2)'), { dialect: 'sqlite' })
    assert.deepEqual(postgres?.code, sqlite?.code)
  })
})

describe('The kind inferred from a column whose values the database lists', () => {
  for (const [dialect, type, kind] of [
    ['sqlite', 'text', 'enumeration'],
    ['sqlite', 'integer', 'integer'],
    ['sqlite', 'string', 'databaseText'],
    ['postgres', 'enum', 'enumeration'],
    ['postgres', 'inet', 'databaseText'],
    ['postgres', 'enum[]', 'array'],
    ['postgres', 'varchar(9)', 'enumeration'],
  ] as const) {
    it(`${type} on ${dialect} is ${kind ?? 'none'}`, () => {
      assert.equal(inferKind(column(type, ['sad', 'happy']), { dialect })?.name, kind)
    })
  }
})
