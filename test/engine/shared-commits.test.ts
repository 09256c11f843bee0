import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineModel, integer, resource, type Store, sql } from 'lapidary'
import type { RunQuery } from '../../src/store/store.ts'
import type { ColumnTypes } from '../databases.ts'
import { type Engine, engine, openStore } from './engine.ts'

const served = {
  model: defineModel([
    resource('item', { path: '/items', table: 'item', fields: { box: attribute(integer) } }),
  ]),
  tables: ({ newId }: ColumnTypes) => `
    create table box (id ${newId});
    create table item (
      id ${newId},
      box integer references box (id) deferrable initially deferred
    );
    create trigger strict_trigger before insert on item when new.id = 1000
      begin select raise(rollback, 'no thousand'); end`,
  only: 'sqlite',
} as const

engine('Transactions of SQLite at the same time', served, (world) => {
  // A database in memory is not flushed, and nobody else looks into it.
  if (world.database === 'SQLite in memory') return

  it('share a commit', async () => {
    await onStore(world, async (store) => {
      await store.transaction(({ query }) => insert(query, 1))
      const before = commitsOf(world)
      const ids = numbers(2, 200)
      await Promise.all(ids.map((id) => store.transaction(({ query }) => insert(query, id))))
      assert.deepEqual(itemsOf(world), numbers(1, 200))
      const commits = commitsOf(world) - before
      // Two of a hundred, or more of fewer where the machine is slow.
      assert.ok(commits >= 2 && commits <= 20, `${commits} commits`)
    })
  })

  it('are told only when others can read what they have written', async () => {
    await onStore(world, async (store) => {
      const told = numbers(1, 20).map(async (id) => {
        await store.transaction(({ query }) => insert(query, id))
        assert.ok(itemsOf(world).includes(id), `item ${id}`)
      })
      await Promise.all(told)
    })
  })

  /** What a transaction does to be refused, once it has inserted an item. */
  const refusals: Readonly<Record<string, (query: RunQuery) => Promise<unknown>>> = {
    'that throws': () => Promise.reject(new Error('no')),
    'that awaits and throws': () => pause(5).then(() => Promise.reject(new Error('no'))),
    'that breaks a key': (query) => insert(query, 1),
    'that breaks a key which is looked at in the end': (query) =>
      query(sql`insert into item (box) values (7)`),
    'that the database ends': (query) => insert(query, 1000),
  }
  for (const [which, refused] of Object.entries(refusals)) {
    it(`one ${which} leaves nothing, and the others are kept`, async () => {
      await onStore(world, async (store) => {
        const outcomes = await Promise.allSettled(
          numbers(1, 9).map((id) =>
            store.transaction(async ({ query }) => {
              await insert(query, id)
              if (id === 5) await refused(query)
            }),
          ),
        )
        const kept = numbers(1, 9).filter((id) => outcomes[id - 1]?.status === 'fulfilled')
        assert.deepEqual(kept, [1, 2, 3, 4, 6, 7, 8, 9])
        assert.deepEqual(itemsOf(world), kept)
      })
    })
  }

  it('do not come between each other, even where they await', async () => {
    await onStore(world, async (store) => {
      const steps: string[] = []
      const step = (id: number, when: string) => steps.push(`${id} ${when}`)
      await Promise.all(
        numbers(1, 12).map((id) =>
          store.transaction(async ({ query }) => {
            step(id, 'begins')
            await insert(query, id)
            await pause(5)
            step(id, 'ends')
          }),
        ),
      )
      assert.deepEqual(
        steps,
        numbers(1, 12).flatMap((id) => [`${id} begins`, `${id} ends`]),
      )
    })
  })

  it('wait for another process, and are all done when it lets go', async () => {
    const other = new DatabaseSync(pathOf(world))
    try {
      await onStore(world, async (store) => {
        other.exec('begin immediate')
        const all = numbers(1, 9).map((id) => store.transaction(({ query }) => insert(query, id)))
        await pause(50)
        assert.deepEqual(itemsOf(world), [])
        other.exec('commit')
        await Promise.all(all)
        assert.deepEqual(itemsOf(world), numbers(1, 9))
      })
    } finally {
      other.close()
    }
  })
})

async function onStore(world: Engine, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(served.model, world.databaseUrl)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function insert(query: RunQuery, id: number): Promise<unknown> {
  return query(sql`insert into item (id) values (${id})`)
}

/** The ids of all items that another connection finds. */
function itemsOf(world: Engine): number[] {
  const other = new DatabaseSync(pathOf(world))
  try {
    return other
      .prepare('select id from item order by id')
      .all()
      .map(({ id }) => Number(id))
  } finally {
    other.close()
  }
}

/**
 * How many transactions the log of writes holds: after a head of 32 bytes it has frames, each a head of 24 bytes and a
 * page, and only the last frame of a transaction says how large the database is (sqlite.org/fileformat2.html#walformat).
 */
function commitsOf(world: Engine): number {
  const log = readFileSync(`${pathOf(world)}-wal`)
  const frame = 24 + log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + frame <= log.length; at += frame)
    if (log.readUInt32BE(at + 4) !== 0) commits += 1
  return commits
}

function pathOf({ databaseUrl }: Engine): string {
  return databaseUrl.replace('sqlite:', '')
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
