import * as fc from 'fast-check'
import type { ServerUnderTest } from '../everything/comparison.ts'
import { everything } from '../everything/everything.ts'
import { Mirror } from '../everything/mirror.ts'
import type { Linkage, Write } from '../everything/write.ts'
import { type Data, getRelationship, getType, type JsonValue, known } from '../schema.ts'
import { anyValueOf, keys } from './random-kinds.ts'
import { anyText } from './random-texts.ts'

/** A row before it is stored: the values of its attributes in a body, and the indexes of linked rows in their lists. */
interface UnstoredRow {
  readonly attributes: Readonly<Record<string, JsonValue>>
  readonly links: Readonly<Record<string, readonly number[]>>
}

/** All rows by type, before they are stored. Guides are members of the staff. */
type UnstoredRows = Readonly<Record<string, readonly UnstoredRow[]>>

/** The number of rows of each type, and the relationships that store the links. */
const plan: Readonly<Record<string, Readonly<{ rows: number; links: readonly string[] }>>> = {
  hall: { rows: 7, links: ['parent'] },
  tag: { rows: 6, links: ['broader'] },
  shelf: { rows: 6, links: ['hall', 'beside', 'tags'] },
  plan: { rows: 6, links: ['hall', 'draft_of'] },
  staff: { rows: 11, links: ['hall', 'heads', 'tags'] },
  item: { rows: 18, links: ['hall', 'origin', 'shelf', 'keeper', 'expert', 'tags', 'likes'] },
}

/** Ids that need escapes in paths, links and lists. */
const tagNames = [
  ...['a', 'A', 'a b', 'a/b', '100%', '%2F', '_', "it's", '"q"', 'ß', 'é', 'e\u0301', '😀', '漢字'],
  ...['?x=1&y', '#', '[]', 'a,b', 'null', '7', '07', '-', '\t', '\u0001', 'a.b', ';--', '+', '\\'],
]

/** Data in which a quarter of the values and a third of the keys are null. */
export const anyMuseum: fc.Arbitrary<UnstoredRows> = fc
  .array(anyText, { minLength: 10, maxLength: 14 })
  .chain((pool) => {
    const types = Object.entries(plan).map(([type, { rows, links }]) => {
      const row = fc.record({
        attributes: fc.record(attributesOf(type, pool)),
        links: fc.record(Object.fromEntries(links.map((name) => [name, anyLinks(type, name)]))),
      })
      return [type, fc.array(row, { minLength: rows, maxLength: rows })] as const
    })
    return fc.record(Object.fromEntries(types))
  })
  .chain((unstored) =>
    fc
      .record({
        tag: fc.shuffledSubarray(tagNames, { minLength: 6, maxLength: 6 }),
        shelf: fc.shuffledSubarray([...keys], { minLength: 6, maxLength: 6 }),
      })
      .map(({ tag, shelf }) => withIds(withIds(unstored, 'tag', tag), 'shelf', shelf)),
  )

/** Gives the rows of a type their ids. */
function withIds(unstored: UnstoredRows, type: string, ids: readonly string[]): UnstoredRows {
  const rows = known(unstored[type], type).map((row, index) => ({
    ...row,
    attributes: { ...row.attributes, [`${type} id`]: ids[index] ?? '' },
  }))
  return { ...unstored, [type]: rows }
}

/** The rows share texts, so that fields often equal, begin or contain other fields. */
function attributesOf(
  type: string,
  pool: readonly string[],
): Record<string, fc.Arbitrary<JsonValue>> {
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...pool) },
    { weight: 1, arbitrary: anyText },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...pool), anyText).map((all) => all.join('')),
    },
  )
  const written = Object.entries(getType(everything, type).attributes).filter(
    ([, { of }]) => of === undefined,
  )
  return Object.fromEntries(
    written.map(([name, attribute]) => {
      const value = attribute.kind === 'text' ? text : anyValueOf(attribute)
      return [name, attribute.required ? value : fc.option(value, { freq: 4 })]
    }),
  )
}

function anyLinks(type: string, name: string): fc.Arbitrary<number[]> {
  const { to, many } = getRelationship(everything, type, name)
  const rows = plan[to === 'guide' ? 'staff' : to]?.rows ?? 0
  // The last rows are linked from nowhere.
  const place = fc.integer({ min: 0, max: rows - 2 })
  if (many) return fc.uniqueArray(place, { maxLength: 4 })
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<number[]>([]) },
    { weight: 2, arbitrary: place.map((one) => [one]) },
  )
}

/**
 * Stores rows over HTTP. All members of the staff are guides until the links are stored, because others cannot be linked as
 * guides.
 *
 * @returns the rows with the ids that the server generated
 */
export async function storeMuseum(server: ServerUnderTest, unstored: UnstoredRows): Promise<Data> {
  const mirror = new Mirror(server, everything)
  const ids = new Map<string, string[]>()
  for (const [type, rows] of Object.entries(unstored)) {
    const created: string[] = []
    for (const [index, { attributes }] of rows.entries())
      created.push(await mirror.create(creation(type, attributes, index)))
    ids.set(type === 'staff' ? 'guide' : type, created)
    ids.set(type, created)
  }
  for (const [type, rows] of Object.entries(unstored)) {
    for (const [index, { links }] of rows.entries()) {
      const id = known(ids.get(type)?.[index], type)
      const relationships = Object.entries(links).map(([name, places]) => {
        const { to, many } = getRelationship(everything, type, name)
        const members = places.map((place) => ({ type: to, id: known(ids.get(to)?.[place], to) }))
        return [name, many ? members : (members[0] ?? null)]
      })
      await mirror.write(update(type, id, {}, Object.fromEntries(relationships)))
    }
  }
  for (const [index, { attributes }] of known(unstored.staff, 'staff').entries()) {
    const { role = null, active = null } = attributes
    const id = known(ids.get('staff')?.[index], 'staff')
    await mirror.write(update('staff', id, { role, active }, {}))
  }
  return mirror.data
}

function creation(
  type: string,
  attributes: UnstoredRow['attributes'],
  index: number,
): Extract<Write, { is: 'create' }> {
  const { [`${type} id`]: id, ...sent } = attributes
  const changed = {
    ...sent,
    // Codes are unique.
    ...(type === 'hall' && { code: `${index} ${sent.code}` }),
    ...(type === 'staff' && { role: 'guide', active: true }),
  }
  return {
    is: 'create',
    type,
    says: type,
    ...(id !== undefined && { id }),
    attributes: changed,
    relationships: {},
  }
}

function update(
  type: string,
  id: string,
  attributes: UnstoredRow['attributes'],
  relationships: Readonly<Record<string, Linkage>>,
): Write {
  return { is: 'update', type, says: type, id, attributes, relationships }
}
