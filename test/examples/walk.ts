import assert from 'node:assert/strict'
import type { ResourceDeclaration } from 'lapidary'
import { type Identifier, ids } from '../answer.ts'
import type { Ask, Rows } from './serving.ts'

type Field = ResourceDeclaration['fields'][string]
type Relationship = Extract<Field, { is: 'toOne' | 'toMany' }>

/** What is walked: declarations, served from tables. */
export interface Ground {
  readonly resources: readonly ResourceDeclaration[]
  readonly ask: Ask
  readonly rows: Rows
  /** The base conditions of types, as SQL over their tables. */
  readonly conditions?: Readonly<Record<string, string>>
}

/** How many resources of each type are asked for one by one. */
const sample = 3

/**
 * Follows every relationship of every type by every way there is: the linkage of the whole collection, and, for some
 * resources, the routes of the relationship. Each must lead where the tables say.
 * @returns how many links were found, by relationship
 */
export async function walkAll(ground: Ground): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {}
  for (const resource of ground.resources) {
    const relationships = Object.entries(resource.fields).flatMap(([name, field]) =>
      field.is === 'toOne' || field.is === 'toMany' ? [[name, field] as const] : [],
    )
    const names = relationships.map(([name]) => name).join(',')
    const query = { 'page[size]': '0', [`fields[${resource.type}]`]: names }
    const { many } = await ground.ask(resource.path, query)
    for (const [name, relationship] of relationships) {
      const expected = await stored(resource, relationship, ground)
      const told = many.flatMap(({ id, relationships: all }) =>
        listed(all?.[name]?.data).map((to) => `${id} ${to.id}`),
      )
      const what = `${resource.type}.${name}`
      assert.deepEqual(
        told.sort(),
        expected.map(({ one, other }) => `${one} ${other}`).sort(),
        what,
      )
      found[what] = told.length
      await walkRoutes(`${resource.path}`, name, { ask: ground.ask, expected })
    }
  }
  return found
}

type Links = readonly Readonly<{ one: string; other: string }>[]

async function walkRoutes(
  path: string,
  name: string,
  { ask, expected }: Readonly<{ ask: Ask; expected: Links }>,
): Promise<void> {
  const some = [...new Set(expected.map(({ one }) => one))].slice(0, sample)
  for (const id of some) {
    const there = expected.flatMap(({ one, other }) => (one === id ? [other] : [])).sort()
    const linkage = await ask(`${path}/${id}/relationships/${name}`)
    assert.deepEqual(
      listed(linkage.body.data)
        .map((to) => to.id)
        .sort(),
      there,
    )
    const all = Array.isArray(linkage.body.data) ? { 'page[size]': '0' } : {}
    const related = await ask(`${path}/${id}/${name}`, all)
    const told = Array.isArray(related.body.data) ? ids(related) : [related.one.id]
    assert.deepEqual(told.sort(), there)
  }
}

/** The links that stand in the tables. */
async function stored(
  resource: ResourceDeclaration,
  field: Relationship,
  { resources, rows, conditions = {} }: Ground,
): Promise<Links> {
  const target = resources.find(({ type }) => type === field.to)
  assert.ok(target)
  const [here, there] = [keyOf(resource), keyOf(target)]
  const from = [`"${resource.table}" as a`, `"${target.table}" as b`]
  const where = [resource, target].flatMap(({ type }, index) => {
    const condition = conditions[type]
    return condition === undefined ? [] : [`${index === 0 ? 'a' : 'b'}.${condition}`]
  })
  if ('through' in field) {
    const { table, from: one, to: other } = field.through
    from.push(`"${table}" as j`)
    where.push(`a."${here}" = j."${one}"`, `b."${there}" = j."${other}"`)
  } else if (field.is === 'toOne' && field.key !== 'there') {
    where.push(`a."${field.column}" = b."${there}"`)
  } else {
    where.push(`b."${field.column}" = a."${here}"`)
  }
  const sql = `select a."${here}" as one, b."${there}" as other from ${from.join(', ')} where ${where.join(' and ')}`
  return (await rows(sql)).map(({ one, other }) => ({ one: String(one), other: String(other) }))
}

function keyOf({ id = 'id' }: ResourceDeclaration): string {
  return typeof id === 'string' ? id : (id.column ?? 'id')
}

function listed(
  data: Identifier | readonly Identifier[] | null | undefined,
): readonly Identifier[] {
  assert.ok(data !== undefined, 'a relationship that was asked for has data')
  return data === null ? [] : [data].flat()
}
