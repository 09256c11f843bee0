import { sql } from 'kysely'
import { getCodec } from '../../model/codecs.ts'
import {
  type Field,
  getResourceType,
  type KeyColumns,
  type Link,
  type LinkCollations,
  type Model,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import type { SqliteCollationLookup } from './collations.ts'
import { sqlite } from './database.ts'

/** Columns of a table: a foreign key, or the columns that it references. */
interface Key {
  readonly table: Table
  readonly columns: KeyColumns
}

/**
 * Returns the collations by which a foreign key is compared with the columns that it references: those of the referenced
 * columns (sqlite.org/foreignkeys.html, section 3). SQLite itself takes the collation of the left operand, so an answer would depend on the
 * order of the operands.
 * @returns `undefined` for each column that has the same collation
 */
export function compareKeyCollations(
  foreignKey: Key,
  referenced: Key,
  collationOf: SqliteCollationLookup,
): (string | undefined)[] {
  return foreignKey.columns.map((column, index) => {
    const own = collationOf(foreignKey.table, column)
    const found = collationOf(referenced.table, referenced.columns[index] ?? column)
    const collation = found === 'foreign' ? 'binary' : found
    return collation === own ? undefined : collation
  })
}

/** Adds a collation that SQLite has to the attributes of a type whose columns have one that only another program has. */
export function replaceCollations(
  resource: ResourceType,
  collationOf: SqliteCollationLookup,
): ResourceType {
  const fields = [...resource.fields].map(([name, field]): [string, Field] => {
    if (field.is !== 'attribute' || field.column === undefined) return [name, field]
    if (collationOf(resource.table, field.column) !== 'foreign') return [name, field]
    const { expression } = field
    return [
      name,
      {
        ...field,
        expression: (column, dialect) => sql`(${expression(column, dialect)} collate binary)`,
      },
    ]
  })
  const isChanged = fields.some(([name, field]) => field !== resource.fields.get(name))
  return isChanged ? { ...resource, fields: new Map(fields) } : resource
}

/** Adds the collations to the links of a model whose columns have different ones. */
export function collateLinks(model: Model, collationOf: SqliteCollationLookup): Model {
  const types = [...model.types].map(([type, resource]): [string, ResourceType] => {
    const fields = [...resource.fields].map(([name, field]): [string, Field] => [
      name,
      collateField(field, resource, model, collationOf),
    ])
    const isChanged = fields.some(([name, field]) => field !== resource.fields.get(name))
    return [type, isChanged ? { ...resource, fields: new Map(fields) } : resource]
  })
  return { ...model, types: new Map(types) }
}

function collateField(
  field: Field,
  resource: ResourceType,
  model: Model,
  collationOf: SqliteCollationLookup,
): Field {
  if (field.is !== 'relationship') return field
  const other = getResourceType(model, field.to)
  if (hasNumericKeys(field.link, resource, other)) return field
  const collations = findCollations(field.link, resource.table, other.table, collationOf)
  const differs = Object.values(collations).some((each) => each.some((name) => name !== undefined))
  return differs ? { ...field, link: { ...field.link, collations } } : field
}

/** Whether the referenced columns are integers, which have no collation. */
function hasNumericKeys(link: Link, own: ResourceType, other: ResourceType): boolean {
  const isNumeric = ({ id }: ResourceType, key: KeyColumns) =>
    key.every((column) => {
      const part = id.parts.find((each) => each.column === column)
      return part !== undefined && getCodec(part.kind.codec, sqlite).isExact === true
    })
  if (link.foreignKey === 'own') return isNumeric(other, link.otherKey)
  if (link.foreignKey === 'other') return isNumeric(own, link.ownKey)
  return isNumeric(own, link.ownKey) && isNumeric(other, link.otherKey)
}

function findCollations(
  link: Link,
  own: Table,
  other: Table,
  collationOf: SqliteCollationLookup,
): LinkCollations {
  const ownKey = { table: own, columns: link.ownKey }
  const otherKey = { table: other, columns: link.otherKey }
  if (link.foreignKey !== 'join table') {
    const isOwn = link.foreignKey === 'own'
    const [foreignKey, referenced] = isOwn ? [ownKey, otherKey] : [otherKey, ownKey]
    const collations = compareKeyCollations(foreignKey, referenced, collationOf)
    return { ownKey: collations, otherKey: collations }
  }
  const { joinTable: table, from, to } = link
  const fromOwn = compareKeyCollations({ table, columns: from }, ownKey, collationOf)
  const toOther = compareKeyCollations({ table, columns: to }, otherKey, collationOf)
  return { ownKey: fromOwn, from: fromOwn, to: toOther, otherKey: toOther }
}
