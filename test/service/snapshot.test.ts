import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { longOnOthers } from '../long-tests.ts'
import { isExhaustive } from '../property/seed.ts'
import type { Resource, TestResponse, TestService } from '../service-suite.ts'
import { describeService } from '../service-suite.ts'
import { insertMany, isShared } from './direct-database.ts'
import { linked, linkedIds } from './people.ts'

/** The number of reads; `npm run test:long` reads more often. */
const repeats = isExhaustive ? 100 : 20

/**
 * Runs a function while another connection moves all computers from owner to owner.
 *
 * @param work - gets a function that returns the number of moves so far
 */
async function whileMoving(
  app: TestService,
  work: (countMoves: () => number) => Promise<void>,
): Promise<void> {
  const writer = new Worker(new URL('./move-computers.ts', import.meta.url), {
    workerData: app.databaseUrl,
  })
  let moves = 0
  writer.on('message', () => {
    moves++
  })
  const ended = once(writer, 'exit')
  await once(writer, 'message')
  try {
    await work(() => moves)
  } finally {
    writer.postMessage('stop')
    await ended
  }
}

/** Asserts that the count, the data, the linkage and the included resources of a response are of one snapshot. */
function assertOneSnapshot(response: TestResponse): void {
  assert.equal(response.status, 200, response.text)
  const persons = response.many
  assert.equal(response.body.meta?.count, persons.length)
  const owners = persons.filter((person) => linkedIds(person, 'computers').length > 0)
  assert.equal(owners.length, 1, 'one person owns every computer')
  const [owner] = owners
  const machines = linkedIds(owner, 'computers')
  assert.equal(owner?.attributes?.gender, String(machines.length), 'her row has the number')
  const returned = (response.body.included ?? []).filter(({ type }) => type === 'computer')
  assert.deepEqual(returned.map(({ id }) => id).sort(), machines.toSorted())
  for (const machine of returned) assertOwner(machine, owner)
}

function assertOwner(machine: Resource, owner: Resource | undefined): void {
  const data = linked(machine, 'owner')
  if (data !== undefined) assert.deepEqual(data, { type: 'person', id: owner?.id })
}

describeService('A response from one snapshot', (app) => {
  if (!isShared(app)) return

  it('has page, count, linkage and included resources that agree while other clients write', async () => {
    await insertMany(app.databaseUrl, { persons: 20, computers: 3 })
    await whileMoving(app, async (countMoves) => {
      // On a busy machine few moves may end during the reads.
      for (let each = 0; each < repeats / 3 || countMoves() <= 10; each++) {
        for (const include of ['computers', 'computers.owner', 'computers.owner.computers']) {
          assertOneSnapshot(await app.get('/persons', { include, 'page[size]': '0' }))
        }
      }
    })
  })

  it('holds for a streamed response', longOnOthers(app.dialect), async () => {
    await insertMany(app.databaseUrl, { persons: 3_000, computers: 1, nameLength: 200 })
    await whileMoving(app, async () => {
      for (let each = 0; each < repeats / 10; each++) {
        assertOneSnapshot(await app.get('/persons', { include: 'computers', 'page[size]': '0' }))
      }
    })
  })

  it('holds for the rows of a page', async () => {
    await insertMany(app.databaseUrl, { persons: 10, computers: 2 })
    await whileMoving(app, async () => {
      for (let each = 0; each < repeats / 2; each++) {
        assertOneSnapshot(
          await app.get('/persons', { include: 'computers.owner', 'page[size]': '50' }),
        )
      }
    })
  })

  it('holds for a page and its count: both contain a new computer, or neither does', async () => {
    await insertMany(app.databaseUrl, { persons: 5, computers: 4 })
    await whileMoving(app, async () => {
      for (let each = 0; each < repeats; each++) {
        const response = await app.get('/computers', { include: 'owner', 'page[size]': '100' })
        assert.equal(response.body.meta?.count, response.many.length)
        assert.equal(response.body.included?.length, 1)
        assert.equal(response.body.included[0]?.attributes?.gender, String(response.many.length))
      }
    })
  })

  it('holds for one resource and its linkage', async () => {
    await insertMany(app.databaseUrl, { persons: 2, computers: 3 })
    await whileMoving(app, async () => {
      for (let each = 0; each < repeats; each++) {
        const response = await app.get('/persons/1', { include: 'computers.owner' })
        const machines = linkedIds(response.one, 'computers')
        const expected = machines.length === 0 ? null : String(machines.length)
        assert.equal(response.one.attributes?.gender, expected)
        assert.equal(response.body.included?.length, machines.length)
      }
    })
  })
})

describeService('Concurrent writes', (app) => {
  it('of many clients are all stored', async () => {
    const ada = await app.person()
    const machines = await Promise.all(Array.from({ length: 40 }, () => app.computer()))
    const path = `/persons/${ada.id}/relationships/computers`
    const answers = await Promise.all(
      machines.map(({ id }) => app.post(path, { data: [{ type: 'computer', id }] })),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal((await app.get(path)).many.length, 40)
  })

  it('that replace the same members leave the complete set of one of them', async () => {
    const ada = await app.person()
    const machines = await Promise.all(Array.from({ length: 10 }, () => app.computer()))
    const path = `/persons/${ada.id}/relationships/computers`
    machines.sort((one, other) => Number(one.id) - Number(other.id))
    const sets = [machines.slice(0, 5), machines.slice(5)].map((set) =>
      set.map(({ type, id }) => ({ type, id })),
    )
    for (let round = 0; round < 10; round++) {
      await Promise.all(sets.map((data) => app.patch(path, { data })))
      const now = (await app.get(path)).body.data
      assert.ok(
        sets.some((set) => JSON.stringify(set) === JSON.stringify(now)),
        JSON.stringify(now),
      )
    }
  })

  it('wait for another connection that writes', async () => {
    if (!isShared(app)) return
    await insertMany(app.databaseUrl, { persons: 3, computers: 2 })
    await whileMoving(app, async () => {
      for (let each = 0; each < 30; each++) {
        const { id } = await app.person({ name: `n${each}` })
        const body = { data: { type: 'person', id, attributes: { name: 'changed' } } }
        assert.equal((await app.patch(`/persons/${id}`, body)).status, 200)
        assert.equal((await app.delete(`/persons/${id}`)).status, 200)
      }
    })
  })
})
