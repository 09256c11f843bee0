import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import {
  getResourceType,
  type RelationshipField,
  type ResourceType,
  reverseLink,
} from '../../model/model.ts'
import { isInIdList, toKey } from '../keys/keys.ts'
import { isLinkedFrom, linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, linkCrossesShards, shardBarrier } from '../keys/shards.ts'
import {
  and,
  columnsAt,
  isRowInScope,
  matchesRequestedId,
  type Target,
  tableAt,
} from '../tables.ts'
import { compileKey } from '../write/written-columns.ts'

// The rows that a write concerns besides the written one, as conditions on `t0`. They take the `id` of the written resource, and `ids`.

/** Compiles whether `t0` is one of the `ids`. */
export function isListed({ id }: ResourceType, { dialect }: Target): Sql {
  return isInIdList(columnsAt(0, id.columns), 'ids', id, dialect)
}

/** Compiles whether `t0` is linked from the written resource now. */
export function isCurrentMember(
  { link, to }: RelationshipField,
  resource: ResourceType,
  target: Target,
): Sql {
  const { table } = getResourceType(target.model, to)
  const crosses = linkCrossesShards(table, reverseLink(link), resource.table, target.facts)
  const barrier = shardBarrier(crosses, target)
  if (link.foreignKey !== 'own') {
    const self = compileKey(resource, link.ownKey, 'id', target)
    return isLinkedFrom(0, link, toKey(self), barrier)
  }
  const isOwn = matchesRequestedId(resource, 1, target)
  const keys = sql`select ${sql.join(linkKeyAt(link, 'ownKey', 1))} from ${tableAt(1, resource.table)} where ${isOwn}${barrier ?? sql``}`
  return sql`${toKey(linkKeyAt(link, 'otherKey', 0))} in (${keys})`
}

/** Compiles whether `t0` is a resource of the written type whose key one of the listed members references now. */
export function isOwnerOfListed(
  resource: ResourceType,
  field: RelationshipField,
  target: Target,
): Sql {
  const { link, to } = field
  const member = getResourceType(target.model, to)
  const end = shardBarrier(crossesShards(resource, field, target), target) ?? sql``
  // A member that the request may not read does not exist: it is reported as such.
  const isKnown = and([isListed(member, target), ...isRowInScope(member)])
  const keys = sql`select ${sql.join(linkKeyAt(link, 'otherKey', 0))} from ${tableAt(0, member.table)} where ${isKnown}${end}`
  return sql`${toKey(linkKeyAt(link, 'ownKey', 0))} in (${keys})`
}
