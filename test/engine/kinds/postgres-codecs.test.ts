import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineModel } from 'lapidary'
import type { CodecName, ScalarCodecName } from '../../../src/model/kinds/codec-names.ts'
import { getCodec } from '../../../src/model/kinds/codecs.ts'
import { databases } from '../../../src/tools/databases.ts'
import { everyDatabase } from '../../databases.ts'
import { openStore } from '../engine.ts'

const texts = ['text', 'varchar', 'varchar(20)', 'char(5)', 'bpchar', 'text collate "C"']
const integers = ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole']

/** The codecs of single values, without those that accept every column. */
type StrictCodecName = Exclude<ScalarCodecName, 'databaseText' | 'databaseTextId' | 'databaseJson'>

/** The column types that each codec accepts. */
// biome-ignore format: a table, one codec a row
const accepted: Readonly<Record<StrictCodecName, readonly string[]>> = {
  id:          ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole'],
  integer:     ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole'],
  integer64:   ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole'],
  number:      ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole', 'decimal(10, 2)', 'float8', 'float', 'real'],
  decimal:     ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole', 'decimal(10, 2)'],
  decimal15:   ['bigint', 'int8', 'serial', 'int', 'smallint', 'numeric', 'numeric(10)', 'whole', 'decimal(10, 2)', 'float8', 'float'],
  text:        ['text', 'varchar', 'varchar(20)', 'char(5)', 'bpchar', 'text collate "C"'],
  enumeration: ['text', 'varchar', 'varchar(20)', 'char(5)', 'bpchar', 'text collate "C"', 'mood', 'good_mood'],
  enumerationId: ['text', 'varchar', 'varchar(20)', 'char(5)', 'bpchar', 'text collate "C"', 'mood', 'good_mood'],
  boolean:     ['bool'],
  booleanId:   ['bool'],
  date:        ['date'],
  datetime:    ['timestamp', 'timestamptz', 'timestamp(3)', 'timestamptz(0)'],
  time:        ['time', 'time(3)'],
  uuid:        ['uuid'],
  uuidId:      ['uuid'],
  json:        ['json', 'jsonb'],
  bytes:       ['bytea'],
  'YYYY-MM-DD HH:MM:SS':         texts,
  'YYYY-MM-DD HH:MM:SS.SSS':     texts,
  'YYYY-MM-DD HH:MM:SS.SSSSSS':  texts,
  'YYYY-MM-DDTHH:MM:SSZ':        texts,
  'YYYY-MM-DDTHH:MM:SS.SSSZ':    texts,
  'YYYY-MM-DDTHH:MM:SS.SSSSSSZ': texts,
  'YYYY-MM-DDTHH:MM:SS':        texts,
  'YYYY-MM-DDTHH:MM:SS.SSS':        texts,
  'YYYY-MM-DDTHH:MM:SS.SSSSSS':        texts,
  'YYYY-MM-DD HH:MM:SS+00:00':        texts,
  'YYYY-MM-DD HH:MM:SS.SSS+00:00':        texts,
  'YYYY-MM-DD HH:MM:SS.SSSSSS+00:00':        texts,
  'YYYY-MM-DDTHH:MM:SS+00:00':        texts,
  'YYYY-MM-DDTHH:MM:SS.SSS+00:00':        texts,
  'YYYY-MM-DDTHH:MM:SS.SSSSSS+00:00':        texts,
  'epoch-seconds':      integers,
  'epoch-milliseconds': integers,
  't/f':        texts,
  'T/F':        texts,
  'y/n':        texts,
  'Y/N':        texts,
  'yes/no':     texts,
  'YES/NO':     texts,
  'true/false': texts,
  'TRUE/FALSE': texts,
  '1/0':        integers,
}

/** Array types, and the types of their elements. */
const arrayTypes = new Map([
  ['int[]', 'int'],
  ['text[]', 'text'],
  ['varchar(20)[]', 'varchar(20)'],
  ['decimal(10, 2)[][]', 'decimal(10, 2)'],
  ['timestamp(3)[]', 'timestamp(3)'],
  ['mood[]', 'mood'],
  ['good_mood[]', 'mood'],
  ['json[]', 'json'],
  ['bytea[]', 'bytea'],
])

/** Column types that no codec accepts. */
const unsupported = [
  ...['money', 'timetz', 'interval', 'name', '"char"', 'bit(3)', 'xml', 'inet', 'point'],
  ...['int4range', 'tsvector', 'oid', 'odd', 'point[]', 'int4range[]', 'odd[]'],
]

const types = [
  ...new Set([...Object.values(accepted).flat(), ...arrayTypes.keys(), ...unsupported]),
]

/** The column types that a codec accepts: those of an array codec are arrays of the types of its elements. */
function listAccepted(codec: string): readonly string[] {
  if (/^database(?:Text|TextId|Json)$/.test(codec)) return types
  if (/^database/.test(codec)) return types.filter((type) => type.endsWith('[]'))
  const byCodec: Readonly<Record<string, readonly string[]>> = accepted
  const element = /^(.*?)\??\[\]$/.exec(codec)?.[1]
  if (element === undefined) return byCodec[codec] ?? []
  return [...arrayTypes].flatMap(([type, of]) => (byCodec[element]?.includes(of) ? [type] : []))
}

for (const database of everyDatabase.filter(({ dialect }) => dialect === 'postgres')) {
  describe(`Column types of codecs · ${database.name}`, () => {
    it('each codec accepts exactly the column types that store its values unchanged', async () => {
      const { url, remove } = await database.create()
      const store = await openStore(defineModel([]), url)
      const columns = types.map((type, at) => `c${at} ${type}`)
      try {
        await store.migrate([
          {
            version: 1,
            sql: `
              create type mood as enum ('sad', 'ok');
              create type odd as (one int, other int);
              create domain whole as bigint check (value > 0);
              create domain good_mood as mood check (value <> 'sad');
              create table tried (${columns.join(', ')})`,
          },
        ])
        const [tried] = (await store.catalog()).tables
        for (const name of Object.keys(databases.postgres.codecs.named) as CodecName[]) {
          const { acceptsColumnType } = getCodec(name, databases.postgres)
          const found = types.filter((_, at) =>
            acceptsColumnType(tried?.columns.get(`c${at}`)?.type ?? ''),
          )
          assert.deepEqual(found.sort(), listAccepted(name).toSorted(), name)
        }
      } finally {
        await store.close()
        await remove()
      }
    })
  })
}
