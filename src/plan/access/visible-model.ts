import { type AuthValue, auth, type FieldRule, isAuthValue } from '../../model/declare/access.ts'
import { sql } from '../../model/dialect.ts'
import { memoizeByIdentity } from '../../model/memoize-by-identity.ts'
import {
  type AttributeField,
  type Field,
  getResourceType,
  type Link,
  listRelationships,
  listStoredColumns,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'

/** What an identity may do, as far as that does not depend on rows. */
interface FieldDecider {
  /** Whether a rule of a field holds. */
  readonly holds: (rule: FieldRule) => boolean
  /** False if the rules of a type refuse an operation on every row. */
  readonly allows: (type: string, operation: 'create' | 'update') => boolean
}

/** A decision of a field's rule; `undefined` for a constant. */
export function toDecision(rule: FieldRule): AuthValue | undefined {
  if (typeof rule === 'function') return auth(rule)
  return isAuthValue(rule) ? rule : undefined
}

/** What a field is restricted by. */
interface FieldContext extends FieldDecider {
  readonly index: RuleIndex
  readonly resource: ResourceType
}

/**
 * Restricts a model to the fields that exist for an identity. Plans are made with it, so a hidden field cannot be returned, filtered,
 * sorted or compared with, and every error reports it as an unknown name. A field exists for who may read it or write it.
 */
export function restrictFields(model: Model, decider: FieldDecider): Model {
  const index = indexFieldRules(model)
  const entries = [...model.types].map(
    ([type, resource]) => [type, restrictType({ ...decider, index, resource })] as const,
  )
  const isRestricted = entries.some(([type, resource]) => resource !== model.types.get(type))
  return isRestricted ? { ...model, types: new Map(entries) } : model
}

function restrictType(context: FieldContext): ResourceType {
  const { resource } = context
  const fields = new Map<string, Field>()
  let isRestricted = false
  for (const field of resource.fields.values()) {
    const restricted = restrictField(field, context)
    if (restricted) fields.set(field.name, restricted)
    if (restricted !== field) isRestricted = true
  }
  return isRestricted ? { ...resource, fields, unrestricted: resource } : resource
}

/** @returns the field as the identity sees it; `undefined` if it does not exist for it */
function restrictField(field: Field, context: FieldContext): Field | undefined {
  const isReadable = holdAll(field, 'readable', context)
  switch (field.is) {
    case 'computed':
      return isReadable ? field : undefined
    case 'relationship':
      if (!isReadable) return undefined
      return holdAll(field, 'writable', context) ? field : { ...field, isDenied: true }
    case 'attribute':
      return restrictAttribute(field, isReadable, context)
  }
}

function restrictAttribute(
  field: AttributeField,
  isReadable: boolean,
  context: FieldContext,
): AttributeField | undefined {
  const { filterable = true, sortable = true } = field.access ?? {}
  const isDenied = field.isWritable && !holdAll(field, 'writable', context)
  const isSent = field.isWritable && !isDenied && isEverSent(field, context)
  if (!(isReadable && field.isReadable) && !isSent) return undefined
  const isFilterable = isReadable && context.holds(filterable)
  const isSortable = isReadable && context.holds(sortable)
  if (isReadable && isFilterable && isSortable && !isDenied) return field
  return {
    ...field,
    isReadable: field.isReadable && isReadable,
    isFilterable: field.isFilterable && isFilterable,
    isSortable: field.isSortable && isSortable,
    ...(field.paths && !isSortable && { paths: withoutSort(field.paths) }),
    ...(isDenied && { isDenied }),
  }
}

/** Whether the identity may send a writable attribute in any request: in a create or in an update. */
function isEverSent({ set, isImmutable }: AttributeField, context: FieldContext): boolean {
  const { resource, allows } = context
  const isCreated = set === undefined && allows(resource.type, 'create')
  return resource.isWritable && (isCreated || (!isImmutable && allows(resource.type, 'update')))
}

/** The values inside JSON have the rights of their attribute. */
function withoutSort(paths: ReadonlyMap<string, AttributeField>): typeof paths {
  return new Map([...paths].map(([name, path]) => [name, { ...path, isSortable: false }]))
}

function holdAll(
  field: Field,
  right: 'readable' | 'writable',
  { index, resource, holds }: FieldContext,
): boolean {
  return index.listRules(field, right, resource).every(holds)
}

// A value is stored in a place: a column of a resource type, or the two keys of a join table. Whatever shows the same place has the same
// rules: a second attribute or relationship, the relationship of the other side, an expression, a computed attribute
// (docs/decisions/0062). Another resource type over the same table has rules of its own.

/** The rights to a field that it shares with the fields of the same places. */
type FieldRight = 'readable' | 'writable'

/** Finds the rules of fields. */
interface RuleIndex {
  /** Lists the rules that must all hold for a right to a field: its own or, without one, those of the places that it shows. */
  readonly listRules: (
    field: Field,
    right: FieldRight,
    resource: ResourceType,
  ) => readonly FieldRule[]
}

/** A place, as text. */
type Place = string

/** Indexes the rules of all fields of a model by the places that they are stored in. */
const indexFieldRules: (model: Model) => RuleIndex = memoizeByIdentity(createIndex)

function createIndex(model: Model): RuleIndex {
  const byPlace = new Map<Place, Field[]>()
  const references = new Map<Place, Place[]>()
  for (const resource of model.types.values()) {
    for (const field of resource.fields.values())
      if (field.access)
        for (const place of listRuledPlaces(field, resource, model)) add(byPlace, place, field)
    for (const relationship of listRelationships(resource))
      for (const [key, referenced] of pairKeys(relationship, resource))
        add(references, key, referenced)
  }
  return {
    listRules: (field, right, resource) => {
      const own = listOwnRules(field, right)
      if (field.access?.[right] !== undefined) return own
      const places = listShownPlaces(field, resource)
      // A foreign key has the values of the columns that it references. A relationship shows ids only.
      const others =
        field.is === 'relationship' ? [] : places.flatMap((place) => references.get(place) ?? [])
      const fields = new Set([...places, ...others].flatMap((place) => byPlace.get(place) ?? []))
      return [...own, ...[...fields].flatMap((other) => listGivenRules(other, right))]
    },
  }
}

function add<Value>(map: Map<Place, Value[]>, place: Place, value: Value): void {
  const known = map.get(place)
  if (known === undefined) map.set(place, [value])
  else known.push(value)
}

/** The rule of a field for a right. Who may not read a field may not write it, unless its declaration says otherwise. */
function listOwnRules({ access = {} }: Field, right: FieldRight): readonly FieldRule[] {
  const rule = right === 'readable' ? access.readable : (access.writable ?? access.readable)
  return rule === undefined ? [] : [rule]
}

/** The rules of a field for other fields of its places. A relationship that may not be read must not be written from anywhere. */
function listGivenRules(field: Field, right: FieldRight): readonly FieldRule[] {
  const rules = listOwnRules(field, right)
  return right === 'writable' && field.is === 'relationship'
    ? [...listOwnRules(field, 'readable'), ...rules]
    : rules
}

/**
 * The places that the rules of a field are about. Those of a relationship are not about the columns of its foreign key that the id of the
 * row shows in any case, nor about the tenant of the row, which all relationships of a tenant may share.
 */
function listRuledPlaces(field: Field, resource: ResourceType, model: Model): readonly Place[] {
  if (field.is === 'computed') return []
  if (field.is === 'attribute')
    return listStoredColumns(field).map((column) => toPlace(resource.type, column))
  if (field.link.foreignKey === 'join table') return [toJoinPlace(field.link)]
  const { type, key } = locateKey(field, resource, field.link)
  const ids = getResourceType(model, type).id.columns
  const tenant =
    model.declarations[type]?.tenant === false ? undefined : model.access?.tenant?.column
  const known = key.filter((column) => !ids.includes(column))
  const others = known.filter((column) => column !== tenant)
  const ruled = [others, known, key].find((columns) => columns.length > 0) ?? key
  return ruled.map((column) => toPlace(type, column))
}

/** The places whose values a field shows. */
function listShownPlaces(field: Field, resource: ResourceType): readonly Place[] {
  const { type } = resource
  switch (field.is) {
    case 'computed':
      return field.columns.map(([column]) => toPlace(type, column))
    case 'attribute':
      return listAttributeColumns(field).map((column) => toPlace(type, column))
    case 'relationship': {
      if (field.link.foreignKey === 'join table') return [toJoinPlace(field.link)]
      const { type: owner, key } = locateKey(field, resource, field.link)
      return key.map((column) => toPlace(owner, column))
    }
  }
}

function listAttributeColumns(field: AttributeField): readonly string[] {
  const stored = listStoredColumns(field)
  if (stored.length > 0) return stored
  const columns: string[] = []
  // The columns of an expression are the same for every database.
  const columnOf = (name: string) => {
    columns.push(name)
    return sql.id(name)
  }
  field.expression(columnOf, { readPath: (column) => column })
  return columns
}

type KeyLink = Exclude<Link, { foreignKey: 'join table' }>

/** Returns the columns of the foreign key of a relationship, and the type whose table has them. */
function locateKey(
  { to }: RelationshipField,
  { type }: ResourceType,
  { foreignKey, ownKey, otherKey }: KeyLink,
) {
  return foreignKey === 'own' ? { type, key: ownKey } : { type: to, key: otherKey }
}

/** Pairs the columns of a foreign key with those that it references. */
function pairKeys(
  { to, link }: RelationshipField,
  { type }: ResourceType,
): readonly (readonly [key: Place, referenced: Place])[] {
  if (link.foreignKey === 'join table') return []
  const pairs = link.ownKey.map(
    (column, index) => [toPlace(type, column), toPlace(to, link.otherKey[index] ?? '')] as const,
  )
  return link.foreignKey === 'own' ? pairs : pairs.map(([own, other]) => [other, own] as const)
}

function toPlace(type: string, column: string): Place {
  return JSON.stringify([type, column])
}

/** Both sides of a join table are one place. */
function toJoinPlace({ joinTable, from, to }: Extract<Link, { foreignKey: 'join table' }>): Place {
  const keys = [from.join(), to.join()].sort()
  return JSON.stringify([joinTable.schema, joinTable.name, keys])
}
