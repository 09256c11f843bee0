import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { Answer, Resource, World } from '../world.ts'
import { chapter } from '../world.ts'
import { insertMany, isShared } from './beside.ts'
import { linked, linkedIds } from './people.ts'

/** Runs something while another connection moves all computers from owner to owner; returns how often it did. */
async function whileMoving(world: World, work: () => Promise<void>): Promise<number> {
  const writer = new Worker(new URL('./mover.ts', import.meta.url), {
    workerData: world.databaseUrl,
  })
  let rounds = 0
  writer.on('message', () => {
    rounds++
  })
  const ended = once(writer, 'exit')
  await once(writer, 'message')
  try {
    await work()
  } finally {
    writer.postMessage('stop')
    await ended
  }
  return rounds
}

/** Asserts that count, data, linkage and included of an answer tell one and the same moment. */
function assertOneMoment(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text)
  const persons = answer.many
  assert.equal(answer.body.meta?.count, persons.length)
  const owners = persons.filter((person) => linkedIds(person, 'computers').length > 0)
  assert.equal(owners.length, 1, 'one person owns every computer')
  const [owner] = owners
  const machines = linkedIds(owner, 'computers')
  assert.equal(owner?.attributes?.gender, String(machines.length), 'her row tells how many')
  const told = (answer.body.included ?? []).filter(({ type }) => type === 'computer')
  assert.deepEqual(told.map(({ id }) => id).sort(), machines.toSorted())
  for (const machine of told) assertOwner(machine, owner)
}

function assertOwner(machine: Resource, owner: Resource | undefined): void {
  const data = linked(machine, 'owner')
  if (data !== undefined) assert.deepEqual(data, { type: 'person', id: owner?.id })
}

chapter('one snapshot', (world) => {
  if (!isShared(world)) return

  it('of everything: page, count, linkage and included agree while others write', async () => {
    await insertMany(world.databaseUrl, { persons: 20, computers: 3 })
    const rounds = await whileMoving(world, async () => {
      for (let each = 0; each < 30; each++) {
        for (const include of ['computers', 'computers.owner', 'computers.owner.computers']) {
          assertOneMoment(await world.get('/persons', { include, 'page[size]': '0' }))
        }
      }
    })
    assert.ok(rounds > 10, `the other connection wrote ${rounds} times`)
  })

  it('of an answer that takes many pieces to tell', async () => {
    await insertMany(world.databaseUrl, { persons: 3_000, computers: 1, nameLength: 200 })
    await whileMoving(world, async () => {
      for (let each = 0; each < 3; each++) {
        assertOneMoment(await world.get('/persons', { include: 'computers', 'page[size]': '0' }))
      }
    })
  })

  it('of a page', async () => {
    await insertMany(world.databaseUrl, { persons: 10, computers: 2 })
    await whileMoving(world, async () => {
      for (let each = 0; each < 50; each++) {
        assertOneMoment(
          await world.get('/persons', { include: 'computers.owner', 'page[size]': '50' }),
        )
      }
    })
  })

  it('of a count and its page: a computer more or less is told by both or neither', async () => {
    await insertMany(world.databaseUrl, { persons: 5, computers: 4 })
    await whileMoving(world, async () => {
      for (let each = 0; each < 100; each++) {
        const answer = await world.get('/computers', { include: 'owner', 'page[size]': '100' })
        assert.equal(answer.body.meta?.count, answer.many.length)
        assert.equal(answer.body.included?.length, 1)
        assert.equal(answer.body.included[0]?.attributes?.gender, String(answer.many.length))
      }
    })
  })

  it('of one resource with its linkage', async () => {
    await insertMany(world.databaseUrl, { persons: 2, computers: 3 })
    await whileMoving(world, async () => {
      for (let each = 0; each < 100; each++) {
        const answer = await world.get('/persons/1', { include: 'computers.owner' })
        const machines = linkedIds(answer.one, 'computers')
        const expected = machines.length === 0 ? null : String(machines.length)
        assert.equal(answer.one.attributes?.gender, expected)
        assert.equal(answer.body.included?.length, machines.length)
      }
    })
  })
})

chapter('Writes side by side', (world) => {
  it('of many clients at once are all kept', async () => {
    const ada = await world.person()
    const machines = await Promise.all(Array.from({ length: 40 }, () => world.computer()))
    const path = `/persons/${ada.id}/relationships/computers`
    const answers = await Promise.all(
      machines.map(({ id }) => world.post(path, { data: [{ type: 'computer', id }] })),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal((await world.get(path)).many.length, 40)
  })

  it('of two that replace the same set: one of them wins whole', async () => {
    const ada = await world.person()
    const machines = await Promise.all(Array.from({ length: 10 }, () => world.computer()))
    const path = `/persons/${ada.id}/relationships/computers`
    machines.sort((one, other) => Number(one.id) - Number(other.id))
    const sets = [machines.slice(0, 5), machines.slice(5)].map((set) =>
      set.map(({ type, id }) => ({ type, id })),
    )
    for (let round = 0; round < 10; round++) {
      await Promise.all(sets.map((data) => world.patch(path, { data })))
      const now = (await world.get(path)).body.data
      assert.ok(
        sets.some((set) => JSON.stringify(set) === JSON.stringify(now)),
        JSON.stringify(now),
      )
    }
  })

  it('beside another connection that writes wait for it', async () => {
    if (!isShared(world)) return
    await insertMany(world.databaseUrl, { persons: 3, computers: 2 })
    await whileMoving(world, async () => {
      for (let each = 0; each < 30; each++) {
        const { id } = await world.person({ name: `n${each}` })
        const body = { data: { type: 'person', id, attributes: { name: 'changed' } } }
        assert.equal((await world.patch(`/persons/${id}`, body)).status, 200)
        assert.equal((await world.delete(`/persons/${id}`)).status, 200)
      }
    })
  })
})
