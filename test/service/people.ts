import assert from 'node:assert/strict'
import type { Identifier, Query, Resource, TestResponse, TestService } from '../service-suite.ts'

/** Four persons and four computers that most suites use. */
interface Samples {
  readonly ada: Resource
  readonly alan: Resource
  readonly grace: Resource
  /** Has only a name, which is punctuation: `100%_\`. */
  readonly odd: Resource
  /** Owned by Ada. */
  readonly eniac: Resource
  /** Owned by Ada. */
  readonly zuse: Resource
  /** Owned by Grace. */
  readonly mark: Resource
  /** Has no owner. */
  readonly orphan: Resource
}

/** Creates the samples; later tests of a suite restore them. Ids ascend in the order of {@link Samples}. */
export function enter(app: TestService): Promise<Samples> {
  return app.fill(createSamples)
}

async function createSamples(app: TestService): Promise<Samples> {
  const ada = await app.person({
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    birth_date: '1815-12-10',
    gender: 'female',
  })
  const alan = await app.person({
    name: 'Alan Turing',
    email: 'alan@example.org',
    birth_date: '1912-06-23',
    gender: 'male',
  })
  const grace = await app.person({
    name: 'Grace Hopper',
    birth_date: '1906-12-09',
    gender: 'female',
  })
  const odd = await app.person({ name: '100%_\\' })
  const eniac = await app.computer({ serial: 'ENIAC' }, ada)
  const zuse = await app.computer({ serial: 'Zuse_Z3' }, ada)
  const mark = await app.computer({ serial: 'Mark I' }, grace)
  const orphan = await app.computer({ serial: 'Orphan' }, null)
  return { ada, alan, grace, odd, eniac, zuse, mark, orphan }
}

/** The identifier of a resource, as it is in a body or in linkage. */
export function identifier({ type, id }: Identifier): Identifier {
  return { type, id }
}

/** The first words of the names or serials of a list, in order. */
export function labels(response: TestResponse): string[] {
  return response.many.map(label)
}

function label({ attributes }: Resource): string {
  const text = attributes?.name ?? attributes?.serial
  assert.equal(typeof text, 'string', 'a resource with a name or a serial')
  return String(text).split(' ')[0] ?? ''
}

/** The first words of the names or serials that a request finds, in the order of the ids. Asserts that the status is 200. */
export async function found(
  app: TestService,
  path: string,
  query: Query | string,
): Promise<string[]> {
  const response = await app.call('GET', path, { query })
  assert.equal(response.status, 200, `${JSON.stringify(query)}: ${response.text}`)
  return labels(response)
}

/** The linkage of a relationship of a resource in a document. */
export function linked(resource: Resource | undefined, relationship: string): unknown {
  return resource?.relationships?.[relationship]?.data
}

/** The ids in the linkage of a to-many relationship. */
export function linkedIds(resource: Resource | undefined, relationship: string): string[] {
  const data = linked(resource, relationship)
  assert.ok(Array.isArray(data), `${relationship} has a list as its data`)
  return data.map(({ id }) => id)
}

/** Each included resource as `type id`, sorted. */
export function included(response: TestResponse): string[] {
  const all = response.body.included
  assert.ok(all, `included is there: ${response.text}`)
  return all.map(({ type, id }) => `${type} ${id}`).sort()
}

/** The number of resources of a collection. */
export async function count(app: TestService, path: string): Promise<unknown> {
  return (await app.get(path, { 'page[size]': '1' })).body.meta?.count
}
