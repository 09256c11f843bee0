import { type Catalog, findTable } from '../../model/catalog.ts'
import {
  getResourceType,
  type KeyColumns,
  type Link,
  listRelationships,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../../model/model.ts'

/** The key of a relationship: columns of a table that reference those of another table. */
export interface RelationshipKey {
  readonly field: RelationshipField
  readonly resource: ResourceType
  /** The table of the type, of the other type, or the join table with the key of the type. */
  readonly table: Table
  readonly columns: KeyColumns
  readonly to: Table
  readonly references: KeyColumns
}

/** Lists the keys that the database may enforce: one of each relationship. */
export function listRelationshipKeys(model: Model): RelationshipKey[] {
  return [...model.types.values()].flatMap((resource) =>
    listRelationships(resource).map((field): RelationshipKey => {
      const other = getResourceType(model, field.to)
      return { field, resource, ...findKey(field.link, resource.table, other.table) }
    }),
  )
}

function findKey(
  link: Link,
  own: Table,
  other: Table,
): Omit<RelationshipKey, 'field' | 'resource'> {
  const { ownKey, otherKey } = link
  switch (link.foreignKey) {
    case 'own':
      return { table: own, columns: ownKey, to: other, references: otherKey }
    case 'other':
      return { table: other, columns: otherKey, to: own, references: ownKey }
    case 'join table':
      return { table: link.joinTable, columns: link.from, to: own, references: ownKey }
  }
}

/** Whether a database has an enforced foreign key for the key of a relationship. */
export function hasForeignKey(key: RelationshipKey, catalog: Catalog): boolean {
  const table = findTable(catalog, key.table)
  const isReferenced = (to: Table) =>
    to.name === key.to.name && (to.schema ?? catalog.schema) === (key.to.schema ?? catalog.schema)
  return (table?.foreignKeys ?? []).some(
    ({ columns, to, references, isEnforced = true }) =>
      isEnforced &&
      columns.length === key.columns.length &&
      key.columns.every((name, at) => references[columns.indexOf(name)] === key.references[at]) &&
      isReferenced(to),
  )
}
