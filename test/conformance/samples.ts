import assert from 'node:assert/strict'
import type {
  ErrorObject,
  Identifier,
  Resource,
  TestResponse,
  TestService,
} from '../service-suite.ts'

/** An id that no resource has. */
export const missingId = '999999'

/** The persons and computers of most conformance tests. */
export interface Samples {
  /** A person with an e-mail address and one computer, `engine`. */
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

/** Creates the sample resources over HTTP, once for the tests of a suite that begin with that. */
export function createSamples(app: TestService): Promise<Samples> {
  return app.fill(sendSamples)
}

async function sendSamples(app: TestService): Promise<Samples> {
  const ada = await app.person({
    name: 'Ada',
    email: 'ada@example.org',
    birth_date: '1815-12-10',
  })
  const grace = await app.person({ name: 'Grace', birth_date: '1906-12-09', gender: 'female' })
  const rosa = await app.person({ name: 'Rosa' })
  const engine = await app.computer({ serial: 'engine' }, ada)
  const compiler = await app.computer({ serial: 'compiler' }, grace)
  const orphan = await app.computer({ serial: 'orphan' })
  return { ada, grace, rosa, engine, compiler, orphan }
}

/** Returns the identifier of a resource, as linkage contains it. */
export function identifier({ type, id }: Identifier): Identifier {
  return { type, id }
}

/** The identifier of a computer that does not exist. */
export const missingComputer: Identifier = { type: 'computer', id: missingId }

/** The identifier of a person that does not exist. */
export const missingPerson: Identifier = { type: 'person', id: missingId }

/** Returns the number of resources in a collection, over all pages. */
export async function countResources(app: TestService, path: string): Promise<unknown> {
  return (await app.get(path)).body.meta?.count
}

/** Fetches the linkage of a person's computers from the relationship URL. */
export async function computersOf(app: TestService, person: Identifier): Promise<unknown> {
  const response = await app.get(`/persons/${person.id}/relationships/computers`)
  assert.equal(response.status, 200, response.text)
  return response.body.data
}

/** Fetches the linkage of a computer's owner from the relationship URL. */
export async function ownerOf(app: TestService, computer: Identifier): Promise<unknown> {
  const response = await app.get(`/computers/${computer.id}/relationships/owner`)
  assert.equal(response.status, 200, response.text)
  return response.body.data
}

/**
 * Asserts the status of an error response, and the source of its first error.
 *
 * @param source - the expected source; if absent, it is not checked
 * @returns the first error
 */
export function assertError(
  response: TestResponse,
  status: number,
  source?: ErrorObject['source'],
): ErrorObject {
  assert.equal(response.status, status, response.text)
  const { error } = response
  assert.equal(error.status, String(status), response.text)
  assert.ok(error.detail.length > 0, response.text)
  if (source) assert.deepEqual(error.source, source, response.text)
  return error
}

/** Asserts the status of an error response, and that the pointer of its first error starts with `pointer`. */
export function assertErrorWithin(
  response: TestResponse,
  status: number,
  pointer: string,
): ErrorObject {
  const error = assertError(response, status)
  const actual = error.source?.pointer ?? 'none'
  assert.ok(actual === pointer || actual.startsWith(`${pointer}/`), `${actual}\n${response.text}`)
  return error
}
