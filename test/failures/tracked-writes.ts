import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { connect } from '../client.ts'
import { parseResponse } from '../test-response.ts'

/** The persons and computers of one client, by names that no other client uses. */
export interface State {
  readonly persons: ReadonlyMap<string, Readonly<{ id: string; email: string | null }>>
  /** With the names of their owners. */
  readonly computers: ReadonlyMap<string, Readonly<{ id: string; owner: string | null }>>
}

/** A state without its ids, for comparisons: a line for each resource. */
function linesOf({ persons, computers }: State): string[] {
  return [
    ...Array.from(persons, ([name, { email }]) => `person ${name} ${email}`),
    ...Array.from(computers, ([serial, { owner }]) => `computer ${serial} of ${owner}`),
  ].sort()
}

/** A request that changes a state, and the state after it. `after` gets the ids that the service generates. */
interface Write {
  readonly method: string
  readonly path: string
  readonly data?: unknown
  /** The operations of a batch, instead of data. */
  readonly operations?: readonly object[]
  readonly after: (...ids: readonly string[]) => State
}

const batchType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/** The maximum number of persons, and of computers, of a client. */
const most = 6

/** Every kind of write for a state; `undefined` if the state has no resource for it. */
const kinds: Readonly<Record<string, (state: State, name: string) => Write | undefined>> = {
  'create a person': (state, name) => {
    if (state.persons.size >= most) return undefined
    const owned = some(state)
    const attributes = { name, email: `${name}@example.org` }
    const data = { type: 'person', attributes, relationships: { computers: linkage(state, owned) } }
    const after = (id: string) =>
      withOwner(withPerson(state, name, id, attributes.email), owned, name)
    return { method: 'POST', path: '/persons?include=computers', data, after }
  },
  'create a computer': (state, serial) => {
    const [owner, person] = pick(state.persons) ?? []
    if (owner === undefined || state.computers.size >= most) return undefined
    const data = { type: 'computer', attributes: { serial } }
    const after = (id: string) => withComputer(state, serial, id, owner)
    return { method: 'POST', path: `/persons/${person?.id}/computers?include=owner`, data, after }
  },
  'create a computer alone': (state, serial) => {
    if (state.computers.size >= most) return undefined
    const data = { type: 'computer', attributes: { serial } }
    return {
      method: 'POST',
      path: '/computers',
      data,
      after: (id) => withComputer(state, serial, id, null),
    }
  },
  'update a person and what she owns': (state, text) => {
    const [name, person] = pick(state.persons) ?? []
    if (name === undefined || person === undefined) return undefined
    const owned = some(state)
    const { id } = person
    const email = `${text}@example.org`
    const relationships = { computers: linkage(state, owned) }
    const data = { type: 'person', id, attributes: { email }, relationships }
    const after = () =>
      withOwner(withPerson(withoutOwner(state, name), name, id, email), owned, name)
    return { method: 'PATCH', path: `/persons/${id}?include=computers.owner`, data, after }
  },
  'update a computer': (state) => {
    const [serial, computer] = pick(state.computers) ?? []
    const [owner, person] = pick(state.persons) ?? []
    if (serial === undefined || computer === undefined || owner === undefined) return undefined
    const relationships = { owner: { data: { type: 'person', id: person?.id } } }
    const data = { type: 'computer', id: computer.id, relationships }
    const after = () => withComputer(state, serial, computer.id, owner)
    return { method: 'PATCH', path: `/computers/${computer.id}?include=owner`, data, after }
  },
  'delete a person': (state) => {
    const [name, person] = pick(state.persons) ?? []
    if (name === undefined) return undefined
    const after = () => {
      const left = withoutOwner(state, name)
      return { ...left, persons: new Map([...left.persons].filter(([each]) => each !== name)) }
    }
    return { method: 'DELETE', path: `/persons/${person?.id}`, after }
  },
  'delete a computer': (state) => {
    const [serial, computer] = pick(state.computers) ?? []
    if (serial === undefined) return undefined
    const computers = new Map([...state.computers].filter(([each]) => each !== serial))
    return {
      method: 'DELETE',
      path: `/computers/${computer?.id}`,
      after: () => ({ ...state, computers }),
    }
  },
  'several writes in one request': (state, name) => {
    const [serial, computer] = pick(state.computers) ?? []
    if (state.persons.size >= most || state.computers.size + 2 > most) return undefined
    const owner = { data: { type: 'person', lid: 'p' } }
    const serials = [`${name}-a`, `${name}-b`]
    const email = `${name}@example.org`
    const operations = [
      { op: 'add', data: { type: 'person', lid: 'p', attributes: { name, email } } },
      ...serials.map((each) => ({
        op: 'add',
        data: { type: 'computer', attributes: { serial: each }, relationships: { owner } },
      })),
      ...(computer ? [{ op: 'remove', ref: { type: 'computer', id: computer.id } }] : []),
    ]
    const after = (...ids: readonly string[]) => {
      const [person = '?', ...added] = ids
      const left = new Map([...state.computers].filter(([each]) => each !== serial))
      const created = withPerson({ ...state, computers: left }, name, person, email)
      return serials.reduce(
        (all, each, index) => withComputer(all, each, added[index] ?? '?', name),
        created,
      )
    }
    return { method: 'POST', path: '/operations', operations, after }
  },
  'add to a relationship': (state) =>
    relationshipWrite(state, 'POST', (name, serials) => withOwner(state, serials, name)),
  'replace a relationship': (state) =>
    relationshipWrite(state, 'PATCH', (name, serials) =>
      withOwner(withoutOwner(state, name), serials, name),
    ),
  'remove from a relationship': (state) =>
    relationshipWrite(state, 'DELETE', (name, serials) => {
      const owned = serials.filter((serial) => state.computers.get(serial)?.owner === name)
      return withOwner(state, owned, null)
    }),
}

/** The names of the kinds of writes. */
export const writeKinds: readonly string[] = Object.keys(kinds)

/** A client that sends one write with a key after the other and tracks the expected rows. */
export class TrackedClient {
  /** The beginning of every name that it writes. */
  readonly prefix: string
  /** The acknowledged state. */
  state: State = { persons: new Map(), computers: new Map() }
  /** The write without a response. */
  #pending: (Write & Readonly<{ key: string; kind: string; isExecuted?: boolean }>) | undefined
  #count = 0

  constructor(prefix: string) {
    this.prefix = prefix
  }

  get isInDoubt(): boolean {
    return this.#pending !== undefined
  }

  /**
   * Writes until it is stopped or gets no response. It begins with a repetition of the write that got none.
   * @param acknowledged - counts acknowledged writes by kind
   * @throws Error when a write is rejected, or when its connection hangs
   */
  async write(url: string, stop: AbortSignal, acknowledged: Map<string, number>): Promise<void> {
    const session = connect(url)
    try {
      while (!stop.aborted) {
        this.#pending ??= this.#choose()
        if (this.#pending && !(await this.#send(session, acknowledged))) return
      }
    } finally {
      session.close()
    }
  }

  /** Repeats the write that got no response, if there is one. */
  async settle(url: string): Promise<void> {
    const session = connect(url)
    while (this.#pending) assert.ok(await this.#send(session, new Map()), 'no response')
    session.close()
  }

  #choose() {
    const kind = writeKinds[Math.floor(Math.random() * writeKinds.length)] ?? ''
    this.#count += 1
    const key = `${this.prefix}-${this.#count}`
    const write = kinds[kind]?.(this.state, key)
    return write && { ...write, key, kind }
  }

  /** Sends the pending write. @returns whether there was a response */
  async #send(
    session: ReturnType<typeof connect>,
    acknowledged: Map<string, number>,
  ): Promise<boolean> {
    if (this.#pending === undefined) return true
    const { method, path, data, operations, key, kind, after, isExecuted } = this.#pending
    const exchange = await session
      .send(method, path, {
        headers: { 'idempotency-key': key, ...(operations && { 'content-type': batchType }) },
        ...(data !== undefined && { body: { data } }),
        ...(operations && { body: { 'atomic:operations': operations } }),
      })
      .catch(unlessHanging)
    if (exchange === undefined) return false
    // An overloaded service has not begun with the request, and PostgreSQL may not have noticed the end of the first one.
    if (/"code":"(?:overloaded|request_in_progress)"/.test(exchange.text)) {
      await pause(20)
      return true
    }
    assert.ok(exchange.status < 300, `${kind}: ${exchange.status} ${exchange.text}`)
    if (isExecuted !== undefined)
      assert.equal(exchange.headers['idempotency-replayed'], isExecuted ? 'true' : undefined, kind)
    const { body } = parseResponse(exchange)
    const results: unknown = Reflect.get(body, 'atomic:results')
    const created = Array.isArray(results) ? results.map((each) => each.data) : [body.data]
    this.state = after(...(method === 'POST' ? created.map(idOf) : ['']))
    this.#pending = undefined
    acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + 1)
    return true
  }

  /**
   * Continues with the stored rows, which must be the acknowledged ones, with or without the write that has no response. That write will
   * be repeated with its key: it must be executed then if it was not, and replayed if it was.
   *
   * @returns whether that write was stored
   */
  continueWith(found: State): boolean {
    const lines = linesOf(found)
    const after = this.#pending && linesOf(this.#pending.after('?'))
    const without = linesOf(this.state)
    const isExecuted = after !== undefined && isDeepStrictEqual(lines, after)
    if (!isExecuted) assert.deepEqual(lines, without, `in doubt:\n${after?.join('\n')}`)
    // A write that changes nothing may have been executed or not.
    const isKnown = after !== undefined && !isDeepStrictEqual(without, after)
    if (this.#pending && isKnown) this.#pending = { ...this.#pending, isExecuted }
    this.state = found
    return isExecuted
  }
}

function unlessHanging(error: unknown): undefined {
  if (error instanceof Error && error.message.endsWith('no response')) throw error
}

function idOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : ''
}

function relationshipWrite(
  state: State,
  method: string,
  change: (name: string, serials: readonly string[]) => State,
): Write | undefined {
  const [name, person] = pick(state.persons) ?? []
  if (name === undefined || person === undefined) return undefined
  const serials = some(state)
  const path = `/persons/${person.id}/relationships/computers`
  const { data } = linkage(state, serials)
  return { method, path, data, after: () => change(name, serials) }
}

function linkage({ computers }: State, serials: readonly string[]) {
  return { data: serials.map((serial) => ({ type: 'computer', id: computers.get(serial)?.id })) }
}

function pick<T>(map: ReadonlyMap<string, T>): readonly [string, T] | undefined {
  return [...map][Math.floor(Math.random() * map.size)]
}

/** The serials of some computers. */
function some({ computers }: State): string[] {
  return [...computers.keys()].filter(() => Math.random() < 0.5)
}

function withPerson(state: State, name: string, id: string, email: string): State {
  return { ...state, persons: new Map([...state.persons, [name, { id, email }]]) }
}

function withComputer(state: State, serial: string, id: string, owner: string | null): State {
  return { ...state, computers: new Map([...state.computers, [serial, { id, owner }]]) }
}

function withOwner(state: State, serials: readonly string[], owner: string | null): State {
  const changed = [...state.computers].map(
    ([serial, computer]) =>
      [serial, serials.includes(serial) ? { ...computer, owner } : computer] as const,
  )
  return { ...state, computers: new Map(changed) }
}

/** Removes the owner of all computers of a person. */
function withoutOwner(state: State, name: string): State {
  const owned = [...state.computers].filter(([, { owner }]) => owner === name)
  return withOwner(
    state,
    owned.map(([serial]) => serial),
    null,
  )
}
