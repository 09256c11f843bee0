import assert from 'node:assert/strict'
import { it } from 'node:test'
import { randomOf } from '../../property/random-choices.ts'
import { scale, seed } from '../../property/seed.ts'
import { addComputer, addPerson, office } from './office.ts'
import { makeBatch, type Rows, withIds } from './random-batches.ts'
import { describeBatches } from './send-batch.ts'

/** The number of random batches on each database. */
const batches = 60 * scale

const textOrNull = (value: unknown) => (value === null ? null : String(value))

describeBatches('Random batches', office, (app) => {
  const read = async (): Promise<Rows> => {
    const people = await app.rows('select id, name, boss_id from person')
    const computers = await app.rows('select id, serial, person_id from computer')
    const members = await app.rows('select person_id from membership where team_id = 1')
    return {
      people: new Map(
        people.map(({ id, name, boss_id }) => [
          String(id),
          { name: String(name), boss: textOrNull(boss_id) },
        ]),
      ),
      computers: new Map(
        computers.map(({ id, serial, person_id }) => [
          String(id),
          { serial: String(serial), owner: textOrNull(person_id) },
        ]),
      ),
      members: new Set(members.map(({ person_id }) => String(person_id))),
    }
  }

  it(`do to the tables what they do to plain objects, or nothing (PROPERTY_SEED=${seed})`, async () => {
    const random = randomOf(seed)
    let rows = await read()
    let failed = 0
    for (let round = 0; round < batches; round += 1) {
      const { operations, after, failing } = makeBatch(rows, random, `b${round}`)
      const response = await app.batch(operations)
      const about = `PROPERTY_SEED=${seed}, batch ${round}: ${JSON.stringify({ operations, document: response.document })}`
      if (failing === undefined) {
        assert.equal(response.status, 200, about)
        assert.equal(response.results.length, operations.length, about)
        rows = withIds(
          after,
          response.results.map(({ data }) => String(data?.id)),
        )
      } else {
        failed += 1
        assert.ok(response.status === 404 || response.status === 409, about)
        const [error] = response.errors
        const pointer = `/atomic:operations/${failing}`
        assert.ok(error?.source?.pointer?.startsWith(pointer), about)
      }
      assert.deepEqual(await read(), rows, about)
      // The tables stay small, so that operations meet.
      if (rows.people.size > 40) {
        await app.reset()
        rows = await read()
      }
    }
    assert.ok(failed > 0 && failed < batches, `${failed} of ${batches} failed`)
  })

  it('of several clients are each whole, and none is lost', async () => {
    const clients = 8
    const [before] = await app.rows('select count(*) as n from person')
    const responses = await Promise.all(
      Array.from({ length: clients }, (_, client) => {
        const owner = { type: 'person', lid: 'p' }
        const isFailing = client % 4 === 3
        return app.batch([
          addPerson(`client ${client}`, 'p'),
          addComputer(`${client} one`, owner),
          addComputer(`${client} two`, owner),
          {
            op: 'update',
            ref: { type: 'person', id: isFailing ? '99999' : '1', relationship: 'boss' },
            data: owner,
          },
        ])
      }),
    )
    const statuses = responses.map(({ status }) => status)
    assert.deepEqual(statuses, [200, 200, 200, 404, 200, 200, 200, 404])
    const [after] = await app.rows('select count(*) as n from person')
    assert.equal(Number(after?.n) - Number(before?.n), 6)
    const owners = await app.rows(
      'select p.name, count(*) as n from computer c join person p on p.id = c.person_id group by p.name',
    )
    assert.deepEqual(
      owners.map(({ n }) => Number(n)),
      [2, 2, 2, 2, 2, 2],
    )
  })

  it('with the largest body and the most operations run, and one more byte or operation is rejected', async () => {
    const limit = 1_048_576
    const many = Array.from({ length: 20 }, (_, index) => addPerson(`p${index}`))
    const size = JSON.stringify({ 'atomic:operations': many }).length
    const fill = (bytes: number) => [addPerson(`p0${'x'.repeat(bytes - size)}`), ...many.slice(1)]
    assert.equal((await app.batch(fill(limit))).status, 200)
    assert.equal((await app.batch(fill(limit + 1))).status, 413)
    const { status, errors } = await app.batch([...many, addPerson('more')])
    assert.deepEqual([status, errors[0]?.code], [400, 'too_many_operations'])
  })
})
