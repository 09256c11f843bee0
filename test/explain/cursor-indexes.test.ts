import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  date,
  defineModel,
  explainRead,
  expression,
  integer,
  type Model,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { formatExplanation } from '../../cli/explain.ts'
import { databases } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { execute, filled } from '../filled.ts'

const fields = {
  title: attribute(text),
  due: attribute(date),
  rank: attribute(integer),
  double: expression(integer, (column) => sql`${column('rank')} * 2`),
}
const task = resource('task', {
  path: '/tasks',
  table: 'task',
  pages: { by: 'cursor', total: 'none' },
  fields: { ...fields, owner: toOne('owner', { column: 'owner_id' }) },
})
const owner = resource('owner', {
  path: '/owners',
  table: 'owner',
  fields: { name: attribute(text), tasks: toMany('task', { column: 'owner_id', count: true }) },
})
const numbered = resource('numbered', { path: '/numbered', table: 'task', fields })
const model = defineModel([task, owner, numbered], { secret: 'the secret of the tests' })

/** The sorts, and the index that each needs: of SQLite and of PostgreSQL, by a text that is in its definition. */
const sorts = {
  '-due': ['("due" desc, "id")', '("due" desc, "id")'],
  'rank,-due': ['("rank", "due" desc, "id")', '("rank", "due" desc, "id")'],
  title: ['("title", "id")', '("title" collate "C", "id")'],
  'rank,-id,title': ['("rank", "id" desc)', '("rank", "id" desc)'],
  'owner.name': ['("name")', '("name" collate "C")'],
  '-owner.name': ['("name" desc)', '("name" collate "C" desc)'],
} as const

for (const database of databases) {
  const isPostgres = database.dialect === 'postgres'
  const { newId, id, date: day, integer: whole } = database.columnTypes
  const tables = `
    create table owner (id ${newId}, name text);
    create table task (id ${newId}, title text, due ${day}, rank ${whole}, owner_id ${id} references owner (id));
    create index task_owner on task (owner_id, id);
    insert into owner (name) values ('Ada'), ('Bob');
    insert into task (title, due, rank, owner_id) values ('a', null, 1, 1), ('b', '2026-01-01', null, 2);`

  const rows = ['owner', 'task']
    .map(
      (table) =>
        `insert into ${table} (${table === 'owner' ? 'name' : 'owner_id'}) with recursive number (n) as (select 3 union all select n + 1 from number where n < 1000) select ${table === 'owner' ? "'n' || n" : 'n'} from number`,
    )
    .join(';')

  for (const [sort, [ofSqlite, ofPostgres]] of Object.entries(sorts))
    it(`names the index that serves the cursors of ${sort}, or the one that is missing · ${database.name}`, async (test) => {
      const url = await filled(test, database, tables)
      const explain = async (query: string) => {
        const store = await openStore(model, url)
        try {
          return await explainRead({ model, store }, `/tasks?sort=${sort}${query}`)
        } finally {
          await store.close()
        }
      }
      const { cursors, warnings } = await explain('')
      assert.deepEqual(cursors?.indexes, [])
      const missing = warnings.find(({ message }) => message.includes('cursors of the sort order'))
      const fix = missing?.fix ?? ''
      assert.ok(fix.endsWith(isPostgres ? ofPostgres : ofSqlite), fix)
      // SQLite begins at the table of a related field only if it knows that the tables are large.
      await execute(url, `${fix}; ${rows}; analyze`)
      const served = await explain('&page[size]=1')
      assert.equal(served.cursors?.indexes.length === 0, false)
      assert.match(String(served.cursors?.indexes[0]), /^"?(?:task|owner)_/)
      assert.ok(!served.warnings.some(({ message }) => message.includes('cursors')))
      const text = formatExplanation(served, database.name)
      assert.match(text, /The cursors of the sort order .*id.* are served by /)
    })

  it(`warns of a sort by a related resource whose key may reference no row · ${database.name}`, async (test) => {
    const loose = tables.replace(' references owner (id)', '')
    const declared = defineModel(
      [
        resource('task', {
          path: '/tasks',
          table: 'task',
          fields: { owner: toOne('owner', { column: 'owner_id', enforced: true }) },
        }),
        resource('owner', { path: '/owners', table: 'owner', fields: { name: attribute(text) } }),
      ],
      { pages: { by: 'cursor' }, secret: 'the secret of the tests' },
    )
    const explain = async (of: Model, rows: string) => {
      const store = await openStore(of, await filled(test, database, rows))
      test.after(() => store.close())
      const { warnings } = await explainRead({ model: of, store }, '/tasks?sort=owner.name')
      return warnings.map(({ message }) => message).filter((each) => each.includes('without a'))
    }
    assert.deepEqual(await explain(model, tables), [])
    assert.deepEqual(await explain(model, loose), [
      'the resources without a value of "owner.name" are found by reading the list, because no valid foreign key ensures that each key of task.owner references a resource; to fix it: create a foreign key of "task" ("owner_id") that references "owner" ("id"), or declare enforced: true if every key references one',
    ])
    assert.deepEqual(await explain(declared as Model, loose), [])
  })

  it(`says that no index serves a count or an expression, and that the primary key serves the id · ${database.name}`, async (test) => {
    const store = await openStore(model, await filled(test, database, tables))
    test.after(() => store.close())
    for (const [url, isServed] of [
      ['/owners?page[total]=none&sort=tasks.count', false],
      ['/tasks?sort=double', false],
      ['/tasks?sort=-id', true],
    ] as const) {
      const { cursors, warnings } = await explainRead({ model, store }, url)
      assert.equal(cursors?.indexes.length === 1, isServed, url)
      assert.ok(!warnings.some(({ fix }) => fix?.includes('task" (')), url)
    }
    assert.equal((await explainRead({ model, store }, '/owners')).cursors, undefined)
  })

  it(`reports the attributes without an index of a type that is declared to page by cursors · ${database.name}`, async (test) => {
    const url = await filled(test, database, tables)
    const verify = async () => {
      const store = await openStore(model, url)
      const { warnings } = await store.verify()
      await store.close()
      return warnings.filter((line) => line.includes('cursors'))
    }
    const [line = '', ...others] = await verify()
    assert.deepEqual(others, [])
    assert.match(line, /^task: its pages lie between cursors.* "title", "due", "rank"/)
    const [, fixes = ''] = line.split('; to fix it: ')
    await execute(url, fixes)
    assert.deepEqual(await verify(), [])
  })
}
