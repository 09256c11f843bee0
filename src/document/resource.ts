import {
  type Field,
  type Model,
  type RelationshipField,
  type ResourceType,
  typeNamed,
} from '../model/model.ts'
import { storedValue } from '../plan/fields.ts'
import { linkageIndex, type Row, type RowLayout, valueIndex } from '../plan/rows.ts'

/** Tells a row as the JSON text of a resource object. */
export type Teller = (row: Row) => string

/**
 * Makes the teller of a layout: all that does not depend on the row is worked out once, here.
 *
 * @param base - the base path in front of every path, may be empty
 * @see seed §2.1; JSON:API 1.0, Resource Objects
 */
export function compileTeller(layout: RowLayout, model: Model, base: string): Teller {
  const resource = typeNamed(model, layout.type)
  const path = base + resource.path
  const identifier = identifierHead(resource)
  const { inPath } = idTelling(resource)
  const attributes = joined(
    '"attributes"',
    layout.attributes.map((name) => attributeTeller(fieldOf(resource, name), layout)),
  )
  const relationships = joined(
    '"relationships"',
    layout.relationships.map((name) => relationshipTeller(fieldOf(resource, name), layout, model)),
  )
  return (row) => {
    const id = String(row[0])
    const self = `${path}/${inPath(id)}`
    return `${identifier(id)}${attributes(row, self)}${relationships(row, self)},"links":{"self":"${self}"}}`
  }
}

/** Tells an identifier object. */
export function compileIdentifier(resource: ResourceType): (id: string) => string {
  const head = identifierHead(resource)
  return (id) => `${head(id)}}`
}

/** The type and the id of an object that is not closed yet. */
function identifierHead(resource: ResourceType): (id: string) => string {
  const head = `{"type":${JSON.stringify(resource.type)},"id":`
  const { inJson } = idTelling(resource)
  return (id) => head + inJson(id)
}

/** How an id is written. */
interface IdTelling {
  inJson(id: string): string
  /** As a step of a path. */
  inPath(id: string): string
}

/** Whole numbers have nothing to escape; other ids may hold anything. */
function idTelling({ id }: ResourceType): IdTelling {
  return id.kind.form === 'id'
    ? { inJson: (text) => `"${text}"`, inPath: (text) => text }
    : { inJson: JSON.stringify, inPath: encodeURIComponent }
}

type Part = (row: Row, self: string) => string

/** `,"attributes":{…}`, or nothing when there is none to show. */
function joined(member: string, parts: readonly Part[]): Part {
  if (parts.length === 0) return () => ''
  return (row, self) => {
    let text = ''
    for (const part of parts) text += text === '' ? part(row, self) : `,${part(row, self)}`
    return `,${member}:{${text}}`
  }
}

function attributeTeller(field: Field, layout: RowLayout): Part {
  const name = `${JSON.stringify(field.name)}:`
  switch (field.is) {
    case 'attribute': {
      const at = valueIndex(layout, storedValue(field))
      const { tell } = field.kind
      return (row) => name + tellOr(row[at], tell)
    }
    case 'computed': {
      const inputs = field.columns.map(([column, { kind }]) => ({
        column,
        at: valueIndex(layout, { column, form: kind.form }),
      }))
      const { tell } = field.kind
      return (row) => {
        const values: Record<string, unknown> = {}
        for (const { column, at } of inputs) values[column] = row[at]
        return name + tellOr(field.compute(values), tell)
      }
    }
    case 'relationship':
      throw new Error(`${layout.type}.${field.name} is no attribute.`)
  }
}

function tellOr(value: unknown, tell: (value: unknown) => string): string {
  return value === null || value === undefined ? 'null' : tell(value)
}

function relationshipTeller(field: Field, layout: RowLayout, model: Model): Part {
  if (field.is !== 'relationship')
    throw new Error(`${layout.type}.${field.name} is no relationship.`)
  const name = JSON.stringify(field.name)
  const word = encodeURIComponent(field.name)
  const data = linkageTeller(field, layout, model)
  return (row, self) => {
    const links = `"links":{"self":"${self}/relationships/${word}","related":"${self}/${word}"}`
    return `${name}:{${links}${data(row)}}`
  }
}

function linkageTeller(
  field: RelationshipField,
  layout: RowLayout,
  model: Model,
): (row: Row) => string {
  const at = linkageIndex(layout, field.name)
  if (at === -1) return () => ''
  const identifier = compileIdentifier(typeNamed(model, field.to))
  if (!field.many)
    return (row) => `,"data":${row[at] === null ? 'null' : identifier(String(row[at]))}`
  return (row) => `,"data":[${idsOf(row[at]).map(identifier).join(',')}]`
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
