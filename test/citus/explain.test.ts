import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  attribute,
  date,
  defineModel,
  explainRead,
  expression,
  integer,
  resource,
  sql,
  text,
  toOne,
} from 'lapidary'
import { splitCommands } from '../../src/postgres/migrations.ts'
import type { Scope } from '../cleanup.ts'
import { everyDatabase } from '../databases.ts'
import { openStore } from '../engine/engine.ts'
import { executeDirectly } from '../service/direct-database.ts'
import { layouts } from './layouts.ts'

const model = defineModel(
  [
    resource('task', {
      path: '/tasks',
      table: 'task',
      fields: {
        due: attribute(date),
        double: expression(integer, (column) => sql`${column('rank')} * 2`),
        owner: toOne('owner', { column: 'owner_id' }),
      },
    }),
    resource('owner', { path: '/owners', table: 'owner', fields: { name: attribute(text) } }),
  ],
  { secret: 'the secret of the tests' },
)
const tables = `create table owner (id bigint primary key, name text);
  create table task (id bigint primary key, due date, rank bigint, owner_id bigint references owner (id));
  create index task_owner on task (owner_id);
  insert into owner select n, 'owner ' || n from generate_series(1, 4000) as n;
  insert into task select n, date '2026-01-01' + n::int, n, n from generate_series(1, 4000) as n;
  analyze owner, task`

const noForeignKey =
  'the resources without a value of "owner.name" are found by reading the list, because no foreign key between servers ensures that each key of task.owner references a resource; to fix it: declare enforced: true if every key references one'

/** Explains a request on tables of a new database. @param index - an index that is created before */
type Explain = (path: string, index?: string) => ReturnType<typeof explainRead>

for (const layout of ['reference', 'distributed'] as const)
  for (const database of everyDatabase.filter(({ name }) => name === layouts[layout].title))
    describe(`Explanations of reads of several servers · ${database.name}`, () => {
      const create = async (test: Scope) => {
        const { url, remove } = await database.create()
        test.after(remove)
        await executeDirectly(url, ...splitCommands(tables))
        return url
      }
      const explainOn =
        (url: string): Explain =>
        async (path, index) => {
          if (index !== undefined) await executeDirectly(url, index, 'analyze owner, task')
          const store = await openStore(model, url)
          try {
            return await explainRead({ model, store }, path)
          } finally {
            await store.close()
          }
        }

      for (const [path, served] of [
        ['/tasks?page[cursors]=true', 'task_pkey'],
        ['/owners?page[cursors]=true', 'owner_pkey'],
        ['/tasks?page[cursors]=true&sort=-due', undefined],
        ['/owners?page[cursors]=true&sort=name', undefined],
      ] as const)
        it(`names the index of all shards that serves ${path}`, async (test) => {
          const explain = explainOn(await create(test))
          const first = await explain(path)
          const [missing] = first.warnings
          assert.deepEqual(first.cursors?.indexes, served === undefined ? [] : [served])
          assert.equal(missing === undefined, served !== undefined, String(missing?.message))
          const { cursors, warnings } = await explain(path, missing?.fix)
          assert.equal(cursors?.indexes.length, 1)
          assert.doesNotMatch(String(cursors?.indexes), /\d{6}/)
          assert.deepEqual(warnings, [])
        })

      it('proposes no index and no foreign key for a sort by rows of another server', async (test) => {
        const explain = explainOn(await create(test))
        const { warnings } = await explain('/tasks?page[cursors]=true&sort=owner.name')
        const fixes = warnings.flatMap(({ fix }) => fix ?? [])
        const messages = warnings.map(({ message }) => message)
        const isNear = layout === 'reference'
        assert.deepEqual(fixes, isNear ? ['create index on "owner" ("name" collate "C")'] : [])
        assert.equal(messages.includes(noForeignKey), !isNear, messages.join('\n'))
      })

      for (const path of ['/tasks?filter[double]=8', '/tasks?sort=double&page[size]=1'])
        it(`warns of ${path} unless the expression has an index`, async (test) => {
          const explain = explainOn(await create(test))
          const [first] = (await explain(path)).warnings
          assert.match(String(first?.message), /evaluates an expression for every row of "task"/)
          const index = 'create index task_double on task ((rank * 2), id)'
          assert.deepEqual((await explain(path, index)).warnings, [])
        })
    })
