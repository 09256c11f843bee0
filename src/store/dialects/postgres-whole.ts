import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { relationshipNamed, typeNamed } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { startsAtLinkage } from '../../plan/shown.ts'
import { membership, presence } from '../read.ts'
import { compileSelect } from '../select.ts'
import { compileOrder } from '../sort.ts'
import { plain, type Statement, statement } from '../statement.ts'
import {
  columnAt,
  every,
  isLinkedFromAny,
  isOfType,
  orderOf,
  type Target,
  tableAt,
} from '../tables.ts'

/**
 * Writes all of a read as one statement, so that it takes one round trip and sees one snapshot. Its one row holds
 * how many there are over all pages (null where all are read), whether the resource in the path is there, the primary
 * rows, and the rows that each step of the inclusion adds, each as a JSON array of rows.
 *
 * @param most - how many primary rows are read of a list that is not paged; all of them when absent
 *
 * The primary rows are `p`, the rows reached by step n are `r<n>`; `k` is the id, and `h<n>` where step n starts.
 */
export function compileWhole(shape: ReadShape, target: Target, most?: number): Statement {
  const sets = [
    primarySet(shape, target, most),
    ...shape.steps.map((_, step) => stepSet(shape, step, target)),
  ]
  const additions = shape.steps.map((_, step) => addition(shape, step, target))
  const columns = [
    shape.isPaged ? countOf(shape, target) : sql`null`,
    presence(shape, target) ?? sql`true`,
    sql`(select ${gathered(sql`p.r`, sql`p.n`)} from p)`,
    ...additions,
  ]
  return statement(
    sql`with ${sql.join(sets, sql.raw(', '))} select ${sql.join(columns, sql.raw(', '))}`,
    target.dialect,
  )
}

/** Rows as one JSON array; null for none. */
function gathered(row: Sql, order: Sql): Sql {
  return sql`json_agg(${row} order by ${order})`
}

function countOf(shape: ReadShape, target: Target): Sql {
  const { table } = typeNamed(target.model, shape.type)
  return sql`(select count(*) from ${tableAt(0, table)} where ${every(membership(shape, 0, target))})`
}

function primarySet(shape: ReadShape, target: Target, most: number | undefined): Sql {
  const resource = typeNamed(target.model, shape.type)
  const order = compileOrder(shape.order, resource, target)
  const orderBy = shape.order.length > 0 ? sql` order by ${order.orderBy}` : sql``
  const start = most === undefined ? sql`` : sql` limit ${sql.lit(most)}`
  const limit = shape.isPaged ? sql` limit ${plain('limit')} offset ${plain('offset')}` : start
  const select = sql.join(
    [
      sql`${columnAt(0, resource.id.column)} as k`,
      ...starts(shape, -1, target),
      sql`${compileSelect(shape.primary, target)} as r`,
    ],
    sql.raw(', '),
  )
  const where = every(membership(shape, 0, target))
  const rows = sql`select ${select} from ${tableAt(0, resource.table)}${order.joins} where ${where}${orderBy}${limit}`
  return sql`p as materialized (select q.*, row_number() over () as n from (${rows}) as q)`
}

/** The columns of a set from which later steps start. */
function starts(shape: ReadShape, from: number, target: Target): Sql[] {
  return shape.steps.flatMap((step, index) => {
    if (step.from !== from) return []
    const { link } = relationshipNamed(typeNamed(target.model, step.type), step.relationship)
    const here = startsAtLinkage(step) ? typeNamed(target.model, step.to).id.column : link.here
    return [sql`${columnAt(0, here)} as ${sql.id(`h${index}`)}`]
  })
}

/** The rows that a step reaches, those told already among them. */
function stepSet(shape: ReadShape, index: number, target: Target): Sql {
  const step = stepAt(shape, index)
  const resource = typeNamed(target.model, step.to)
  const { link } = relationshipNamed(typeNamed(target.model, step.type), step.relationship)
  const heres = sql`select ${sql.id(`h${index}`)} from ${setOf(step.from)}`
  const isReached = startsAtLinkage(step)
    ? sql`${columnAt(0, resource.id.column)} in (${heres})`
    : isLinkedFromAny(0, link, heres)
  const select = sql.join(
    [sql`${columnAt(0, resource.id.column)} as k`, ...starts(shape, index, target)],
    sql.raw(', '),
  )
  const where = every([isReached, ...isOfType(0, resource)])
  return sql`${setOf(index)} as (select ${select} from ${tableAt(0, resource.table)} where ${where})`
}

function addition(shape: ReadShape, index: number, target: Target): Sql {
  const step = stepAt(shape, index)
  const { id, table } = typeNamed(target.model, step.to)
  const key = columnAt(0, id.column)
  const earlier = shape.steps
    .slice(0, index)
    .flatMap((other, at) => (other.to === step.to ? [at] : []))
  const isPrimary = step.to === shape.type && !shape.steps.some(startsAtLinkage)
  const told = [...(isPrimary ? [-1] : []), ...earlier].map(
    (at) => sql`${key} not in (select k from ${setOf(at)})`,
  )
  const where = every([sql`${key} in (select k from ${setOf(index)})`, ...told])
  const layout = shape.included.find(({ type }) => type === step.to)
  if (layout === undefined) throw new Error(`The plan includes no ${step.to}.`)
  const rows = gathered(compileSelect(layout, target), orderOf(key, id.kind.form, target))
  return sql`(select ${rows} from ${tableAt(0, table)} where ${where})`
}

function setOf(step: number): Sql {
  return step === -1 ? sql`p` : sql.id(`r${step}`)
}

function stepAt(shape: ReadShape, index: number) {
  const step = shape.steps[index]
  if (step === undefined) throw new Error(`The plan has no step ${index}.`)
  return step
}
