import assert from 'node:assert/strict'
import type { ResourceDeclaration } from 'lapidary'
import type { Identifier } from '../test-response.ts'
import type { Get, RunSql } from './music-store.ts'

type Field = ResourceDeclaration['fields'][string]
type Relationship = Extract<Field, { is: 'toOne' | 'toMany' }>

/** Declarations, a client of a server that serves them, and direct access to their tables. */
interface ServedTables {
  readonly resources: readonly ResourceDeclaration[]
  readonly get: Get
  readonly runSql: RunSql
  /** The scopes of types, as SQL conditions. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** For how many resources of a type the relationship URLs are fetched. */
const sampleSize = 3

/**
 * Compares every relationship of every type with the tables. Fetches the linkage of the complete collection and, for some
 * resources, the relationship URL and the related URL.
 * @returns the number of links by relationship, e.g. `{ 'album.tracks': 3503 }`
 */
export async function verifyRelationships(
  served: ServedTables,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const resource of served.resources) {
    const relationships = Object.entries(resource.fields).flatMap(([name, field]) =>
      field.is === 'toOne' || field.is === 'toMany' ? [[name, field] as const] : [],
    )
    const names = relationships.map(([name]) => name).join(',')
    const query = { 'page[size]': '0', [`fields[${resource.type}]`]: names }
    const { many } = await served.get(resource.path, query)
    for (const [name, relationship] of relationships) {
      const expected = await queryPairs(resource, relationship, served)
      const actual = many.flatMap(({ id, relationships: all }) =>
        identifiers(all?.[name]?.data).map((target) => `${id} ${target.id}`),
      )
      const key = `${resource.type}.${name}`
      assert.deepEqual(
        actual.sort(),
        expected.map(({ source, target }) => `${source} ${target}`).sort(),
        key,
      )
      counts[key] = actual.length
      await verifyRelationshipUrls(resource.path, name, { get: served.get, expected })
    }
  }
  return counts
}

/** The ids of linked rows. */
type Pairs = readonly Readonly<{ source: string; target: string }>[]

async function verifyRelationshipUrls(
  path: string,
  name: string,
  { get, expected }: Readonly<{ get: Get; expected: Pairs }>,
): Promise<void> {
  const ids = [...new Set(expected.map(({ source }) => source))].slice(0, sampleSize)
  for (const id of ids) {
    const targets = expected.flatMap(({ source, target }) => (source === id ? [target] : [])).sort()
    const { data } = (await get(`${path}/${id}/relationships/${name}`)).body
    assert.deepEqual(idsOf(identifiers(data)).sort(), targets)
    const query = Array.isArray(data) ? { 'page[size]': '0' } : {}
    const related = await get(`${path}/${id}/${name}`, query)
    const actual = Array.isArray(related.body.data) ? related.many : [related.one]
    assert.deepEqual(idsOf(actual).sort(), targets)
  }
}

/** Reads the linked pairs of rows from the tables. */
async function queryPairs(
  resource: ResourceDeclaration,
  field: Relationship,
  { resources, runSql, scopes = {} }: ServedTables,
): Promise<Pairs> {
  const related = resources.find(({ type }) => type === field.to)
  assert.ok(related)
  const [id, relatedId] = [idColumn(resource), idColumn(related)]
  const from = [`"${resource.table}" as a`, `"${related.table}" as b`]
  const where = [resource, related].flatMap(({ type }, index) => {
    const scope = scopes[type]
    return scope === undefined ? [] : [`${index === 0 ? 'a' : 'b'}.${scope}`]
  })
  if ('through' in field) {
    const { through } = field
    from.push(`"${through.table}" as j`)
    where.push(`a."${id}" = j."${through.from}"`, `b."${relatedId}" = j."${through.to}"`)
  } else if (field.is === 'toOne' && field.foreignKey !== 'other') {
    where.push(`a."${field.column}" = b."${relatedId}"`)
  } else {
    where.push(`b."${field.column}" = a."${id}"`)
  }
  const sql = `select a."${id}" as source, b."${relatedId}" as target from ${from.join(', ')} where ${where.join(' and ')}`
  return (await runSql(sql)).map(({ source, target }) => ({
    source: String(source),
    target: String(target),
  }))
}

function idColumn({ id = 'id' }: ResourceDeclaration): string {
  const column = typeof id === 'object' && 'column' in id ? id.column : id
  assert.ok(typeof column === 'string', 'the examples have no composite ids')
  return column
}

function identifiers(
  data: Identifier | readonly Identifier[] | null | undefined,
): readonly Identifier[] {
  assert.ok(data !== undefined, 'the requested relationship has data')
  return data === null ? [] : [data].flat()
}

function idsOf(resources: readonly Identifier[]): string[] {
  return resources.map(({ id }) => id)
}
