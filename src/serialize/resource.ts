import { isPlain } from '../model/codecs.ts'
import {
  type Field,
  type Model,
  type RelationshipField,
  type ResourceType,
  typeNamed,
} from '../model/model.ts'
import { storedValue } from '../plan/fields.ts'
import { linkageIndex, type Row, type RowLayout, valueIndex } from '../plan/rows.ts'
import { idStep } from './links.ts'

/** Tells a row as the JSON text of a resource object. */
export type Teller = (row: Row) => string

/** Tells what differs from row to row. `step` is the id of the row as a step of a path. */
type Piece = (row: Row, step: string) => string

/** A text in the order in which it is told: what is the same for every row stands there as it is. */
type Text = readonly (string | Piece)[]

/**
 * Makes the teller of a layout: all that does not depend on the row is worked out once, here.
 *
 * @param base - the base path in front of every path, may be empty
 * @see seed §2.1; JSON:API 1.0, Resource Objects
 */
export function compileTeller(layout: RowLayout, model: Model, base: string): Teller {
  const resource = typeNamed(model, layout.type)
  const path = base + resource.path
  const inPath = idStep(resource)
  const attributes = layout.attributes.map((name) => attributeText(fieldOf(resource, name), layout))
  const relationships = layout.relationships.map((name) =>
    relationshipText(fieldOf(resource, name), layout, { model, path }),
  )
  const tell = joined([
    ...identifierText(resource, 0),
    ...member('attributes', attributes),
    ...member('relationships', relationships),
    `,"links":{"self":"${path}/`,
    stepOf,
    '"}}',
  ])
  return (row) => tell(row, inPath(`${row[0]}`))
}

/** Makes the teller of rows as identifier objects. */
export function compileIdentifier(resource: ResourceType): Teller {
  const tell = joined([...identifierText(resource, 0), '}'])
  return (row) => tell(row, '')
}

/**
 * Makes one piece of a text. Neighbours that are the same for every row become one, so that telling a row takes no more
 * steps than it has pieces of its own.
 */
function joined(text: Text): Piece {
  const pieces = text.filter((part) => typeof part !== 'string')
  const texts: string[] = ['']
  for (const part of text) texts.push(typeof part === 'string' ? texts.pop() + part : '')
  return joinerOf(pieces.length)(texts.map(flat), pieces)
}

/** Puts pieces between texts, of which there is one more. */
type Joiner = (texts: readonly string[], pieces: readonly Piece[]) => Piece

/**
 * Writes the function that a stranger would write for so many pieces, e.g. for two
 * `(row, step) => t0 + p0(row, step) + t1 + p1(row, step) + t2`. Each text gets a function of its own, because V8 learns
 * for each function as it is written which others it calls, and puts the few of one text into its machine code. A loop
 * that all texts share takes twice the time. Nothing but the number of pieces finds its way into the code.
 */
function joinerOf(count: number): Joiner {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const texts = numbers.map((number) => `, t${number + 1}`).join('')
  const pieces = numbers.map((number) => `p${number}`).join(', ')
  const sum = numbers.map((number) => ` + p${number}(row, step) + t${number + 1}`).join('')
  const code = `return ([t0${texts}], [${pieces}]) => (row, step) => t0${sum}`
  // What it returns is written in the line above.
  return new Function(code)() as Joiner
}

/** Puts the values that stand in a row at some places under their names. */
type Collector = (
  names: readonly string[],
  places: readonly number[],
) => (row: Row) => Readonly<Record<string, unknown>>

/** Writes, for the same reason, what gathers so many values, e.g. for two `(row) => ({ [n0]: row[a0], [n1]: row[a1] })`. */
function collectorOf(count: number): Collector {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const names = numbers.map((number) => `n${number}`).join(', ')
  const places = numbers.map((number) => `a${number}`).join(', ')
  const members = numbers.map((number) => `[n${number}]: row[a${number}]`).join(', ')
  // What it returns is written in the line below.
  return new Function(
    `return ([${names}], [${places}]) => (row) => ({ ${members} })`,
  )() as Collector
}

/** The same text in one stretch of memory: what is put together of parts would be copied part by part for every row. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

const stepOf: Piece = (_row, step) => step

/** `,"attributes":{…}`, or nothing when there is none to show. */
function member(name: string, texts: readonly Text[]): Text {
  if (texts.length === 0) return []
  const members = texts.flatMap((text, index) => (index === 0 ? text : [',', ...text]))
  return [`,"${name}":{`, ...members, '}']
}

/** The type and the id, which stands in the row at an index, of an object that is not closed yet. */
function identifierText(resource: ResourceType, at: number): Text {
  const { quote, tell } = idTelling(resource)
  return [`${identifierHead(resource)}${quote}`, (row) => tell(`${row[at]}`), quote]
}

function identifierHead({ type }: ResourceType): string {
  return `{"type":${JSON.stringify(type)},"id":`
}

/** How an id is written in JSON. */
interface IdTelling {
  /** What stands on both sides of what is told. */
  readonly quote: string
  tell(id: string): string
}

/** Whole numbers have nothing to escape, so that their quotes join what stands beside them; other ids may hold anything. */
function idTelling({ id }: ResourceType): IdTelling {
  return id.kind.form === 'id'
    ? { quote: '"', tell: (text) => text }
    : { quote: '', tell: JSON.stringify }
}

function attributeText(field: Field, layout: RowLayout): Text {
  const name = `${JSON.stringify(field.name)}:`
  switch (field.is) {
    case 'attribute': {
      const at = valueIndex(layout, storedValue(field))
      const { tell, form } = field.kind
      if (isPlain(form)) return [name, (row) => (row[at] === null ? 'null' : `"${row[at]}"`)]
      return [name, (row) => tellOr(row[at], tell)]
    }
    case 'computed': {
      const columns = field.columns.map(([column]) => column)
      const places = field.columns.map(([column, { kind }]) =>
        valueIndex(layout, { column, form: kind.form }),
      )
      const valuesIn = collectorOf(columns.length)(columns, places)
      const { tell } = field.kind
      return [name, (row) => tellOr(field.compute(valuesIn(row)), tell)]
    }
    case 'relationship':
      throw new Error(`${layout.type}.${field.name} is no attribute.`)
  }
}

function tellOr(value: unknown, tell: (value: unknown) => string): string {
  return value === null || value === undefined ? 'null' : tell(value)
}

/** Where a relationship is told: `path` is that of its resource's type. */
interface RelationshipPlace {
  readonly model: Model
  readonly path: string
}

function relationshipText(
  field: Field,
  layout: RowLayout,
  { model, path }: RelationshipPlace,
): Text {
  if (field.is !== 'relationship')
    throw new Error(`${layout.type}.${field.name} is no relationship.`)
  const word = encodeURIComponent(field.name)
  return [
    `${JSON.stringify(field.name)}:{"links":{"self":"${path}/`,
    stepOf,
    `/relationships/${word}","related":"${path}/`,
    stepOf,
    `/${word}"}`,
    ...linkageText(field, layout, model),
    '}',
  ]
}

function linkageText(field: RelationshipField, layout: RowLayout, model: Model): Text {
  const at = linkageIndex(layout, field.name)
  if (at === -1) return []
  const other = typeNamed(model, field.to)
  if (field.many) return [',"data":[', identifiers(other, at), ']']
  const identifier = joined([...identifierText(other, at), '}'])
  return [',"data":', (row, step) => (row[at] === null ? 'null' : identifier(row, step))]
}

/** Identifier objects of the ids of a to-many. */
function identifiers(resource: ResourceType, at: number): Piece {
  const { quote, tell } = idTelling(resource)
  const first = `${identifierHead(resource)}${quote}`
  const next = `${quote}},${first}`
  return (row) => {
    let told = ''
    for (const id of idsOf(row[at])) told += (told === '' ? first : next) + tell(id)
    return told === '' ? '' : `${told}${quote}}`
  }
}

/** As rows are laid out, to-many linkage is an array of ids. */
function idsOf(linkage: unknown): readonly string[] {
  return linkage as readonly string[]
}

function fieldOf(resource: ResourceType, name: string): Field {
  const field = resource.fields.get(name)
  if (field === undefined) throw new Error(`${resource.type} has no field ${name}.`)
  return field
}
