import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  attribute,
  defineModel,
  integer,
  type Kind,
  resource,
  type TextIndex,
  text,
  toMany,
  toOne,
} from 'lapidary'
import pg from 'pg'
import type { ColumnTypes } from '../../databases.ts'
import { databases } from '../../databases.ts'
import { statementsOf } from '../../service/statements.ts'
import { ids } from '../../test-response.ts'
import { type Engine, engine, findStartErrors, openStore } from '../engine.ts'
import { create } from '../things.ts'

const indexed: TextIndex = { fts: 'thing_fts', tsvector: 'words', config: 'english' }

const thing = resource('thing', {
  path: '/things',
  table: 'thing',
  fields: {
    title: attribute(text, { column: 'name', match: indexed }),
    plain: attribute(text),
    whole: toOne('thing', { column: 'whole_id' }),
    parts: toMany('thing', { column: 'whole_id' }),
  },
})

const sqliteTables = `
  create virtual table thing_fts using fts5(name, plain, content='thing', content_rowid='id');
  create trigger thing_words after insert on thing begin
    insert into thing_fts (rowid, name, plain) values (new.id, new.name, new.plain);
  end`
const postgresTables = 'create index on thing using gin (words)'

const served = {
  model: defineModel([thing]),
  tables: ({ newId }: ColumnTypes, dialect: string) => {
    const words =
      dialect === 'sqlite'
        ? ''
        : ", words tsvector generated always as (to_tsvector('english', name)) stored"
    return `create table thing (id ${newId}, name text, plain text, whole_id integer references thing (id) ${words});
      ${dialect === 'sqlite' ? sqliteTables : postgresTables}`
  },
}

async function fill(app: Engine): Promise<void> {
  for (const [title, plain] of [
    ['Ada Lovelace wrote notes', 'x'],
    ['The notes of Charles', 'Ada'],
    ['', 'Ada'],
  ])
    await create(app, { title: JSON.stringify(title), plain: JSON.stringify(plain) })
  await create(app, {})
}

engine('Match with a text index', served, (app) => {
  const find = async (filter: unknown) => {
    const response = await app.get('/things', { filter: JSON.stringify(filter) })
    assert.equal(response.status, 200, response.text)
    return ids(response).join(' ')
  }
  const match = (val: unknown, name = 'title') => ({ name, op: 'match', val })

  it('finds the rows with all words in this attribute', async () => {
    await fill(app)
    assert.equal(await find([match('NOTES')]), '1 2')
    assert.equal(await find([match('notes, ada')]), '1')
    assert.equal(await find([match('Ada')]), '1')
    assert.equal(await find([match('" OR 1 -- * title:')]), '')
    assert.equal(await find([match('')]), '')
    assert.equal(await find([match(null)]), '')
    assert.equal(await find([{ not: match('ada') }]), '2 3')
    assert.equal(await find([match('ada', 'plain')]), '2 3')
  })

  it('finds related resources', async () => {
    await fill(app)
    await app.execute('insert into thing (whole_id) values (1)')
    assert.equal(await find([match('lovelace', 'whole__title')]), '5')
  })

  it('uses the index', async () => {
    await fill(app)
    const filter = JSON.stringify([match('ada')])
    const [statement = ''] = await statementsOf(() => app.get('/things', { filter }))
    if (app.dialect === 'postgres') {
      const client = new pg.Client(app.databaseUrl)
      await client.connect()
      await client.query('set enable_seqscan = off')
      await client.query(`prepare tried as ${statement}`)
      const count = Math.max(...[...statement.matchAll(/\$(\d+)/g)].map(([, each]) => Number(each)))
      const values = Array.from({ length: count }, (_, at) =>
        statement.includes(`$${at + 1}::text`) ? "'ada'" : '30',
      )
      const { rows } = await client.query(`explain execute tried (${values.join(', ')})`)
      await client.end()
      assert.match(JSON.stringify(rows), /Bitmap Index Scan on thing_words_idx/)
      return
    }
    const database = new DatabaseSync(app.databaseUrl.replace(/^sqlite:/, ''))
    const plan = database.prepare(`explain query plan ${statement}`).all()
    database.close()
    const details = plan.map(({ detail }) => String(detail)).join('\n')
    assert.match(details, /SEARCH t0 USING INTEGER PRIMARY KEY/)
    assert.match(details, /SCAN thing_fts VIRTUAL TABLE/)
  })
})

for (const database of databases) {
  describe(`The declaration of a text index · ${database.name}`, () => {
    const errorOf = async (match: TextIndex) => {
      const declared = resource('a', {
        path: '/a',
        table: 'a',
        access: 'read-only',
        fields: { name: attribute(text, { match }) },
      })
      const { newId } = database.columnTypes
      const tables = `create table a (id ${newId}, name text); create table b (id ${newId})`
      return (await findStartErrors(database, defineModel([declared]), tables)).join('\n')
    }

    it('is missing in a large table: the start says what match costs', async () => {
      const fields = { name: attribute(text, { match: indexed }), other: attribute(text) }
      const hidden = { ...fields, other: attribute(text, { filter: false }) }
      const opened = await database.create()
      const { newId } = database.columnTypes
      const series =
        database.dialect === 'sqlite'
          ? 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 120000) select i from n'
          : 'select generate_series(1, 120000)'
      const warningsOf = async (declared: typeof fields) => {
        const a = resource('a', { path: '/a', table: 'a', access: 'read-only', fields: declared })
        const store = await openStore(defineModel([a]), opened.url)
        await store.migrate([
          {
            version: 1,
            sql: `create table a (id ${newId}, name text, other text${database.dialect === 'sqlite' ? '' : ', words tsvector'});
              insert into a (id) ${series}; ${database.dialect === 'sqlite' ? 'create virtual table thing_fts using fts5(name)' : 'analyze a'}`,
          },
        ])
        const { warnings } = await store.verify()
        await store.close()
        return warnings
      }
      const [warning = '', ...others] = await warningsOf(fields)
      assert.match(
        warning,
        /^a\.fields\.other: the operator "match" reads the texts of about 120000 rows; to use an index: declare match: /,
      )
      assert.deepEqual([others, await warningsOf(hidden)], [[], []])
      await opened.remove()
    })

    it('is compared with the database', async () => {
      if (database.dialect === 'sqlite') {
        assert.match(
          await errorOf({ fts: 'c' }),
          /a\.fields\.name\.match\.fts: the database has no table "c"/,
        )
        assert.match(
          await errorOf({ fts: 'b' }),
          /a\.fields\.name\.match\.fts: the table "b" has no column "name"/,
        )
        assert.equal(await errorOf({ tsvector: 'c' }), '')
        return
      }
      assert.match(
        await errorOf({ tsvector: 'c' }),
        /a\.fields\.name\.match\.tsvector: the table "a" has no column "c"/,
      )
      assert.match(
        await errorOf({ tsvector: 'name' }),
        /a\.fields\.name\.match\.tsvector: the column "name" of the table "a" has the type "text"; it must be tsvector/,
      )
      assert.equal(await errorOf({ fts: 'c' }), '')
    })
  })
}

it('a text index needs a kind with the operator, and an index', () => {
  const declare = (kind: Kind<unknown>, match: TextIndex) =>
    defineModel([
      resource('a', { path: '/a', table: 'a', fields: { field: attribute(kind, { match }) } }),
    ])
  assert.throws(
    () => declare(integer, { fts: 'x' }),
    /a\.fields\.field\.match: only texts have the operator "match"; this has the kind integer/,
  )
  assert.throws(() => declare(text, {}), /\.match: must have "fts"/)
})
