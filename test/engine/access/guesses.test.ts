import assert from 'node:assert/strict'
import { it } from 'node:test'
import { attribute, declare, integer, text, toMany, toOne, uuid } from 'lapidary'
import type { ColumnTypes } from '../../databases.ts'
import { engine } from '../engine.ts'

/** The identity of a request: the header field `x-user` is its number. Number 1 is the user, and 2 the lead. */
interface User {
  readonly id: number
}

const { resource, defineModel, auth } = declare<{ auth: User }>()
const isLead = auth((user) => user.id === 2)
const isOwn = { filter: [{ name: 'owner', op: 'eq', val: auth((user) => user.id) }] }

type Values = Readonly<Record<string, unknown>>

/** Reports the path of every attribute that has the same value as `name`. */
const differ = {
  '~standard': {
    ...({ version: 1, vendor: 'test' } as const),
    validate: (value: unknown) => {
      // The engine passes the attributes by name.
      const { name, ...others } = value as Values
      const same = Object.keys(others).filter((other) => name !== null && others[other] === name)
      const paths = name === 'nowhere' ? ['no_field'] : same
      if (paths.length === 0) return { value: value as Values }
      return { issues: paths.map((path) => ({ message: 'must differ', path: [path] })) }
    },
  },
} as const

const room = resource('room', {
  path: '/rooms',
  table: 'room',
  access: { read: isOwn },
  fields: { owner: attribute(integer) },
})
const item = resource('item', {
  path: '/items',
  table: 'item',
  validate: differ,
  fields: {
    name: attribute(text),
    pin: attribute(text, { access: 'immutable', readable: isLead }),
    // Everybody may set it, and nobody else may read it.
    seal: attribute(text, { access: 'immutable', readable: isLead, writable: true }),
    ssn: attribute(text, { readable: isLead }),
    room: toOne('room', { column: 'room_id', access: 'immutable' }),
    doors: toMany('room', {
      access: 'immutable',
      through: { table: 'door', from: 'item_id', to: 'room_id' },
    }),
  },
})
const box = resource('box', {
  path: '/boxes',
  table: 'box',
  fields: {
    name: attribute(text),
    stamp: attribute(text, { readable: isLead, set: auth((user) => `u${user.id}`) }),
  },
})

/** Its ids are those of clients, and only its owner reads it. */
const badge = resource('badge', {
  path: '/badges',
  table: 'badge',
  id: { kind: uuid, client: 'required' },
  access: { read: isOwn, create: isOwn },
  fields: { owner: attribute(integer) },
})

const served = {
  model: defineModel([room, item, box, badge]),
  tables: ({ newId, uuid }: ColumnTypes) => `
    create table badge (id ${uuid} primary key, owner integer);
    create table room (id ${newId}, owner integer);
    create table item (id ${newId}, name text, pin text, seal text, ssn text, room_id integer references room (id));
    create table door (item_id integer not null, room_id integer not null, primary key (item_id, room_id));
    create table box (id ${newId}, name text, stamp text unique check (stamp <> 'u3'));
    insert into room (id, owner) values (82, 2), (83, 2), (85, 1);
    insert into item (id, name, pin, seal, ssn, room_id) values (1, 'a', 'RIGHT', 'RIGHT', 'S1', 82), (2, 'b', 'p', 's', 'S2', 85);
    insert into door values (1, 82), (1, 85);
    insert into box (id, name, stamp) values (1, 'a', 'u1')`,
  server: {
    authenticate: ({ headers }: { headers: Record<string, string | string[] | undefined> }) => ({
      id: Number(headers['x-user'] ?? 1),
    }),
  },
}

engine('Guesses of what an identity may not read', served, (app) => {
  const call = (method: string, path: string, body?: unknown, user = '1') =>
    app.call(method, path, { headers: { 'x-user': user }, body })
  const patch = (members: object, user?: string) =>
    call('PATCH', '/items/1', { data: { type: 'item', id: '1', ...members } }, user)
  const relate = (...ids: readonly string[]) => ids.map((id) => ({ type: 'room', id }))

  /** Asserts that all guesses have the same response, but for what was sent. */
  async function alike(
    guesses: readonly string[],
    ask: (guess: string) => Promise<{ status: number; text: string }>,
  ): Promise<string> {
    const answers = new Set<string>()
    for (const guess of guesses) {
      const { status, text: document } = await ask(guess)
      answers.add(`${status} ${document.replaceAll(`"${guess}"`, '·').replaceAll(guess, '·')}`)
    }
    assert.equal(answers.size, 1, [...answers].join('\n'))
    return [...answers].join()
  }

  it('that exists already has a version only for who may read it', async () => {
    const create = (user: string) =>
      app.call('POST', '/badges', {
        headers: { 'x-user': user, 'if-none-match': '*' },
        body: {
          data: {
            ...{ type: 'badge', id: '5d1ad4d3-3d8c-4a7a-9f35-0a4f3b2b3f10' },
            attributes: { owner: Number(user) },
          },
        },
      })
    const created = await create('1')
    assert.equal(created.status, 201)
    const [own, others] = [await create('1'), await create('2')]
    for (const { status, body } of [own, others])
      assert.deepEqual([status, body.errors?.[0]?.code], [412, 'already_exists'])
    const version = String(created.headers.etag).slice(1).split('.')[0]
    assert.deepEqual(own.body.errors?.[0]?.meta, { version })
    assert.equal(others.body.errors?.[0]?.meta, undefined)
  })

  for (const name of ['pin', 'seal', 'zzzz'])
    it(`of the immutable attribute ${name} are unknown names`, async () => {
      const guesses = ['RIGHT', 'WRONG']
      const answer = await alike(guesses, (guess) => patch({ attributes: { [name]: guess } }))
      assert.match(answer, /^422 .*unknown_field/)
      assert.ok(answer.includes(`item has no attribute \\"${name}\\"`), answer)
    })

  it('of an immutable attribute are compared for who may read it', async () => {
    const answers = ['RIGHT', 'WRONG'].map((pin) => patch({ attributes: { pin } }, '2'))
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [200, 422],
    )
  })

  it('of an attribute that only a create sets are accepted there', async () => {
    const data = { type: 'item', attributes: { seal: 'x' } }
    assert.equal((await call('POST', '/items', { data })).status, 201)
  })

  it('of an immutable to-one relationship are answered alike: a stored hidden row, another one and none', async () => {
    const ask = (id: string) => patch({ relationships: { room: { data: relate(id)[0] } } })
    assert.match(await alike(['82', '83', '89'], ask), /related_not_found.*read_only/)
    const at = (id: string) => call('PATCH', '/items/1/relationships/room', { data: relate(id)[0] })
    await alike(['82', '83', '89'], at)
  })

  it('of an immutable to-many relationship are answered alike', async () => {
    const ask = (id: string) => patch({ relationships: { doors: { data: relate('85', id) } } })
    assert.match(await alike(['82', '83', '89'], ask), /related_not_found.*read_only/)
  })

  it('an update may repeat what the identity sees of immutable relationships, and hidden links stay', async () => {
    const relationships = { room: { data: null }, doors: { data: relate('85') } }
    assert.equal((await patch({ relationships })).status, 200)
    const { one } = await call('GET', '/items/1?include=room,doors', undefined, '2')
    assert.deepEqual(one.relationships?.room?.data, { type: 'room', id: '82' })
    assert.deepEqual(one.relationships?.doors?.data, [{ type: 'room', id: '82' }])
  })

  it('an update of an immutable relationship to another row that the identity may read is rejected', async () => {
    const { error } = await patch({ relationships: { room: { data: relate('85')[0] } } })
    assert.equal(error.code, 'read_only')
  })

  it('a validator names no field that does not exist for the identity', async () => {
    const hidden = await patch({ attributes: { name: 'S1' } })
    const unknown = await patch({ attributes: { name: 'nowhere' } })
    assert.equal(hidden.text, unknown.text)
    const { detail, source } = hidden.error
    assert.deepEqual(
      { detail, source },
      { detail: 'item: must differ.', source: { pointer: '/data' } },
    )
    const named = (await patch({ attributes: { name: 'S1' } }, '2')).error
    assert.deepEqual(named.source, { pointer: '/data/attributes/ssn' })
  })

  for (const [title, user] of [
    ['unique', '1'],
    ['check', '3'],
  ] as const)
    it(`a ${title} constraint of a column that the server sets names no hidden field`, async () => {
      const data = { type: 'box', attributes: { name: 'b' } }
      const { status, text: document, error } = await call('POST', '/boxes', { data }, user)
      assert.ok([409, 422].includes(status), document)
      assert.deepEqual(error.source, { pointer: '/data' })
      assert.doesNotMatch(document, /stamp|u1|u3/)
    })
})
