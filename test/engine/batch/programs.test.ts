import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  type Client,
  createApi,
  defineModel,
  idempotencyTable,
  resource,
  text,
} from 'lapidary'
import { createClient, type HttpClient } from 'lapidary/client'
import { createHandler } from '../../../src/http/adapters/fetch.ts'
import { openStore } from '../engine.ts'
import { office, type officeModel } from './office.ts'
import { describeBatches } from './send-batch.ts'

type Types = (typeof officeModel)['declarations']
/** Both clients have the same call. */
type Writer = Pick<Client<Types>, 'atomic'> | Pick<HttpClient<Types>, 'atomic'>

describeBatches('Several writes of a program', office, (app) => {
  const { model } = office
  const clients: Readonly<Record<string, () => Writer>> = {
    'in process': () => createApi({ model, store: app.store, prefix: '/v1' }).with() as Writer,
    'over HTTP': () => {
      const handle = createHandler({ model, store: app.store, prefix: '/v1' })
      return createClient<typeof officeModel>({
        url: 'http://office.test/v1',
        fetch: (url, init) => handle(new Request(url, init)),
      })
    },
  }
  const atomic = (name: string): Writer['atomic'] => {
    const client = clients[name]?.()
    assert.ok(client)
    return client.atomic
  }
  const names = async () =>
    (await app.rows('select name from person order by id')).map(({ name }) => name)

  for (const name of Object.keys(clients)) {
    it(`returns the results of the operations that its function returns, ${name}`, async () => {
      const { person, all } = await atomic(name)((batch) => {
        const added = batch.create('person', { name: 'Eve' })
        const computer = batch.create('computer', { serial: 'x', owner: added })
        batch.relate('team', '1', 'people', { add: [added, '1'] })
        const updated = batch.update('person', added, { note: 'new' })
        return { person: added, all: [computer, updated, batch.remove('computer', '2')] }
      })
      assert.equal(person.name, 'Eve')
      const [computer, updated, removed] = all
      assert.deepEqual([computer.serial, updated.note, removed], ['x', 'new', undefined])
      const rows = await app.rows(
        'select p.name from computer c join person p on p.id = c.person_id',
      )
      assert.deepEqual(rows, [{ name: 'Eve' }])
      const members = await app.rows('select person_id from membership order by person_id')
      assert.deepEqual(
        members.map(({ person_id }) => String(person_id)),
        ['1', person.id],
      )
    })

    it(`replaces no relationship by the part of it that was read, ${name}`, async () => {
      const writer = clients[name]?.()
      assert.ok(writer)
      const calls = Object(writer)
      const get = (query: object) =>
        name === 'in process' ? calls.get('team', '1', query) : calls.team.get('1', query)
      const members = async () => (await app.rows('select person_id from membership')).length
      await writer.atomic((batch) => batch.relate('team', '1', 'people', { replace: ['1', '2'] }))
      const queries = [
        { include: ['people'], includePage: { people: { size: 1 } } },
        { include: ['people'], includeFilter: { people: { id: '1' } } },
      ]
      for (const query of queries) {
        const { people, ...rest } = await get(query)
        assert.equal(people.length, 1)
        const copies = [
          { people },
          { ...rest, people: [...people] },
          structuredClone({ ...rest, people }),
        ]
        for (const copy of copies)
          await assert.rejects(
            writer.atomic((batch) => batch.update('team', '1', copy)),
            /is a part of the members/,
          )
        await assert.rejects(
          writer.atomic((batch) => batch.relate('team', '1', 'people', { replace: people })),
          /is a part of the members/,
        )
        await writer.atomic((batch) => batch.relate('team', '1', 'people', { add: people }))
      }
      assert.equal(await members(), 2)
      const { people } = await get({ include: ['people'] })
      await writer.atomic((batch) => batch.update('team', '1', { people }))
      assert.equal(await members(), 2)
    })

    it(`refuses the id of a new resource that the database generates, ${name}`, async () => {
      const refused = atomic(name)((batch) => {
        batch.create('person', { name: 'Eve', ...{ id: '1' } })
        return batch.update('person', '1', { note: 'new' })
      })
      await assert.rejects(
        refused,
        / remove the id "1"; other operations name the resource by a lid\./,
      )
    })

    it(`calls actions, ${name}`, async () => {
      const [renamed, counted] = await atomic(name)((batch) => {
        batch.create('person', { name: 'Eve' })
        return [
          batch.call('person', 'rename', { id: '1', parameters: { to: 'Ida' } }),
          batch.call('person', 'count', {}),
        ]
      })
      assert.equal(renamed.name, 'Ida')
      assert.deepEqual(counted, { persons: '3' })
    })

    it(`a dry run has no id of a resource that it creates, ${name}`, async () => {
      const tried = await atomic(name)(
        (batch) => {
          const added = batch.create('person', { name: 'Eve' })
          return [added, batch.update('person', added, { note: 'new' })] as const
        },
        { dryRun: true, fields: { person: ['note'] } },
      )
      const [added, updated]: readonly object[] = tried.result
      assert.deepEqual(
        [added, updated],
        [
          { type: 'person', note: null },
          { type: 'person', note: 'new' },
        ],
      )
    })

    it(`has dry runs and a limit of rows, ${name}`, async () => {
      const work = (batch: Parameters<Parameters<Writer['atomic']>[0]>[0]) => ({
        added: batch.create('person', { name: 'Eve' }),
        all: [batch.update('person', '1', { note: 'new' }), batch.remove('computer', '2')] as const,
      })
      const before = await names()
      const tried = await atomic(name)(work, { dryRun: true, fields: { person: ['name'] } })
      assert.deepEqual(tried, {
        dryRun: true,
        affected: {
          person: { created: 1, updated: 1 },
          computer: { deleted: 1 },
        },
        members: {},
        result: {
          added: { type: 'person', name: 'Eve' },
          all: [{ type: 'person', id: '1', name: 'Ada' }, undefined],
        },
      })
      const refused = { status: 422, code: 'too_many_affected' }
      await assert.rejects(atomic(name)(work, { maxAffected: 2 }), refused)
      await assert.rejects(atomic(name)(work, { maxAffected: 2, dryRun: true }), refused)
      await assert.rejects(atomic(name)(work, { dryRun: 'no' as never }), {
        status: 400,
        code: 'invalid_preference',
      })
      assert.deepEqual(await names(), before)
      const { added } = await atomic(name)(work, { maxAffected: 3 })
      assert.equal(added.name, 'Eve')
    })

    it(`stores nothing of a batch with an error, and points to the operation, ${name}`, async () => {
      const failing = atomic(name)((batch) => {
        batch.create('person', { name: 'Eve' })
        batch.update('person', '99', { note: 'x' })
      })
      await assert.rejects(failing, (error: Error) => {
        assert.match(error.message, /99/)
        return true
      })
      assert.deepEqual(await names(), ['Ada', 'Bob'])
    })

    it(`returns only the fields of a fieldset, ${name}`, async () => {
      const person = await atomic(name)((batch) => batch.create('person', { name: 'Eve' }), {
        fields: { person: ['note'] },
      })
      assert.deepEqual({ ...person }, { type: 'person', id: person.id, note: null })
    })

    it(`rejects a function that is asynchronous, and operations after its end, ${name}`, async () => {
      let late: (() => unknown) | undefined
      // @ts-expect-error: a promise is no result
      const work: never = async () => {}
      await assert.rejects(atomic(name)(work), /must not be asynchronous/)
      await atomic(name)((batch) => {
        batch.create('person', { name: 'Eve' })
        late = () => batch.create('person', { name: 'Max' })
      })
      assert.throws(() => late?.(), /has ended/)
      assert.deepEqual(await names(), ['Ada', 'Bob', 'Eve'])
    })

    it(`rejects a resource of another type as its target, ${name}`, async () => {
      const confused = atomic(name)((batch) => {
        const person = batch.create('person', { name: 'Eve' })
        // @ts-expect-error: it is no computer
        batch.remove('computer', person)
        // @ts-expect-error: nor does it own one
        batch.create('person', { name: 'Max', boss: batch.create('team', {}) })
      })
      await assert.rejects(confused, TypeError)
    })

    it(`has a condition for each operation, ${name}`, async () => {
      const status = (ifMatch: string) =>
        atomic(name)((batch) => batch.update('order', '1', { status: 'paid' }, { ifMatch }))
      await assert.rejects(status('none'), (error: Error) => {
        assert.equal(Reflect.get(error, 'status'), 412)
        return true
      })
      assert.equal((await status('*')).status, 'paid')
    })
  }
})

/** A type with the name of the call, as it may have been before there was one. */
const named = resource('atomic', {
  path: '/atomics',
  table: 'atomic',
  fields: { name: attribute(text) },
})
const namedModel = defineModel([named], { atomic: true, principal: () => 'everybody' })

describeBatches(
  'A batch of a program with a key',
  {
    model: namedModel,
    tables: ({ newId }) => `create table atomic (id ${newId}, name text);\n${idempotencyTable}`,
    fill: `insert into atomic (name) values ('stored')`,
  },
  (app) => {
    const count = async () => Number((await app.rows('select count(*) as n from atomic'))[0]?.n)
    const client = () => {
      const handle = createHandler({ model: namedModel, store: app.store })
      return createClient<typeof namedModel>({
        url: 'http://office.test',
        fetch: (url, init) => handle(new Request(url, init)),
      })
    }
    const programs: Readonly<Record<string, () => Pick<Client<NamedTypes>, 'atomic'>>> = {
      'in process': () => createApi({ model: namedModel, store: app.store }).with(),
      'over HTTP': client,
    }
    for (const [name, create] of Object.entries(programs))
      it(`runs once, and returns the same again, ${name}`, async () => {
        const write = (text: string) =>
          create().atomic((batch) => batch.create('atomic', { name: text }), {
            idempotencyKey: name.replaceAll(' ', '-'),
          })
        const [first, second] = [await write('a'), await write('a')]
        assert.deepEqual({ ...second }, { ...first })
        await assert.rejects(write('b'), (error: Error) => {
          assert.equal(Reflect.get(error, 'code'), 'key_reused')
          return true
        })
        assert.equal(await count(), 2)
      })

    it('a type of the name of the call keeps its operations', async () => {
      const { data } = await client().atomic.list()
      assert.deepEqual(
        data.map(({ name }) => name),
        ['stored'],
      )
    })
  },
)

it('A model without operations has none in process', async () => {
  const model = defineModel([named])
  const store = await openStore(model, 'sqlite::memory:')
  const write = createApi({ model, store })
    .with()
    .atomic((batch) => batch.create('atomic', {}))
  await assert.rejects(write, { code: 'route_not_found' })
  await store.close()
})

it('A model refuses another version of JSON:API', () => {
  assert.throws(
    // @ts-expect-error: there is no such version
    () => defineModel([named], { jsonapi: '1.2' }),
    /options\.jsonapi: "1.2" is not allowed/,
  )
})

type NamedTypes = (typeof namedModel)['declarations']
