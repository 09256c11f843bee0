import { sql } from 'kysely'
import type { TextIndex } from '../../model/declare/fields.ts'
import { listParameters } from '../../model/declare/parameter.ts'
import type { Dialect, Sql } from '../../model/dialect.ts'
import { type Codec, getCodec } from '../../model/kinds/codecs.ts'
import { findCustomOperator, type Operator, operators } from '../../model/kinds/operators.ts'
import {
  type AttributeField,
  getRelationship,
  getResourceType,
  isSameKey,
  type ResourceType,
  reverseLink,
} from '../../model/model.ts'
import type { Condition } from '../../plan/filter/condition.ts'
import {
  compileIdComparison,
  compileIdIsNull,
  compileIdOperand,
  isCompositeId,
} from '../keys/composite-id.ts'
import { idParam, isKeyPresent, outerKey, toKey } from '../keys/keys.ts'
import { isLinkedFrom, isLinkedFromAny, linkKeyAt } from '../keys/link-keys.ts'
import { crossesShards, shardBarrier } from '../keys/shards.ts'
import { isOwnKey } from '../read/linkage.ts'
import { compileCounts, isFoundByKey } from '../read/related-rows.ts'
import {
  argumentParam,
  binderOf,
  castArgument,
  keyListParam,
  keyParam,
  type ParameterSource,
  param,
  patternParam,
} from '../statement.ts'
import {
  and,
  columnAt,
  comparisonKey,
  fieldAt,
  getAttribute,
  inScope,
  sortKey,
  type Target,
  tableAt,
  validValue,
} from '../tables.ts'
import type { Comparison, ConditionTable } from './condition-table.ts'

/** Compiles a condition. Tables are `t0`, `t1`, …: one deeper for each relationship that is followed. */
export function compileCondition(condition: Condition, table: ConditionTable, target: Target): Sql {
  switch (condition.is) {
    case 'compare':
      return compileComparison(condition, table, target)
    case 'fields':
      return operators[condition.operator].write(
        compileOperand(condition, condition.field, table, target),
        [compileOperand(condition, condition.other, table, target)] as never,
        target.dialect,
      )
    case 'null':
      return compileIsNull(condition.field, table, target)
    case 'custom':
      return compileCustom(condition, table, target)
    case 'related':
      return compileIsKey(condition, table, target) ?? compileRelated(condition, table, target)
    case 'count':
      return compileCount(condition, table, target)
    case 'call':
      return compileCall(condition, table, target)
    case 'and':
    case 'or': {
      const parts = condition.all.map((part) => compileCondition(part, table, target))
      return sql`(${joinBalanced(parts, sql.raw(` ${condition.is} `))})`
    }
    case 'not':
      return sql`not (${compileCondition(condition.inner, { ...table, isNegated: true }, target)})`
  }
}

function compileIsNull(name: string, table: ConditionTable, target: Target): Sql {
  if (isCompositeId(name, table.resource)) return compileIdIsNull(table)
  const field = getAttribute(table.resource, name)
  const value = validValue(fieldOf(table, field, target), field, target)
  const { isNull } = getCodec(field.kind.codec, target.dialect)
  return isNull ? isNull(value) : sql`${value} is null`
}

/** A condition on a related resource. */
type Related = Extract<Condition, { is: 'related' }>

/** Compiles a comparison: as a pattern, by the simpler condition of its operator, or by the operator itself. */
function compileComparison(condition: Comparison, table: ConditionTable, target: Target): Sql {
  const operator: Operator = operators[condition.operator]
  if (isCompositeId(condition.field, table.resource))
    return compileIdComparison(condition, table, target)
  const left = compileOperand(condition, condition.field, table, target)
  const indexed = compileIndexed(condition, table, left, target)
  if (indexed) return indexed
  const matched = compilePattern(condition, operator, left, target)
  if (matched) return matched
  const { codec } = getAttribute(table.resource, condition.field).kind
  const bind = operator.takes === 'list' ? keyListParam : keyParam
  const [first, ...others] = condition.parameters.map((parameter) =>
    bind(parameter, codec, target.dialect),
  )
  if (first === undefined)
    throw new Error(`The operator ${condition.operator} was planned without a value.`)
  const write = getCodec(codec, target.dialect).operators?.[condition.operator]
  if (write) return write(left, [first, ...others])
  const simplest = (condition.isSimple && operator.simpler) || operator
  return simplest.write(left, [first, ...others], target.dialect)
}

/** Compiles `match` on an attribute with a text index. Inside a `not` it is unknown for null. */
function compileIndexed(
  { operator, field, parameters: [parameter] }: Comparison,
  { resource, depth, column: columnOf, isNegated }: ConditionTable,
  left: Sql,
  { dialect }: Target,
): Sql | undefined {
  if (operator !== 'match' || parameter === undefined) return undefined
  const { match: index, column: name = field } = getAttribute(resource, field)
  if (index === undefined) return undefined
  const column = columnOf ?? ((each: string) => columnAt(depth, each))
  const matched = compileIndexedMatch({ index, name, column }, parameter, dialect)
  return matched && isNegated ? sql`(case when ${left} is not null then ${matched} end)` : matched
}

/** Compiles a text search if the dialect prepares patterns; a text without `%` needs no pattern. */
function compilePattern(
  { parameters: [parameter], isSimple }: Comparison,
  { pattern }: Operator,
  left: Sql,
  { dialect: { patterns } }: Target,
): Sql | undefined {
  if (!pattern || !patterns || parameter === undefined) return undefined
  if (pattern.is === 'like' && isSimple) return undefined
  const matched = patterns.write(
    pattern.is,
    left,
    patternParam(parameter, pattern.is, patterns.bind),
  )
  return pattern.isNot ? sql`not (${matched})` : matched
}

/** The operators that no invalid value matches. */
const equalities: ReadonlySet<string> = new Set(['eq', 'in_'])

/** Whether values of a codec are compared by keys, which only valid values have. */
function hasKey(codec: Codec, { dialect }: Target): boolean {
  return getCodec(codec, dialect).key !== undefined
}

/**
 * Compiles a field so that it equals the number that a response contains: a column of four bytes is converted by way of its
 * shortest text, because as a double 21.35 would be 21.350000381469727.
 */
function withoutRounding(
  value: Sql,
  { column, kind }: AttributeField,
  { resource, target }: Readonly<{ resource: ResourceType; target: Target }>,
): Sql {
  const isReal =
    kind.codec === 'number' &&
    column !== undefined &&
    target.facts.isSinglePrecision(resource.table, column)
  return isReal ? sql`${value}::text::double precision` : value
}

/**
 * Compiles a field as an operand. It is a sort key if the operator needs an order, or if two fields are compared, whose columns
 * may have different orders.
 */
function compileOperand(
  { is, operator }: Extract<Condition, { is: 'compare' | 'fields' }>,
  name: string,
  table: ConditionTable,
  target: Target,
): Sql {
  const { resource, isNegated = false } = table
  if (isCompositeId(name, resource)) return compileIdOperand(table, operators[operator], target)
  const field = getAttribute(resource, name)
  const { codec } = field.kind
  const stored = withoutRounding(fieldOf(table, field, target), field, { resource, target })
  // An invalid value equals no valid one, so that an index of the column can be used. Inside a `not` it has to be null.
  const isPlain =
    is === 'compare' && !isNegated && equalities.has(operator) && !hasKey(codec, target)
  const value = isPlain ? stored : validValue(stored, field, target)
  if (is === 'fields')
    return getCodec(codec, target.dialect).toExact?.(value) ?? sortKey(value, codec, target)
  const write = operators[operator].requires === 'ordered' ? sortKey : comparisonKey
  return write(value, codec, target)
}

/** Compiles the left side of a comparison in a table `t0`: what an index has to be on. */
export function compileFilterKey(
  condition: Extract<Condition, { is: 'compare' }>,
  resource: ResourceType,
  target: Target,
): Sql {
  return compileOperand(condition, condition.field, { resource, depth: 0 }, target)
}

/**
 * Compiles whether the key in the row is the integer id of a related resource, without a lookup, if the key references a row for
 * sure (row `owner` of the benchmark). Inside a `not` a null key must be false, and keys of other kinds may have
 * another collation.
 */
function compileIsKey(
  { relationship, where }: Related,
  { resource, depth, column = (name) => columnAt(depth, name), isNegated }: ConditionTable,
  target: Target,
): Sql | undefined {
  const field = getRelationship(resource, relationship)
  const { id } = getResourceType(target.model, field.to)
  const isInteger = id.parts.length === 1 && id.kind.codec === 'id'
  const value = matchesOneId(where) ? where.parameters[0] : undefined
  if (!isInteger || value === undefined || isNegated || !isOwnKey(field, target)) return undefined
  // SQLite compares a column without a type with a number in the same way as the id only if the number has the type of the id.
  const key = toKey(linkKeyAt(field.link, 'ownKey', column))
  return sql`${key} = cast(${idParam(value, id, target.dialect)} as bigint)`
}

/**
 * Compiles whether the row is linked to one that matches the condition. Inside a `not` this must not be null, hence the tests for
 * null. The subquery is not correlated, so it runs once for all rows, at any depth (nested `exists` multiply); only the rule of a row that
 * is looked up by its id follows the keys from this row.
 */
function compileRelated(
  { relationship, where, preventPullUp }: Related,
  { resource, depth, column = (name) => columnAt(depth, name), isNegated, isOfRow }: ConditionTable,
  target: Target,
): Sql {
  const field = getRelationship(resource, relationship)
  const { link, to } = field
  const barrier = shardBarrier(crossesShards(resource, field, target), target)
  const isByKey = isOfRow === true && barrier === undefined && isFoundByKey(field, target)
  const other = { resource: getResourceType(target.model, to), depth: depth + 1, isOfRow: isByKey }
  const otherKey = linkKeyAt(link, 'otherKey', other.depth)
  const isId = isSameKey(link.otherKey, other.resource.id.columns)
  const conditions = [
    ...(isId ? [] : isKeyPresent(otherKey)),
    ...inScope(other.depth, other.resource),
    ...(where ? [compileCondition(where, other, target)] : []),
  ]
  const from = sql`from ${tableAt(other.depth, other.resource.table)}`
  const ownKey = linkKeyAt(link, 'ownKey', column)
  const outer = toKey(outerKey(ownKey, target.dialect))
  if (isByKey)
    return sql`exists (select 1 ${from} where ${and([isLinkedFrom(other.depth, link, outer), ...conditions])})`
  const otherKeys = sql`select ${sql.join(otherKey)} ${from}${whereAll(conditions)}`
  const isOne = isId && link.foreignKey === 'own' && matchesOneId(where) && !isNegated
  const isLinked = isOne
    ? target.dialect.equalsSubquery(toKey(ownKey), otherKeys)
    : isLinkedFromAny(depth, reverseLink(link), otherKeys, { otherKey: toKey(ownKey), barrier })
  const matched = andKeyPresent(isLinked, ownKey, isSameKey(link.ownKey, resource.id.columns))
  return preventPullUp && !isNegated ? preventJoin(matched, target) : matched
}

/** Makes a condition on a key false where the key is null. An id never is. */
function andKeyPresent(condition: Sql, key: readonly Sql[], isId: boolean): Sql {
  return isId ? condition : sql`(${and([...isKeyPresent(key), condition])})`
}

/** The clause of several conditions; empty for none. */
function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${and(conditions)}`
}

/** Keeps a database from converting a condition with a subquery to a join. Inside a `not` none does. */
function preventJoin(condition: Sql, { dialect }: Target): Sql {
  return dialect.preventPullUp ? dialect.preventPullUp(condition) : condition
}

/** Compiles an operator of a kind that a program defines. */
function compileCustom(
  { operator: name, field: fieldName, parameter }: Extract<Condition, { is: 'custom' }>,
  table: ConditionTable,
  target: Target,
): Sql {
  const { dialect } = target
  const field = getAttribute(table.resource, fieldName)
  const operator = findCustomOperator(field.kind, name)
  const write = operator?.sql[dialect.name]
  if (operator === undefined || write === undefined)
    throw new Error(`The kind ${field.kind.name} has no operator ${name} for ${dialect.name}.`)
  const value = validValue(fieldOf(table, field, target), field, target)
  return sql`(${write(value, param(parameter, operator.takes.codec, dialect))})`
}

/** Compiles whether the id is one of those that a declared query returns. The query runs once for all rows. */
function compileCall(
  { query: name, parameters, preventPullUp }: Extract<Condition, { is: 'call' }>,
  { resource, depth, column = (each) => columnAt(depth, each), isNegated }: ConditionTable,
  target: Target,
): Sql {
  const { dialect } = target
  const query = resource.queries.get(name)
  if (query === undefined) throw new Error(`${resource.type} has no query ${name}.`)
  const bound = listParameters(query.parameters).map(([parameter, resolved], index) => {
    const source = parameters[index]
    if (source === undefined) throw new Error(`${name} was planned without ${parameter}.`)
    const placeholder = argumentParam(source, binderOf(resolved.kind.codec, dialect))
    return [parameter, castArgument(placeholder, resolved, dialect)] as const
  })
  const ids = sql`select * from (${query.write(Object.fromEntries(bound))}) as ${sql.id(`q${depth}`)}`
  const matched = sql`${toKey(resource.id.columns.map(column))} in (${ids})`
  // The query may return null, which must not make a negation unknown.
  if (isNegated) return sql`(${matched}) is true`
  return preventPullUp ? preventJoin(matched, target) : matched
}

/**
 * Compiles a comparison of the number of related resources. The subquery is not correlated: it counts once for all rows. It lists the
 * keys that match or, if a row without related resources matches, those that do not.
 */
function compileCount(
  {
    relationship,
    operator,
    parameter,
    includesZero,
    preventPullUp,
  }: Extract<Condition, { is: 'count' }>,
  { resource, depth, column = (name) => columnAt(depth, name), isNegated }: ConditionTable,
  target: Target,
): Sql {
  const { dialect } = target
  const field = getRelationship(resource, relationship)
  const ownKey = linkKeyAt(field.link, 'ownKey', column)
  const isId = isSameKey(field.link.ownKey, resource.id.columns)
  const value = param(parameter, 'integer', dialect)
  const having = (count: Sql) => {
    const matches = operators[operator].write(count, [value] as never, dialect)
    return includesZero ? sql`not (${matches})` : matches
  }
  const counts = compileCounts(field, target, { having })
  const alias = sql.id(`c${depth}`)
  const keys = sql.join(counts.names.map((name) => sql`${alias}.${name}`))
  const barrier = shardBarrier(crossesShards(resource, field, target), target) ?? sql``
  const listed = sql`${toKey(ownKey)} in (select ${keys} from (${counts.select}) as ${alias}${barrier})`
  const matched = andKeyPresent(listed, ownKey, isId)
  if (includesZero) return isId ? sql`not (${listed})` : sql`${matched} is not true`
  return preventPullUp && !isNegated ? preventJoin(matched, target) : matched
}

/** Compiles an attribute of the rows that a condition is about. */
function fieldOf({ depth, column }: ConditionTable, field: AttributeField, target: Target): Sql {
  return column ? field.expression(column, target.dialect) : fieldAt(depth, field, target)
}

/** Whether at most one id matches a condition. */
function matchesOneId(where: Condition | undefined): where is Comparison {
  return where?.is === 'compare' && where.operator === 'eq' && where.field === 'id'
}

/** Up to this number conditions are joined as a chain without parentheses, whose depth is far below the limits. */
const maxChain = 8

/** Joins conditions as a balanced tree: databases limit the depth of an expression, and a chain is as deep as it is long. */
function joinBalanced(parts: readonly Sql[], separator: Sql): Sql {
  if (parts.length <= maxChain) return sql.join(parts, separator)
  const half = parts.length >> 1
  return sql`(${joinBalanced(parts.slice(0, half), separator)})${separator}(${joinBalanced(parts.slice(half), separator)})`
}

/** The text index that an attribute has in a database, and how its columns are compiled. */
interface IndexedText {
  readonly index: TextIndex
  /** The attribute's own column in the index. */
  readonly name: string
  readonly column: (name: string) => Sql
}

/**
 * Compiles `match` by a text index. The index decides what a word is.
 * @param parameter - the number of the parameter with the words
 * @returns `undefined` if the attribute has no index in this database
 */
function compileIndexedMatch(
  { index, name, column }: IndexedText,
  parameter: ParameterSource,
  dialect: Dialect,
): Sql | undefined {
  const { isDeclared, toQuery, match } = dialect.textIndexes
  if (!isDeclared(index)) return undefined
  const query = toQuery
    ? patternParam(parameter, 'match', ({ text }) => toQuery(text, name))
    : param(parameter, 'text', dialect)
  return match(index, column, query)
}
