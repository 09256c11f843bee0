import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineModel, integer, resource, type Store, sql } from 'lapidary'
import type { RunQuery } from '../../../src/sql/store.ts'
import type { ColumnTypes } from '../../databases.ts'
import { type Engine, engine, openStore } from '../engine.ts'

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

engine('Group commit on SQLite', served, (app) => {
  // An in-memory database is not synced to disk, and no other process reads it.
  if (app.database === 'SQLite in memory') return

  it('commits concurrent transactions together', async () => {
    await onStore(app, async (store) => {
      await store.transaction(({ query }) => insert(query, 1))
      const before = commitsOf(app)
      const ids = numbers(2, 200)
      await Promise.all(ids.map((id) => store.transaction(({ query }) => insert(query, id))))
      assert.deepEqual(itemsOf(app), numbers(1, 200))
      const commits = commitsOf(app) - before
      // Two groups of a hundred; more and smaller ones on a slow machine.
      assert.ok(commits >= 2 && commits <= 20, `${commits} commits`)
    })
  })

  it('settles a transaction only when other connections can read its rows', async () => {
    await onStore(app, async (store) => {
      const writes = numbers(1, 20).map(async (id) => {
        await store.transaction(({ query }) => insert(query, id))
        assert.ok(itemsOf(app).includes(id), `item ${id}`)
      })
      await Promise.all(writes)
    })
  })

  /** The failures of a transaction after it has inserted an item. */
  const failures: Readonly<Record<string, (query: RunQuery) => Promise<unknown>>> = {
    throws: () => Promise.reject(new Error('no')),
    'awaits and throws': () => pause(5).then(() => Promise.reject(new Error('no'))),
    'violates a primary key': (query) => insert(query, 1),
    'violates a deferred foreign key': (query) => query(sql`insert into item (box) values (7)`),
    'is rolled back by a trigger': (query) => insert(query, 1000),
  }
  for (const [failure, fail] of Object.entries(failures)) {
    it(`commits the other transactions when one ${failure}`, async () => {
      await onStore(app, async (store) => {
        const results = await Promise.allSettled(
          numbers(1, 9).map((id) =>
            store.transaction(async ({ query }) => {
              await insert(query, id)
              if (id === 5) await fail(query)
            }),
          ),
        )
        const committed = numbers(1, 9).filter((id) => results[id - 1]?.status === 'fulfilled')
        assert.deepEqual(committed, [1, 2, 3, 4, 6, 7, 8, 9])
        assert.deepEqual(itemsOf(app), committed)
      })
    })
  }

  it('runs transactions one after the other, even if they await', async () => {
    await onStore(app, async (store) => {
      const events: string[] = []
      const log = (id: number, event: string) => events.push(`${id} ${event}`)
      await Promise.all(
        numbers(1, 12).map((id) =>
          store.transaction(async ({ query }) => {
            log(id, 'begins')
            await insert(query, id)
            await pause(5)
            log(id, 'ends')
          }),
        ),
      )
      assert.deepEqual(
        events,
        numbers(1, 12).flatMap((id) => [`${id} begins`, `${id} ends`]),
      )
    })
  })

  /** Returns the order in which large transactions and others run, which are queued `later` milliseconds after them. */
  const findOrder = async (
    store: Store,
    {
      large,
      others,
      later,
    }: Readonly<{ large: readonly number[]; others: readonly number[]; later: number }>,
  ) => {
    const order: number[] = []
    const run = (id: number, isLarge: boolean) =>
      store.transaction(
        async ({ query }) => {
          order.push(id)
          await insert(query, id)
        },
        { isLarge },
      )
    const first = Promise.withResolvers<void>()
    const running = store.transaction(() => first.promise)
    await pause(10)
    const writes = large.map((id) => run(id, true))
    await pause(later)
    writes.push(...others.map((id) => run(id, false)))
    first.resolve()
    await Promise.all([running, ...writes])
    return order
  }

  it('runs other transactions before large ones that wait', async () => {
    await onStore(app, async (store) => {
      assert.deepEqual(
        await findOrder(store, { large: [1, 2], others: [3, 4], later: 0 }),
        [3, 4, 1, 2],
      )
      assert.deepEqual(itemsOf(app), [1, 2, 3, 4])
    })
  })

  it('runs large transactions first that have waited for a second', async () => {
    await onStore(app, async (store) => {
      assert.deepEqual(
        await findOrder(store, { large: [1, 2], others: [3, 4], later: 1100 }),
        [1, 2, 3, 4],
      )
    })
  })

  it('waits until another process releases its lock', async () => {
    const other = new DatabaseSync(pathOf(app))
    try {
      await onStore(app, async (store) => {
        other.exec('begin immediate')
        const writes = numbers(1, 9).map((id) =>
          store.transaction(({ query }) => insert(query, id)),
        )
        await pause(50)
        assert.deepEqual(itemsOf(app), [])
        other.exec('commit')
        await Promise.all(writes)
        assert.deepEqual(itemsOf(app), numbers(1, 9))
      })
    } finally {
      other.close()
    }
  })
})

async function onStore(app: Engine, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(served.model, app.databaseUrl)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function insert(query: RunQuery, id: number): Promise<unknown> {
  return query(sql`insert into item (id) values (${id})`)
}

/** Returns the ids of the items that another connection reads. */
function itemsOf(app: Engine): number[] {
  const other = new DatabaseSync(pathOf(app))
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
 * Counts the commits in the write-ahead log. It has a header of 32 bytes and frames, each a header of 24 bytes and a page. Only
 * the last frame of a transaction contains the size of the database (sqlite.org/fileformat2.html#walformat).
 */
function commitsOf(app: Engine): number {
  const log = readFileSync(`${pathOf(app)}-wal`)
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
