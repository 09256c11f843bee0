import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoredColumn } from 'lapidary'
import { readSqliteCatalog } from 'lapidary/sqlite'
import { declarationsOf } from '../../cli/declarations.ts'
import { kindOf } from '../../cli/kinds.ts'
import { folder } from '../service/child.ts'
import { databaseIn, fittingModel, introspected, project } from './written.ts'

/** Types of columns, and the kind that each is read as; `undefined` for none. */
type Kinds = Readonly<Record<string, string | undefined>>

const sqlite: Kinds = {
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
  STRING: undefined,
  POINT: undefined,
  INTERVAL: undefined,
  YEAR: undefined,
  '': undefined,
}

const postgres: Kinds = {
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
  'time with time zone': undefined,
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
  name: undefined,
  'text[]': undefined,
  'integer[]': undefined,
  interval: undefined,
  point: undefined,
  money: undefined,
  'public.mood': undefined,
}

function columnOf(type: string, values?: readonly string[]): StoredColumn {
  const plain = { name: 'x', type, nullable: true, hasDefault: false, writable: true }
  return values === undefined ? plain : { ...plain, values }
}

describe('The kind of a column', () => {
  it('of SQLite is one that keeps its values, or none', async (test) => {
    const columns = Object.keys(sqlite).map((type, index) => `c${index} ${type}`)
    const sql = `create table a (id integer primary key, ${columns.join(', ')})`
    const path = databaseIn(await folder(test), 'a', sql)
    const [a] = declarationsOf(readSqliteCatalog(path)).resources
    for (const [index, [type, kind]] of Object.entries(sqlite).entries()) {
      const line = kind === undefined ? `// c${index} is left out` : `c${index}: attribute(${kind})`
      assert.ok(a?.text.includes(`  ${line}`), `${type}: ${line}\n${a?.text}`)
    }
    const url = `sqlite:${path}`
    await fittingModel(await introspected(await project(test), 'a', url), url)
  })

  it('of PostgreSQL is told by its type, in either spelling', () => {
    for (const [type, kind] of Object.entries(postgres)) {
      const name = /^\w+/.exec(kind ?? '')?.[0]
      assert.equal(kindOf(columnOf(type), { dialect: 'postgres' })?.name, name, type)
    }
    const sized = kindOf(columnOf('numeric(10,2)'), { dialect: 'postgres' })
    assert.deepEqual(sized?.code, kindOf(columnOf('NUMERIC(10,2)'), { dialect: 'sqlite' })?.code)
  })

  it('is an enumeration where the database lists the values of texts', () => {
    const values = ['sad', 'happy']
    const nameOf = (type: string, dialect: 'sqlite' | 'postgres') =>
      kindOf(columnOf(type, values), { dialect })?.name
    assert.equal(nameOf('text', 'sqlite'), 'enumeration')
    assert.equal(nameOf('integer', 'sqlite'), 'integer')
    assert.equal(nameOf('string', 'sqlite'), undefined)
    assert.equal(nameOf('enum', 'postgres'), 'enumeration')
    assert.equal(nameOf('inet', 'postgres'), undefined)
    assert.equal(nameOf('varchar(9)', 'postgres'), 'enumeration')
  })
})
