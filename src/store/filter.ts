import { sql } from 'kysely'
import { getCodec } from '../model/codecs.ts'
import type { Sql } from '../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType, reverseLink } from '../model/model.ts'
import { type Operator, operators } from '../model/operators.ts'
import type { Condition } from '../plan/filter.ts'
import { keyListParam, keyParam, patternParam } from './statement.ts'
import {
  and,
  columnAt,
  comparisonKey,
  fieldAt,
  getAttribute,
  inScope,
  isLinkedFromAny,
  sortKey,
  type Target,
  tableAt,
} from './tables.ts'

/** A resource type whose rows are in the table `t<depth>` of a statement. */
interface Place {
  readonly resource: ResourceType
  readonly depth: number
  /** Whether the condition is denied, so that unknown is not as good as false. */
  readonly isDenied?: boolean
}

/** Writes a condition as SQL. Tables are `t0`, `t1`, …: one deeper for each relationship followed. */
export function compileCondition(condition: Condition, place: Place, target: Target): Sql {
  switch (condition.is) {
    case 'compare': {
      const operator: Operator = operators[condition.operator]
      const { write } = (condition.isSimple && operator.simpler) || operator
      const { codec } = getAttribute(place.resource, condition.field).kind
      const bind = operator.takes === 'list' ? keyListParam : keyParam
      const [first, ...others] = condition.parameters.map((slot) =>
        bind(slot, codec, target.dialect),
      )
      if (first === undefined)
        throw new Error(`The operator ${condition.operator} was planned without a value.`)
      const left = sideOf(condition, condition.field, place, target)
      const found = compilePattern(condition, operator, left, target)
      if (found) return found
      return write(left, [first, ...others], target.dialect)
    }
    case 'fields':
      return operators[condition.operator].write(
        sideOf(condition, condition.field, place, target),
        [sideOf(condition, condition.other, place, target)] as never,
        target.dialect,
      )
    case 'null': {
      const field = getAttribute(place.resource, condition.field)
      return sql`${fieldAt(place.depth, field)} is null`
    }
    case 'related':
      return compileRelated(condition, place, target)
    case 'and':
    case 'or': {
      const parts = condition.all.map((part) => compileCondition(part, place, target))
      return sql`(${balanced(parts, sql.raw(` ${condition.is} `))})`
    }
    case 'not':
      return sql`not (${compileCondition(condition.inner, { ...place, isDenied: true }, target)})`
  }
}

/** A search for a value, where the dialect prepares the pattern; a text without `%` needs nothing prepared. */
function compilePattern(
  { parameters: [slot], isSimple }: Extract<Condition, { is: 'compare' }>,
  { pattern }: Operator,
  left: Sql,
  { dialect: { patterns } }: Target,
): Sql | undefined {
  if (!pattern || !patterns || slot === undefined) return undefined
  if (pattern.is === 'like' && isSimple) return undefined
  const found = patterns.write(pattern.is, left, patternParam(slot, pattern.is, patterns.bind))
  return pattern.isNot ? sql`not (${found})` : found
}

/**
 * A field as a side of a comparison: by its order where the operator asks for one, and where two fields are compared, whose
 * columns may have different ones.
 */
function sideOf(
  { is, operator }: Extract<Condition, { is: 'compare' | 'fields' }>,
  name: string,
  { resource, depth }: Place,
  target: Target,
): Sql {
  const field = getAttribute(resource, name)
  const { codec } = field.kind
  const value = fieldAt(depth, field)
  if (is === 'fields')
    return getCodec(codec, target.dialect.name).toExact?.(value) ?? sortKey(value, codec, target)
  const write = operators[operator].requires === 'ordered' ? sortKey : comparisonKey
  return write(value, codec, target)
}

/**
 * Whether the row is linked to one that meets the condition: where that is denied true or false, never unknown, hence the
 * tests for null.
 * The subquery does not depend on the row, so it runs once however many rows there are and however deep it nests.
 */
function compileRelated(
  { relationship, where, preventPullUp }: Extract<Condition, { is: 'related' }>,
  { resource, depth, isDenied }: Place,
  target: Target,
): Sql {
  const { link, to } = getRelationship(resource, relationship)
  const other = { resource: getResourceType(target.model, to), depth: depth + 1 }
  const there = columnAt(other.depth, link.otherKey)
  const isId = link.otherKey === other.resource.id.column
  const conditions = [
    ...(isId ? [] : [sql`${there} is not null`]),
    ...inScope(other.depth, other.resource),
    ...(where ? [compileCondition(where, other, target)] : []),
  ]
  const from = sql`select ${there} from ${tableAt(other.depth, other.resource.table)}`
  const theres = conditions.length === 0 ? from : sql`${from} where ${and(conditions)}`
  const here = columnAt(depth, link.ownKey)
  const isLinked =
    isId && link.foreignKey === 'own' && isOfOneId(where) && !isDenied
      ? target.dialect.equalsSubquery(here, theres)
      : isLinkedFromAny(depth, reverseLink(link), theres)
  const found =
    link.ownKey === resource.id.column ? isLinked : sql`(${here} is not null and ${isLinked})`
  // Where it is denied, no database makes it a join.
  return preventPullUp && !isDenied && target.dialect.preventPullUp
    ? target.dialect.preventPullUp(found)
    : found
}

/** Whether at most one id meets a condition. */
function isOfOneId(where: Condition | undefined): boolean {
  return where?.is === 'compare' && where.operator === 'eq' && where.field === 'id'
}

/** Joins by halves: databases bound the depth of an expression, and a thousand parts in a row are a thousand deep. */
function balanced(parts: readonly Sql[], separator: Sql): Sql {
  if (parts.length <= 8) return sql.join(parts, separator)
  const half = parts.length >> 1
  return sql`(${balanced(parts.slice(0, half), separator)})${separator}(${balanced(parts.slice(half), separator)})`
}
