import * as fc from 'fast-check'
import { everything } from '../everything/everything.ts'
import { idOf, rowsOf } from '../everything/rows.ts'
import type { Linkage, Target, Write } from '../everything/write.ts'
import { badAmounts, badValues } from '../reference/reference-errors.ts'
import {
  type AttributeDescription,
  type Data,
  getRelationship,
  getType,
  type JsonValue,
  type Kind,
  known,
} from '../schema.ts'
import { anyValueOf } from './random-kinds.ts'

/** The rules that a write may violate. */
const violations = [
  ...['bad value', 'null', 'nothing', 'unknown attribute', 'unknown relationship'],
  ...['another type', 'strange member', 'one for many', 'taken id', 'bad id'],
] as const

type Violation = (typeof violations)[number]

/** A relationship, and numbers that are replaced by resources when the write is made. */
interface Picked {
  readonly name: string
  readonly picks: readonly number[]
}

/** A write with numbers instead of the ids of resources. */
export interface WriteTemplate {
  readonly is: Write['is']
  readonly type: string
  /** The number of the resource that is written. */
  readonly pick: number
  readonly attributes: Readonly<Record<string, JsonValue>>
  readonly links: readonly Picked[]
  readonly change: 'add' | 'remove' | 'replace'
  /** The relationship in the path of a create, as an index of those that lead to the type; `undefined` for none. */
  readonly parent: number | undefined
  readonly newId: JsonValue | undefined
  readonly violations: readonly Violation[]
}

/** The number of resources of each type at the beginning. */
const beginning = [
  ...[
    'hall',
    'hall',
    'tag',
    'shelf',
    'staff',
    'guide',
    'staff',
    'item',
    'item',
    'tag',
    'shelf',
    'plan',
  ],
]

const anyViolations = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...violations), { maxLength: 2 }) },
)

const anyDeed = fc.oneof(
  { weight: 3, arbitrary: fc.constant('create' as const) },
  { weight: 4, arbitrary: fc.constant('update' as const) },
  { weight: 6, arbitrary: fc.constant('relate' as const) },
  { weight: 2, arbitrary: fc.constant('delete' as const) },
)

const anyPick = fc.integer({ min: 0, max: 59 })

/** Creates of every type, then writes of any kind, a quarter of them with violations. */
export const anyTemplates: fc.Arbitrary<WriteTemplate[]> = fc
  .tuple(
    fc.tuple(...beginning.map(anyBeginning)),
    fc.array(
      fc.constantFrom(...Object.keys(everything.types)).chain((type) => anyTemplate(type)),
      { minLength: 20, maxLength: 32 },
    ),
  )
  .map(([first, others]) => [...first, ...others])

/** A valid create that needs no other rows. */
function anyBeginning(type: string): fc.Arbitrary<WriteTemplate> {
  return anyTemplate(type).map((template) => {
    const { active: _, ...attributes } = template.attributes
    return { ...template, is: 'create', attributes, links: [], parent: undefined, violations: [] }
  })
}

function anyTemplate(type: string): fc.Arbitrary<WriteTemplate> {
  const { attributes, relationships, id } = getType(everything, type)
  const values = Object.entries(attributes).map(([name, attribute]) => {
    const value = name === 'code' ? fc.constantFrom(...'ABCDEFGHIJKL') : anyValueOf(attribute)
    return [name, attribute.required ? value : fc.option(value, { freq: 4 })] as const
  })
  const anyLink = fc.record({
    name: fc.constantFrom(...Object.keys(relationships)),
    picks: fc.array(anyPick, { maxLength: 3 }),
  })
  return fc.record({
    is: anyDeed,
    type: fc.constant(type),
    pick: anyPick,
    attributes: fc.subarray(values).chain((some) => fc.record(Object.fromEntries(some))),
    links: fc.uniqueArray(anyLink, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
    change: fc.constantFrom('add', 'remove', 'replace'),
    parent: fc.option(anyPick, { freq: 3, nil: undefined }),
    newId: anyNewId(id.kind, id.client),
    violations: anyViolations,
  })
}

/** Writes each relationship by each change, without violations; random writes of a short run may miss some. */
export function everyTemplate(): WriteTemplate[] {
  const templates: WriteTemplate[] = []
  const add = (template: Pick<WriteTemplate, 'is' | 'type'> & Partial<WriteTemplate>) => {
    const pick = templates.length
    const newIds: Readonly<Record<string, string>> = {
      tag: `new ${pick}`,
      shelf: `500,new~1${pick}`,
    }
    const newId = newIds[template.type]
    templates.push({
      ...{
        pick,
        attributes: {},
        links: [],
        change: 'add',
        parent: undefined,
        newId,
        violations: [],
      },
      ...template,
    })
  }
  for (const type of [...beginning, ...beginning]) add({ is: 'create', type })
  for (const [type, { relationships }] of Object.entries(everything.types)) {
    const parents = relationshipsTo(type)
    for (const parent of parents.keys()) add({ is: 'create', type, parent })
    for (const name of Object.keys(relationships))
      for (const pick of [0, 1, 2]) {
        const links = [{ name, picks: [pick] }]
        add({ is: 'create', type, links })
        add({ is: 'update', type, pick, links: [{ name, picks: [pick + 1] }] })
        for (const change of ['add', 'replace', 'remove'] as const)
          add({ is: 'relate', type, pick, links, change })
      }
  }
  return templates
}

function anyNewId(
  kind: Kind,
  client: 'optional' | 'required' | undefined,
): fc.Arbitrary<JsonValue | undefined> {
  const number = fc.integer({ min: 0, max: 30 })
  const given =
    kind === 'uuid'
      ? fc.uuid().map((id) => id.toUpperCase())
      : number.map((each) => (kind === 'key' ? `${200 + each},~1/ß` : `tag ${each}/ß`))
  if (client === 'required') return given
  return client === 'optional' ? fc.option(given, { nil: undefined }) : fc.constant(undefined)
}

/** Makes the write of a template, with the rows that exist. */
export function writeOf(template: WriteTemplate, data: Data): Write {
  const { is, type, pick, change, violations: wrong } = template
  const id = wrong.includes('bad id') ? badId(type) : pickedId(data, type, pick)
  if (is === 'delete') return { is, type, id }
  if (is === 'relate') {
    const [link] = template.links
    const relationship = known(link, 'link').name
    const linkage = linkageOf(template, known(link, 'link'), data)
    return { is, target: { type, id, relationship }, change, linkage }
  }
  const says = wrong.includes('another type') ? 'unknown' : type
  const words = { says, attributes: attributesOf(template), relationships: linksOf(template, data) }
  if (is === 'update') return { is, type, id, ...words }
  const parent =
    template.parent === undefined ? undefined : parentOf(template, data, template.parent)
  return { is, type, parent, ...newId(template, data), ...words }
}

function attributesOf({
  is,
  type,
  attributes,
  pick,
  violations: wrong,
}: WriteTemplate): WriteTemplate['attributes'] {
  const fields = Object.entries(getType(everything, type).attributes)
  const required = fields.filter(([, field]) => field.required)
  const filled = required.map(([name]) => [name, name === 'role' ? 'guide' : `${name} ${pick}`])
  const [first] = required.map(([name]) => name)
  const [name, field] = known(fields[pick % fields.length], 'attribute')
  const all: Record<string, JsonValue> = {
    ...(is === 'create' && Object.fromEntries(filled)),
    ...attributes,
    ...(wrong.includes('bad value') && { [name]: badValueOf(field, pick) }),
    ...(wrong.includes('null') && first !== undefined && { [first]: null }),
    ...(wrong.includes('unknown attribute') && { heads_id: 1 }),
  }
  const { code, ...others } = all
  // An immutable attribute is seldom sent in an update.
  const sent = code === undefined || (is === 'update' && pick % 4 > 0) ? others : all
  if (first === undefined || !wrong.includes('nothing')) return sent
  const { [first]: _, ...rest } = sent
  return rest
}

function badValueOf({ kind, scale, of }: AttributeDescription, pick: number): JsonValue {
  const bad = [...badValues[kind], ...(scale === undefined || of ? [] : badAmounts)]
  return known(bad[pick % bad.length], 'bad value')
}

function linksOf(template: WriteTemplate, data: Data): Record<string, Linkage> {
  const known = template.links.map((link) => [link.name, linkageOf(template, link, data)])
  const strange = template.violations.includes('unknown relationship') ? [['owner', null]] : []
  return Object.fromEntries([...known, ...strange])
}

function linkageOf(
  { type, violations: wrong }: WriteTemplate,
  { name, picks }: Picked,
  data: Data,
): Linkage {
  const { to, many } = getRelationship(everything, type, name)
  const says = wrong.includes('strange member') ? 'unknown' : to
  const members = picks.map((pick) => ({ type: says, id: pickedId(data, to, pick) }))
  const isMany = many !== wrong.includes('one for many')
  return isMany ? members : (members[0] ?? null)
}

function parentOf({ type }: WriteTemplate, data: Data, pick: number): Target {
  const relationships = relationshipsTo(type)
  const relationship = known(relationships[pick % relationships.length], `relationship to ${type}`)
  return { ...relationship, id: pickedId(data, relationship.type, pick) }
}

/** The relationships to many of a type, with the types that have them. */
function relationshipsTo(type: string): Omit<Target, 'id'>[] {
  return Object.entries(everything.types).flatMap(([from, { relationships }]) =>
    Object.entries(relationships)
      .filter(([, { to, many }]) => to === type && many)
      .map(([relationship]) => ({ type: from, relationship })),
  )
}

function newId(
  { type, newId: id, pick, violations: wrong }: WriteTemplate,
  data: Data,
): { id?: JsonValue } {
  const { client, kind } = getType(everything, type).id
  if (client === undefined) return pick % 5 === 0 ? { id: '1' } : {}
  if (wrong.includes('taken id')) return { id: pickedId(data, type, pick) }
  if (wrong.includes('nothing')) return {}
  if (wrong.includes('bad id')) return { id: kind === 'text' ? '' : 'x' }
  return id === undefined ? {} : { id }
}

const absent: Readonly<Partial<Record<Kind, string>>> = {
  id: '987654321',
  uuid: '00000000-0000-4000-8000-000000000000',
  text: 'nobody',
  key: '999,nobody',
}

/** Mostly an existing id; of types with a scope, sometimes one outside of it. */
function pickedId(data: Data, type: string, pick: number): string {
  const { table, id } = getType(everything, type)
  const seen = type === 'guide' && pick % 6 === 5 ? 'staff' : type
  const ids = rowsOf(data, seen).map((row) => idOf(data.schema, seen, row))
  const nobody = known(absent[id.kind], `absent ${table}`)
  return pick % 13 === 7 ? nobody : (ids[pick % Math.max(ids.length, 1)] ?? nobody)
}

function badId(type: string): string {
  return getType(everything, type).id.kind === 'text' ? 'nobody' : 'x'
}
