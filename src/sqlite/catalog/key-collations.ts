import { sql } from 'kysely'
import { getCodec } from '../../model/kinds/codecs.ts'
import {
  type AttributeField,
  getResourceType,
  type KeyColumns,
  type Link,
  type LinkCollations,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { sqlite } from '../database.ts'
import type { SqliteCollationLookup } from './collations.ts'

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

/** Lists the attributes whose columns have a collation that only another program has, with an expression that SQLite can compare. */
export function listForeignCollations(
  model: Model,
  collationOf: SqliteCollationLookup,
): [AttributeField, AttributeField['expression']][] {
  return [...model.types.values()].flatMap(({ table, fields }) =>
    [...fields.values()].flatMap((field): [AttributeField, AttributeField['expression']][] => {
      if (field.is !== 'attribute' || field.column === undefined) return []
      if (collationOf(table, field.column) !== 'foreign') return []
      const { expression } = field
      return [[field, (column, dialect) => sql`(${expression(column, dialect)} collate binary)`]]
    }),
  )
}

/** Lists the relationships whose columns have different collations. */
export function listLinkCollations(
  model: Model,
  collationOf: SqliteCollationLookup,
): ReadonlyMap<RelationshipField, LinkCollations> {
  return new Map(
    [...model.types.values()].flatMap((resource) =>
      listRelationships(resource).flatMap((field): [RelationshipField, LinkCollations][] => {
        const other = getResourceType(model, field.to)
        if (hasNumericKeys(field.link, resource, other)) return []
        const collations = findCollations(field.link, resource.table, other.table, collationOf)
        const differ = Object.values(collations)
          .flat()
          .some((name) => name !== undefined)
        return differ ? [[field, collations]] : []
      }),
    ),
  )
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
