import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { attribute, defineModel, resource, text } from 'lapidary'
import { createServer } from 'lapidary/fastify'
import { openSqlite } from 'lapidary/sqlite'
import { mediaType } from '../client.ts'
import { longOnOthers, partOf } from '../long-tests.ts'
import { isExhaustive } from '../property/seed.ts'
import { folder, start } from '../service/child.ts'
import { executeDirectly, insertMany, isShared } from '../service/direct-database.ts'
import { until } from '../service/processes.ts'
import { describeService } from '../service-suite.ts'

/** The number of persons, with which the filter below takes longer than a test waits. */
const persons = 50_000

/** The number of other requests during an expensive read; `npm run test:long` sends more. */
const others = isExhaustive ? 50 : 25

/** How often clients disconnect from expensive reads. */
const rounds = isExhaustive ? 2 : 1

/** A filter with the maximum number of searches. None of them matches, so every row is compared with all of them. */
const expensive = JSON.stringify([
  { or: Array.from({ length: 150 }, (_, at) => ({ name: 'name', op: 'match', val: `w${at} x` })) },
])
const expensivePath = `/persons?filter=${encodeURIComponent(expensive)}`

/** A search that visits every row. */
const search = { filter: [{ name: 'name', op: 'ilike', val: 'zzz' }] }

describeService(
  'Expensive reads',
  (app) => {
    if (!isShared(app)) return

    /** Sends the expensive request; its client disconnects at the signal. */
    const leave = (signal: AbortSignal) =>
      fetch(app.url + expensivePath, { headers: { accept: mediaType }, signal }).catch(() => 'left')

    it('are stopped at the deadline', async () => {
      await app.restart({ databaseTimeout: 500 })
      await insertMany(app.databaseUrl, { persons, computers: 0 })
      const response = await app.get(expensivePath)
      assert.equal(response.status, 503)
      assert.equal(response.error.code, 'query_timeout')
      assert.match(response.error.detail, /^The read was stopped after 500 ms; narrow the filter/)
      // The next search is served. On a busy machine the start of its process may take longer than the deadline.
      const isServed = async () => (await app.get('/persons', search)).status === 200
      await until(isServed, 'no search is served')
    })

    it('do not delay other requests', async () => {
      await insertMany(app.databaseUrl, { persons, computers: 0 })
      const controller = new AbortController()
      let isOver = false
      const left = leave(controller.signal).finally(() => {
        isOver = true
      })
      // Each request is served while the database executes the expensive one.
      for (let each = 1; each <= others; each += 1) {
        assert.equal((await app.get(`/persons/${each}`)).status, 200)
        assert.equal(isOver, false, `${each} of ${others}`)
      }
      controller.abort()
      assert.equal(await left, 'left')
    })

    it('are stopped when the client disconnects', async () => {
      await insertMany(app.databaseUrl, { persons, computers: 0 })
      // There are more of them than can run at a time, so the next request would wait until its deadline.
      for (let round = 0; round < rounds; round += 1) {
        const controller = new AbortController()
        const left = Array.from({ length: 12 }, () => leave(controller.signal))
        await pause(300)
        controller.abort()
        assert.deepEqual(new Set(await Promise.all(left)), new Set(['left']))
      }
      const next = await app.get('/persons', search)
      assert.deepEqual([next.status, next.body.meta?.count], [200, 0])
    })

    it(
      'that sort or scan a large table return the same pages as cheap ones',
      longOnOthers(app.dialect),
      async () => {
        await insertMany(app.databaseUrl, { persons: 20_000, computers: 0 })
        await executeDirectly(
          app.databaseUrl,
          `update person set name = 'Ünïque ' || id where id % 8000 = 7`,
        )
        const found = await app.get('/persons', {
          filter: [{ name: 'name', op: 'ilike', val: 'üNÏQUE%' }],
          sort: '-name',
          include: 'computers',
        })
        assert.deepEqual(
          found.many.map(({ attributes }) => attributes?.name),
          ['Ünïque 8007', 'Ünïque 7', 'Ünïque 16007'],
        )
        assert.equal(found.body.meta?.count, 3)
        const sorted = await app.get('/persons', { sort: 'name,-id', 'page[size]': '3' })
        const all = await app.get('/persons', { sort: 'name,-id', 'page[size]': '0' })
        assert.deepEqual(sorted.many, all.many.slice(0, 3))
        assert.equal(all.many.length, 20_000)
      },
    )
  },
  { settings: { databaseTimeout: 60_000 } },
)

describe('Expensive reads that look cheap', () => {
  const note = resource('note', {
    path: '/notes',
    table: 'note',
    fields: { text: attribute(text) },
  })
  const number = resource('number', {
    path: '/numbers',
    table: 'number',
    fields: {},
  })
  const model = defineModel([note, number], { maxPageSize: null })
  const tables = `create table note (id integer primary key, text text);
    create view number as
      with recursive n (id) as (select 1 union all select id + 1 from n) select id from n`
  let server: ReturnType<typeof createServer>
  let database: string
  let close: () => Promise<void>

  before(async () => {
    database = join(mkdtempSync(join(tmpdir(), 'lapidary-')), 'notes.db')
    const store = openSqlite(model, database, { create: true, timeout: 500 })
    await store.migrate([{ version: 1, sql: tables }])
    server = createServer({ model, store, logLevel: 'silent' })
    close = async () => {
      await server.close()
      await store.close()
      rmSync(dirname(database), { recursive: true })
    }
  })
  after(() => close())

  /** Replaces the notes by 60 of almost 1 MB each. */
  function insertLargeNotes(): void {
    const other = new DatabaseSync(database)
    other.exec(`delete from note;
      with recursive n (id) as (select 1 union all select id + 1 from n limit 60)
      insert into note select id, printf('%.*c', 900000, 'a') from n`)
    other.close()
  }

  /** Sends a request that must be stopped; the timer shows that it does not block the process. */
  async function assertStopped(url: string): Promise<void> {
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 10)
    const response = await server.inject(url)
    clearInterval(timer)
    assert.equal(response.statusCode, 503, response.body)
    assert.equal(response.json().errors[0].code, 'query_timeout')
    assert.ok(ticks > 3, `${ticks} ticks`)
  }

  it('are stopped when another process has just filled the table', async () => {
    const url = expensivePath
      .replace('/persons', '/notes')
      .replaceAll('name%22%3A%22name', 'name%22%3A%22text')
    // On a busy machine the start of its process may take longer than the deadline.
    const isServed = async () => (await server.inject(url)).statusCode === 200
    await until(isServed, 'no search is served')
    const other = new DatabaseSync(database)
    other.exec(`with recursive n (id) as (select 1 union all select id + 1 from n limit ${persons})
      insert into note select id, 'note ' || id from n`)
    other.close()
    await assertStopped(url)
  })

  for (const [index, op] of ['match', 'ilike', 'endswith'].entries()) {
    it(`are stopped when few rows have large texts: ${op}`, partOf(index, 3), async () => {
      insertLargeNotes()
      await assertStopped(
        expensivePath
          .replace('/persons', '/notes')
          .replaceAll('name%22%3A%22name', 'name%22%3A%22text')
          .replaceAll('match', op),
      )
    })
  }

  it('are stopped when a view has an endless recursion', async () => {
    await assertStopped('/numbers?sort=-id')
  })
})

it('SIGTERM ends the service gracefully during an expensive read on SQLite', async (test) => {
  const cwd = await folder(test)
  const child = await start(test, cwd, ['--log-level', 'warn', '--database-timeout', '1000'])
  await insertMany(`sqlite:${cwd}/data/lapidary.db`, { persons, computers: 0 })
  const request = fetch(child.url + expensivePath).catch(() => undefined)
  await pause(500)
  const { code } = await child.end('SIGTERM')
  assert.equal(code, 0)
  await request
})

const onLinux = {
  skip: process.platform !== 'linux' && 'only Linux lists the children of a process',
}

it('an idle service has no reader process', onLinux, async (test) => {
  const child = await start(test, await folder(test), ['--log-level', 'warn'])
  await (await fetch(`${child.url}/persons?sort=name`)).text()
  const { pid } = child.process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  assert.equal(children, '')
  await child.end('SIGTERM')
})

it(
  'given a reader process that hangs, then its read ends at the deadline and later ones are served',
  onLinux,
  async (test) => {
    const cwd = await folder(test)
    const child = await start(test, cwd, ['--log-level', 'silent', '--database-timeout', '2000'])
    await insertMany(`sqlite:${cwd}/data/lapidary.db`, { persons, computers: 0 })
    const url = `${child.url}/persons?filter=${encodeURIComponent(JSON.stringify(search.filter))}`
    const send = async () => (await fetch(url, { headers: { accept: mediaType } })).status
    // On a busy machine the start of the process may take longer than the deadline.
    await until(async () => (await send()) === 200, 'no search is served')
    const { pid } = child.process
    const readers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    for (const reader of readers) process.kill(Number(reader), 'SIGSTOP')
    assert.equal(await send(), 503)
    await until(async () => (await send()) === 200, 'no search is served')
    await child.end('SIGTERM')
  },
)
