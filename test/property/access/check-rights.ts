import assert from 'node:assert/strict'
import { actionNames } from './declared-calls.ts'
import { lastForeignNumber } from './out-of-scope.ts'
import { isOfRow } from './random-rules.ts'
import { compareIds, type Reference } from './reference.ts'
import type { TestRequest } from './requests.ts'
import { nextOf, otherTenant, rankedAttributes, type Type, toId, types } from './schema.ts'
import type { Data, Thing } from './things.ts'
import type { Send } from './transports.ts'

/** The context of the checks of an identity. */
interface RightsContext {
  readonly send: Send
  readonly reference: Reference
  readonly data: Data
  readonly hint: string
}

/**
 * Compares the rights of an identity to a type with the reference: by which attributes it filters and sorts, which rows its
 * declared queries find, and which actions it may call. The actions and the updates change nothing.
 */
export async function assertRights(
  send: Send,
  reference: Reference,
  data: Data,
  { type, hint }: Readonly<{ type: Type; hint: string }>,
): Promise<void> {
  const context = { send, reference, data, hint }
  for (const name of rankedAttributes) await assertRanked(type, name, context)
  await assertQueries(type, context)
  await assertCalls(type, context)
  await assertForms(type, context)
  for (const each of types) await assertFixed(each, context)
}

/** An update of an immutable field to what the identity may not read is refused, or ignored, whatever is stored. */
async function assertFixed(type: Type, context: RightsContext): Promise<void> {
  const { send, reference, data, hint } = context
  const isHidden = (id: string) => {
    const row = data.things[nextOf[type]].get(id)
    return row === undefined || !reference.canRead(nextOf[type], row, data)
  }
  const update = async ({ id }: Thing, change: object) => {
    const body = { data: { type, id, ...change } }
    return toErrors(await send({ method: 'PATCH', path: `/${type}/${id}`, body }))
  }
  for (const thing of data.things[type].values()) {
    if (!reference.canRead(type, thing, data)) continue
    const link = (id: string) => ({
      relationships: { next: { data: { type: nextOf[type], id } } },
    })
    const guesses: (readonly [guess: object, other: object])[] = (['note', 'secret'] as const)
      .filter((name) => reference.isFixed(type, name) && !reference.isVisible(type, name))
      .map((name) => [
        { attributes: { [name]: thing[name] ?? 'ash' } },
        { attributes: { [name]: 'other' } },
      ])
    if (reference.isFixed(type, 'next') && thing.next !== null && isHidden(thing.next))
      guesses.push([link(thing.next), link(toId(nextOf[type], '98'))])
    for (const [guess, other] of guesses) {
      const expected = await update(thing, other)
      const at = `${hint}: ${type} ${thing.id} ${JSON.stringify(guess)}`
      assert.deepEqual(await update(thing, guess), expected, at)
    }
  }
}

/** The page of a resource has the forms that its row admits. One of each type is enough. */
async function assertForms(type: Type, context: RightsContext): Promise<void> {
  const { send, reference, data, hint } = context
  const thing = [...data.things[type].values()].find((row) => reference.canRead(type, row, data))
  if (thing === undefined) return
  const path = `/${type}/${thing.id}`
  const page = await send({ method: 'GET', path, accept: 'text/html' })
  const found = [...page.matchAll(/data-method="(\w+)"(?: data-call="(\w+)")?/g)]
  const isWritten = !reference.isNeverWritten(type)
  const mayDo = (operation: 'update' | 'delete' | 'call') =>
    reference.allows(operation, type, thing, data)
  const actions = actionNames.filter((name) => mayDo('call') && reference.isCallable(type, name))
  assert.deepEqual(
    found.map(([, method, action]) => action ?? method),
    [
      ...actions,
      ...(isWritten && mayDo('update') ? ['PATCH'] : []),
      ...(isWritten && mayDo('delete') ? ['DELETE'] : []),
    ],
    `${hint}: forms of ${path}`,
  )
}

/** A create with an id of another tenant is refused alike, whether that tenant has the row or not. */
export async function assertForeignIds(send: Send, hint: string): Promise<void> {
  const create = async (number: string) => {
    const data = { type: 'blue', id: `${otherTenant},${number}` }
    return toErrors(await send({ method: 'POST', path: '/blue', body: { data } }))
  }
  assert.deepEqual(await create(lastForeignNumber), await create('99'), hint)
}

/** The status and the errors of a response, without their texts, which name the values that were sent. */
function toErrors(response: string): unknown {
  const { errors = [] } = parseBody(response) as { errors?: { code: string; source?: object }[] }
  return [response.slice(0, 3), errors.map(({ code, source }) => [code, source])]
}

type RankedName = (typeof rankedAttributes)[number]

/** The names by which requests filter and sort by an attribute: a path in JSON; arrays only filter. */
function toTerms(name: RankedName): Readonly<{ filter: object; sort?: string }> {
  const equals = (path: string, val: unknown) => ({ name: path, op: 'eq', val })
  switch (name) {
    case 'rank':
      return { filter: equals(name, 1), sort: name }
    case 'place':
      return { filter: equals('place__word', 'ash'), sort: 'place.word' }
    case 'info':
      return { filter: equals('info__place__word', 'ash'), sort: 'info.place.word' }
    case 'marks':
    case 'tags':
      return { filter: { name, op: 'contains', val: ['ash'] } }
    default:
      return { filter: equals(name, 'ash'), sort: name }
  }
}

/** An attribute by which an identity may not filter or sort does not exist there, and no error suggests it. */
async function assertRanked(type: Type, name: RankedName, context: RightsContext): Promise<void> {
  const { send, reference, hint } = context
  const { filter, sort } = toTerms(name)
  const check = async (right: 'filterable' | 'sortable', search: string) => {
    const path = `/${type}?${search}&page[size]=1`
    const response = await send({ method: 'GET', path })
    const isAllowed = reference.isRanked(right, type, name)
    assert.equal(response.slice(0, 3), isAllowed ? '200' : '400', `${hint}: ${path}: ${response}`)
    if (isAllowed) return
    const { errors } = parseBody(response) as { errors: readonly { detail: string }[] }
    const named = errors.flatMap(
      ({ detail }) => detail.slice(detail.indexOf(';')).match(/\w+/g) ?? [],
    )
    for (const other of rankedAttributes)
      if (!reference.isRanked(right, type, other))
        assert.ok(!named.includes(other), `${hint}: ${path} suggests ${other}: ${response}`)
  }
  await check('filterable', `filter=${encodeURIComponent(JSON.stringify([filter]))}`)
  if (sort !== undefined) await check('sortable', `sort=${sort}`)
}

/** A declared query finds readable rows only, by themselves and inside of a negation. */
async function assertQueries(
  type: Type,
  { send, reference, data, hint }: RightsContext,
): Promise<void> {
  const call = { name: 'ranked', op: 'call', val: { least: 2 } }
  for (const filter of [call, { not: call }]) {
    const path = `/${type}?filter=${encodeURIComponent(JSON.stringify([filter]))}&page[size]=0&fields[${type}]=`
    const response = await send({ method: 'GET', path })
    const isFound = ({ rank }: Thing) => (rank !== null && rank >= 2) === (filter === call)
    const expected = [...data.things[type].values()]
      .filter((thing) => reference.canRead(type, thing, data) && isFound(thing))
      .map(({ id }) => id)
    assertList(response, expected, `${hint}: ${path}`)
  }
}

function assertList(response: string, expected: readonly string[], hint: string): void {
  const { data, meta } = parseBody(response) as {
    data?: readonly { id: string }[]
    meta: { count: number }
  }
  assert.ok(data, `${hint}: ${response}`)
  const sorted = expected.toSorted(compareIds)
  assert.deepEqual(
    data.map(({ id }) => id),
    sorted,
    hint,
  )
  assert.equal(meta.count, sorted.length, hint)
}

/** The actions that change nothing. */
async function assertCalls(type: Type, context: RightsContext): Promise<void> {
  const { send, reference, data, hint } = context
  const rows = [...data.things[type].values()].filter(({ id }) => compareIds(id, '100') < 0)
  const mayCall = (thing: Thing, action: string) =>
    reference.allows('call', type, thing, data) && reference.isCallable(type, action)
  for (const thing of rows) {
    const request = post(`/${type}/${thing.id}/actions/check`)
    const status = mayCall(thing, 'check') ? '200' : '403'
    const expected = reference.canRead(type, thing, data) ? status : '404'
    const response = await send(request)
    assert.equal(response.slice(0, 3), expected, `${hint}: ${request.path}: ${response}`)
  }
  const absent = await send(post(`/${type}/${toId(type, '98')}/actions/check`))
  assert.match(absent, /^404 /, `${hint}: ${absent}`)
  if (isOfRow(reference.callRule(type))) return
  const [any] = data.things[type].values()
  const readable = [...data.things[type].values()].filter((row) =>
    reference.canRead(type, row, data),
  )
  for (const [name, parameters] of [
    ['count', {}],
    ['find', { least: 2 }],
  ] as const) {
    const response = await send(post(`/${type}/actions/${name}`, parameters))
    const at = `${hint}: ${type} ${name}`
    const isAllowed = any !== undefined && mayCall(any, name)
    assert.equal(response.slice(0, 3), isAllowed ? '200' : '403', `${at}: ${response}`)
    if (!isAllowed) continue
    const { meta } = parseBody(response) as { meta: unknown }
    if (name === 'count') assert.deepEqual(meta, { count: readable.length }, at)
    else
      assertList(
        response,
        readable.filter(({ rank }) => (rank ?? 0) >= 2).map(({ id }) => id),
        at,
      )
  }
}

function post(path: string, meta: object = {}): TestRequest {
  return { method: 'POST', path, body: { meta } }
}

/** Reads the body in the text of a response. */
function parseBody(response: string): unknown {
  return JSON.parse(response.slice(response.indexOf('] {') + 2))
}
