import assert from 'node:assert/strict'
import type { Answer, Fault, Identifier, Resource, World } from '../world.ts'

/** An id that is never used. */
export const missingId = '999999'

/** The persons and computers that most conformance tests play with. */
export interface Samples {
  /** A person with one computer, `engine`, and with an e-mail address. */
  readonly ada: Resource
  /** A person with one computer, `compiler`. */
  readonly grace: Resource
  /** A person without computers. */
  readonly rosa: Resource
  /** Ada's computer. */
  readonly engine: Resource
  /** Grace's computer. */
  readonly compiler: Resource
  /** A computer without an owner. */
  readonly orphan: Resource
}

/** Creates the cast over HTTP. */
export async function createSamples(world: World): Promise<Samples> {
  const ada = await world.person({
    name: 'Ada',
    email: 'ada@example.org',
    birth_date: '1815-12-10',
  })
  const grace = await world.person({ name: 'Grace', birth_date: '1906-12-09', gender: 'female' })
  const rosa = await world.person({ name: 'Rosa' })
  const engine = await world.computer({ serial: 'engine' }, ada)
  const compiler = await world.computer({ serial: 'compiler' }, grace)
  const orphan = await world.computer({ serial: 'orphan' })
  return { ada, grace, rosa, engine, compiler, orphan }
}

/** The identifier of a resource, as it stands in linkage. */
export function identifier({ type, id }: Identifier): Identifier {
  return { type, id }
}

/** The identifier of a computer that does not exist. */
export const missingComputer: Identifier = { type: 'computer', id: missingId }

/** The identifier of a person that does not exist. */
export const missingPerson: Identifier = { type: 'person', id: missingId }

/** How many resources a collection holds in all. */
export async function countResources(world: World, path: string): Promise<unknown> {
  return (await world.get(path)).body.meta?.count
}

/** The identifiers of a person's computers, as her relationship route tells them. */
export async function computersOf(world: World, person: Identifier): Promise<unknown> {
  const answer = await world.get(`/persons/${person.id}/relationships/computers`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

/** The identifier of a computer's owner, or `null`, as its relationship route tells it. */
export async function ownerOf(world: World, computer: Identifier): Promise<unknown> {
  const answer = await world.get(`/computers/${computer.id}/relationships/owner`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

/**
 * Asserts that a request was refused with this status, its first fault in this place.
 *
 * @param source - where the fault lies; left out, it may lie anywhere
 * @returns the first fault
 */
export function assertError(answer: Answer, status: number, source?: Fault['source']): Fault {
  assert.equal(answer.status, status, answer.text)
  const { fault } = answer
  assert.equal(fault.status, String(status), answer.text)
  assert.ok(fault.detail.length > 0, answer.text)
  if (source) assert.deepEqual(fault.source, source, answer.text)
  return fault
}

/** Asserts that a request was refused with this status, its first fault at or below a pointer. */
export function assertErrorWithin(answer: Answer, status: number, pointer: string): Fault {
  const fault = assertError(answer, status)
  const place = fault.source?.pointer ?? 'none'
  assert.ok(place === pointer || place.startsWith(`${pointer}/`), `${place}\n${answer.text}`)
  return fault
}
