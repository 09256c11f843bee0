import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { mediaType } from '../client.ts'
import { behind, insertMany, isShared } from '../service/beside.ts'
import { folder, start } from '../service/child.ts'
import { chapter } from '../world.ts'

/** Persons enough that the filter below takes minutes, wherever it runs. */
const persons = 100_000

/** A filter of as many searches as there may be, none of which finds anything: every row meets every one of them. */
const expensive = JSON.stringify([
  { or: Array.from({ length: 150 }, (_, at) => ({ name: 'name', op: 'match', val: `w${at} x` })) },
])
const expensivePath = `/persons?filter=${encodeURIComponent(expensive)}`

/** A search that visits every row once. */
const search = { filter: [{ name: 'name', op: 'ilike', val: 'zzz' }] }

chapter(
  'Expensive reads',
  (world) => {
    if (!isShared(world)) return

    it('are stopped at the deadline, and others are answered meanwhile', async () => {
      await insertMany(world.databaseUrl, { persons, computers: 0 })
      let isOver = false
      const stopped = world.get(expensivePath).finally(() => {
        isOver = true
      })
      // Each is begun and answered while the database works on the expensive one.
      for (let each = 1; each <= 50; each += 1) {
        assert.equal((await world.get(`/persons/${each}`)).status, 200)
        assert.equal(isOver, false, `${each} of 50`)
      }
      const answer = await stopped
      assert.equal(answer.status, 503)
      assert.equal(answer.fault.code, 'query_timeout')
      assert.match(answer.fault.detail, /^The read was stopped after 2000 ms; narrow the filter/)
      // Whatever was stopped, the next search is served.
      const next = await world.get('/persons', search)
      assert.deepEqual([next.status, next.body.meta?.count], [200, 0])
    })

    it('are given up when the client disconnects', async () => {
      await insertMany(world.databaseUrl, { persons, computers: 0 })
      // More of them than can run at a time: who comes next would get no turn before the deadline.
      for (let round = 0; round < 2; round += 1) {
        const controller = new AbortController()
        const left = Array.from({ length: 12 }, () =>
          fetch(world.url + expensivePath, {
            headers: { accept: mediaType },
            signal: controller.signal,
          }).catch(() => 'left'),
        )
        await pause(300)
        controller.abort()
        assert.deepEqual(new Set(await Promise.all(left)), new Set(['left']))
      }
      const next = await world.get('/persons', search)
      assert.deepEqual([next.status, next.body.meta?.count], [200, 0])
    })

    it('that sort or scan a large table give the same pages as others', async () => {
      await insertMany(world.databaseUrl, { persons: 20_000, computers: 0 })
      await behind(
        world.databaseUrl,
        `update person set name = 'Ünïque ' || id where id % 8000 = 7`,
      )
      const found = await world.get('/persons', {
        filter: [{ name: 'name', op: 'ilike', val: 'üNÏQUE%' }],
        sort: '-name',
        include: 'computers',
      })
      assert.deepEqual(
        found.many.map(({ attributes }) => attributes?.name),
        ['Ünïque 8007', 'Ünïque 7', 'Ünïque 16007'],
      )
      assert.equal(found.body.meta?.count, 3)
      const sorted = await world.get('/persons', { sort: 'name,-id', 'page[size]': '3' })
      const all = await world.get('/persons', { sort: 'name,-id', 'page[size]': '0' })
      assert.deepEqual(sorted.many, all.many.slice(0, 3))
      assert.equal(all.many.length, 20_000)
    })
  },
  { settings: { databaseTimeout: 2000 } },
)

it('SIGTERM ends the service in order while SQLite works on an expensive read', async (test) => {
  const cwd = await folder(test)
  const child = await start(test, cwd, ['--log-level', 'warn', '--database-timeout', '2000'])
  await insertMany(`sqlite:${cwd}/data/lapidary.db`, { persons, computers: 0 })
  const asked = fetch(child.url + expensivePath).catch(() => undefined)
  await pause(500)
  const { code } = await child.end('SIGTERM')
  assert.equal(code, 0)
  await asked
})

const onLinux = {
  skip: process.platform !== 'linux' && 'only Linux lists the children of a process',
}

it('a service that rests has no reader process', onLinux, async (test) => {
  const child = await start(test, await folder(test), ['--log-level', 'warn'])
  await (await fetch(`${child.url}/persons?sort=name`)).text()
  const { pid } = child.process
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  assert.equal(children, '')
  await child.end('SIGTERM')
})
