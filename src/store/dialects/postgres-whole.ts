import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { relationshipNamed, typeNamed } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { includedLayout } from '../../plan/result.ts'
import type { RowLayout } from '../../plan/rows.ts'
import { type IncludeRead, startsAtLinkage } from '../../plan/shown.ts'
import { membership, presence } from '../read.ts'
import { compileSelect } from '../select.ts'
import { compileOrder } from '../sort.ts'
import { plain, type Statement, statement } from '../statement.ts'
import {
  attributeNamed,
  columnAt,
  every,
  isLinkedFrom,
  isOfType,
  orderOf,
  type Target,
  tableAt,
} from '../tables.ts'

/** More arguments than this no function of PostgreSQL takes. */
const mostArguments = 100

/**
 * Writes all of a read as one statement, so that it takes one round trip and sees one snapshot. Its one row holds
 * how many there are over all pages (null where the rows say it), whether the resource in the path is there, the primary
 * rows, and the rows that each step of the inclusion adds, each as a JSON array of rows, or null for none.
 *
 * The primary rows are `p`, the rows reached by step n are `r<n>`, all of them bare columns: JSON is made of those that are
 * told alone, once they are found, sorted and cut.
 *
 * @param most - how many primary rows are read of a list that is not paged; all of them when absent
 */
export function compileWhole(shape: ReadShape, target: Target, most?: number): Statement {
  const primary = primaryRows(shape, target, most)
  const columns = [
    totalOf(shape, target),
    shape.scope.is === 'one' ? sql`count(*) > 0` : (presence(shape, target) ?? sql`true`),
    gathered(shape.primary, target),
    ...shape.steps.map((step, index) => addition(shape, step, index, target)),
  ]
  const select = sql`select ${sql.join(columns, sql.raw(', '))}`
  if (shape.steps.length === 0)
    return statement(sql`${select} from (${primary}) as "t0"`, target.dialect)
  const sets = [
    sql`p as materialized (${primary})`,
    ...shape.steps.map(
      (step, index) => sql`${setOf(index)} as (${reached(shape, step, index, target)})`,
    ),
  ]
  return statement(
    sql`with ${sql.join(sets, sql.raw(', '))} ${select} from p as "t0"`,
    target.dialect,
  )
}

/**
 * The rows of `t0` as one JSON array, in the order in which they come: that of a subquery stays as long as nothing is
 * joined to it (PostgreSQL 18, 9.21).
 */
function gathered(layout: RowLayout, target: Target): Sql {
  return sql`json_agg(${jsonArray(compileSelect(layout, target))})`
}

/** A JSON array of values; one too long for a function's arguments is an array of arrays. */
function jsonArray(values: readonly Sql[]): Sql {
  if (values.length <= mostArguments) return sql`json_build_array(${sql.join([...values])})`
  const parts: Sql[] = []
  for (let at = 0; at < values.length; at += mostArguments)
    parts.push(jsonArray(values.slice(at, at + mostArguments)))
  return jsonArray(parts)
}

/** How many there are over all pages, unless the rows of one say it, as `countByRows` has it. */
function totalOf(shape: ReadShape, target: Target): Sql {
  if (!shape.isPaged) return sql`null`
  const { table } = typeNamed(target.model, shape.type)
  const isLast = sql`count(*) < ${plain('limit')} and (count(*) > 0 or ${plain('offset')}::bigint = 0)`
  const count = sql`select count(*) from ${tableAt(0, table)} where ${every(membership(shape, 0, target))}`
  return sql`case when ${isLast} then null else (${count}) end`
}

function primaryRows(shape: ReadShape, target: Target, most: number | undefined): Sql {
  const resource = typeNamed(target.model, shape.type)
  const order = compileOrder(shape.order, resource, target)
  const orderBy = shape.order.length > 0 ? sql` order by ${order.orderBy}` : sql``
  const start = most === undefined ? sql`` : sql` limit ${sql.lit(most)}`
  const limit = shape.isPaged ? sql` limit ${plain('limit')} offset ${plain('offset')}` : start
  const select = bareColumns(shape, -1, shape.primary, target)
  const where = every(membership(shape, 0, target))
  return sql`select ${select} from ${tableAt(0, resource.table)}${order.joins} where ${where}${orderBy}${limit}`
}

/** The rows that a step reaches, those told already among them. */
function reached(shape: ReadShape, step: IncludeRead, index: number, target: Target): Sql {
  const resource = typeNamed(target.model, step.to)
  const { link } = relationshipNamed(typeNamed(target.model, step.type), step.relationship)
  const heres = sql`any(array(select ${sql.id(startOf(step, target))} from ${setOf(step.from)}))`
  const isReached = startsAtLinkage(step)
    ? sql`${columnAt(0, resource.id.column)} = ${heres}`
    : isLinkedFrom(0, link, heres)
  const select = bareColumns(shape, index, includedLayout(shape, step.to), target)
  const where = every([isReached, ...isOfType(0, resource)])
  return sql`select ${select} from ${tableAt(0, resource.table)} where ${where}`
}

/** The column of earlier rows from which a step starts. */
function startOf(step: IncludeRead, { model }: Target): string {
  if (startsAtLinkage(step)) return typeNamed(model, step.to).id.column
  return relationshipNamed(typeNamed(model, step.type), step.relationship).link.here
}

/** What is read of the rows of a set, −1 being the primary one: all that makes up their layout, and where steps start. */
function bareColumns(shape: ReadShape, set: number, layout: RowLayout, target: Target): Sql {
  const resource = typeNamed(target.model, layout.type)
  const columns = new Set([resource.id.column])
  const noted = (column: string): Sql => {
    columns.add(column)
    return columnAt(0, column)
  }
  for (const value of layout.values) {
    if ('column' in value) columns.add(value.column)
    else attributeNamed(resource, value.expression).expression(noted)
  }
  for (const { relationship } of layout.linkages)
    columns.add(relationshipNamed(resource, relationship).link.here)
  for (const step of shape.steps) if (step.from === set) columns.add(startOf(step, target))
  return sql.join(
    [...columns].map((column) => columnAt(0, column)),
    sql.raw(', '),
  )
}

/** What a step adds to the rows that are told before it, in the order of their ids. */
function addition(shape: ReadShape, step: IncludeRead, index: number, target: Target): Sql {
  const { id } = typeNamed(target.model, step.to)
  const key = columnAt(0, id.column)
  const earlier = shape.steps
    .slice(0, index)
    .flatMap((other, at) => (other.to === step.to ? [at] : []))
  const isPrimary = step.to === shape.type && !shape.steps.some(startsAtLinkage)
  const told = [...(isPrimary ? [-1] : []), ...earlier].map(
    (at) => sql`${key} not in (select ${sql.id(id.column)} from ${setOf(at)})`,
  )
  const rows = sql`select "t0".* from ${setOf(index)} as "t0" where ${every(told)} order by ${orderOf(key, id.kind.form, target)}`
  return sql`(select ${gathered(includedLayout(shape, step.to), target)} from (${rows}) as "t0")`
}

function setOf(step: number): Sql {
  return step === -1 ? sql`p` : sql.id(`r${step}`)
}
