import { type Catalog, findTable } from '../model/catalog.ts'
import {
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
  type Table,
} from '../model/model.ts'

/** A relationship with a foreign key in the table of its own type. */
export interface OwnKey {
  readonly field: RelationshipField
  readonly resource: ResourceType
  readonly other: ResourceType
}

/** Lists the relationships whose own keys the database may enforce. */
export function listOwnKeys(model: Model): OwnKey[] {
  return [...model.types.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field): OwnKey[] =>
      field.is === 'relationship' && field.link.foreignKey === 'own'
        ? [{ field, resource, other: getResourceType(model, field.to) }]
        : [],
    ),
  )
}

/** Whether a database has an enforced foreign key for the own key of a relationship. */
export function hasForeignKey({ field, resource, other }: OwnKey, catalog: Catalog): boolean {
  const table = findTable(catalog, resource.table)
  const { ownKey, otherKey } = field.link
  const isSameTable = (to: Table) =>
    to.name === other.table.name &&
    (to.schema ?? catalog.schema) === (other.table.schema ?? catalog.schema)
  return (table?.foreignKeys ?? []).some(
    ({ columns, to, references, isEnforced = true }) =>
      isEnforced &&
      columns.length === ownKey.length &&
      ownKey.every((column, at) => references[columns.indexOf(column)] === otherKey[at]) &&
      isSameTable(to),
  )
}
