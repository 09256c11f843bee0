import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { mayHideRow } from '../../model/hides-rows.ts'
import {
  getRelationship,
  getResourceType,
  isKeyNullable,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import type { WriteShape } from '../../plan/write.ts'
import { isCurrentMember } from '../access/written-rows.ts'
import { isEqualKey, isInIdList, isKeyPresent, outerKey, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, shardBarrier } from '../keys/shards.ts'
import { compileStatement, type Statement } from '../statement.ts'
import { and, columnsAt, inScope, matchesRequestedId, type Target, tableAt } from '../tables.ts'
import { compileIsMember } from './link-changes.ts'
import { compileKey } from './written-columns.ts'

/** A change after which a row would be without a foreign key that must not be null. */
export interface UnlinkCheck {
  readonly field: RelationshipField
  /** The index of the link in the shape; `undefined` for an own foreign key that the document sets to null. */
  readonly link: number | undefined
  /** The index of the column in the shape; `undefined` for a link. */
  readonly column: number | undefined
  /** Returns a row if there is such a row. It takes the id of the written row, and for a link its `ids`. */
  readonly statement: Statement
}

/**
 * Compiles the checks of a write that may unlink rows which must be linked, also where the column itself accepts null. A removal of
 * members that are not linked changes nothing, so only the database knows (https://jsonapi.org/format/1.0/#crud-updating-to-many-relationships).
 */
export function compileUnlinkChecks(shape: WriteShape, target: Target): readonly UnlinkCheck[] {
  if (shape.row !== 'existing') return []
  const resource = getResourceType(target.model, shape.type)
  const toCheck = (
    name: string,
    position: Partial<Pick<UnlinkCheck, 'link' | 'column'>>,
    compile: (field: RelationshipField) => Sql | undefined,
  ): UnlinkCheck[] => {
    const field = getRelationship(resource, name)
    const rows = isKeyNullable(target.model, resource, field) ? undefined : compile(field)
    if (rows === undefined) return []
    const statement = compileStatement(sql`select 1 from ${rows} limit 1`, target.dialect)
    return [{ field, link: undefined, column: undefined, ...position, statement }]
  }
  return [
    ...shape.links.flatMap(({ relationship, change }, link) =>
      change === 'add'
        ? []
        : toCheck(relationship, { link }, (field) =>
            compileUnlinked(resource, field, change, target),
          ),
    ),
    ...shape.columns.flatMap((each, column) =>
      each.is === 'key'
        ? toCheck(each.relationship, { column }, (field) => compileCleared(resource, field, target))
        : [],
    ),
  ]
}

/** Compiles the rows that a change of a relationship would unlink. */
function compileUnlinked(
  resource: ResourceType,
  { link, to }: RelationshipField,
  change: 'remove' | 'replace',
  target: Target,
): Sql | undefined {
  const other = getResourceType(target.model, to)
  // The hook of the members decides first: it may refuse the change with an error of its own.
  if (link.foreignKey === 'other' && other.hooks.beforeUpdate) return undefined
  if (link.foreignKey === 'own') {
    const isMember = compileIsMember(link, other, target)
    const where = and([matchesRequestedId(resource, 0, target), isMember])
    return sql`${tableAt(0, resource.table)} where ${where}`
  }
  const self = compileKey(resource, link.ownKey, 'id', target)
  const isLinked = sql`${toKey(linkKeyAt(link, 'otherKey', 0))} = ${toKey(self)}`
  const isListed = isInIdList(columnsAt(0, other.id.columns), 'ids', other.id, target.dialect)
  const isUnlinked = change === 'remove' ? isListed : sql`not (${isListed})`
  const where = and([isLinked, isUnlinked, ...inScope(0, other)])
  return sql`${tableAt(0, other.table)} where ${where}`
}

/** Compiles the written row if null would clear its key: not if the key references a hidden row, for which responses have null. */
function compileCleared(
  resource: ResourceType,
  field: RelationshipField,
  target: Target,
): Sql | undefined {
  const { link, to } = field
  const other = getResourceType(target.model, to)
  // Otherwise the plan has rejected the null.
  if (!mayHideRow(target.model, other)) return undefined
  const isLinked = isEqualKey(
    linkKeyAt(link, 'otherKey', 1),
    outerKey(linkKeyAt(link, 'ownKey', 0), target.dialect),
  )
  const isVisible = and([isLinked, ...inScope(1, other)])
  const visible = compileVisibleKeys(field, resource, target)
  const where = and([
    matchesRequestedId(resource, 0, target),
    ...isKeyPresent(linkKeyAt(link, 'ownKey', 0)),
    visible
      ? sql`${toKey(linkKeyAt(link, 'ownKey', 0))} in (${visible})`
      : sql`exists (select 1 from ${tableAt(1, other.table)} where ${isVisible})`,
  ])
  return sql`${tableAt(0, resource.table)} where ${where}`
}

/**
 * Compiles the query for the key of the row that the own key of the resource in the path references, if the request may see it, where that
 * row may be on another server.
 * @returns `undefined` where a subquery may refer to the own key instead
 */
export function compileVisibleKeys(
  field: RelationshipField,
  resource: ResourceType,
  target: Target,
): Sql | undefined {
  const barrier = shardBarrier(crossesShards(resource, field, target), target)
  if (barrier === undefined) return undefined
  const { link, to } = field
  const other = getResourceType(target.model, to)
  const where = and([isCurrentMember(field, resource, target), ...inScope(0, other)])
  const keys = sql.join(linkKeyAt(link, 'otherKey', 0))
  return sql`select ${keys} from ${tableAt(0, other.table)} where ${where}${barrier}`
}
