import { sql } from 'kysely'
import type { Dialect, Sql } from '../model/dialect.ts'
import { type Model, type ResourceType, relationshipOf, typeNamed } from '../model/model.ts'
import type { ReadShape } from '../plan/read.ts'
import type { RowLayout } from '../plan/rows.ts'
import { type IncludeRead, startsAtLinkage } from '../plan/shown.ts'
import { columnAt, compileCondition, tableAt } from './filter.ts'
import { compileLoad, compileSelect } from './select.ts'
import { compileOrder } from './sort.ts'
import { list, one, plain, type Statement, statement } from './statement.ts'

/** All statements a shape may need; each is written at most once. */
export interface CompiledRead {
  /** The primary rows: a page, or all. */
  readonly rows: Statement
  /** How many there are over all pages. */
  readonly count: Statement
  /** Whether the resource in the path is there; `undefined` when the path names none. */
  readonly present: Statement | undefined
  /** Resources of a type by their ids, ascending; for each included layout. */
  readonly byIds: ReadonlyMap<string, Statement>
  /** What each step of the inclusion adds to all that came before it, when the primary rows are all of a list. */
  readonly additions: readonly Statement[]
}

/** Writes the SQL of a read. Pure: the same shape gives the same text. */
export function compileRead(shape: ReadShape, model: Model, dialect: Dialect): CompiledRead {
  const resource = typeNamed(model, shape.type)
  const from = tableAt(0, resource.table)
  const where = sql`where ${membership(shape, model, dialect, 0)}`
  const order = compileOrder(shape.order)
  const orderBy = shape.order.length > 0 ? sql` order by ${order.orderBy}` : sql``
  const limit = shape.isPaged ? sql` limit ${plain('limit')} offset ${plain('offset')}` : sql``
  const select = compileSelect(shape.primary, model, dialect)
  let additions: readonly Statement[] | undefined
  return {
    rows: selecting(
      shape.primary,
      sql`select ${select} from ${from}${order.joins} ${where}${orderBy}${limit}`,
      dialect,
    ),
    count: statement(sql`select count(*) from ${from} ${where}`, dialect),
    present: shape.scope.is === 'all' ? undefined : compilePresent(inPath(shape, model), dialect),
    byIds: new Map(
      shape.included.map((layout) => [layout.type, compileByIds(layout, model, dialect)]),
    ),
    // Only streams need them: they are written when the first one asks.
    get additions() {
      additions ??= shape.steps.map((_, step) => compileAddition(shape, step, model, dialect))
      return additions
    },
  }
}

/** Whether there is a resource with the id of the path. */
export function compilePresent(resource: ResourceType, dialect: Dialect): Statement {
  const isIt = sql`${columnAt(0, resource.id.column)} = ${one('id', resource.id.kind.form, dialect)}`
  return statement(sql`select 1 from ${tableAt(0, resource.table)} where ${isIt}`, dialect)
}

function inPath({ scope, type }: ReadShape, model: Model): ResourceType {
  return typeNamed(model, scope.is === 'related' ? scope.type : type)
}

function layoutOf(shape: ReadShape, type: string) {
  const layout = shape.included.find((each) => each.type === type)
  if (layout === undefined) throw new Error(`The plan includes no ${type}.`)
  return layout
}

/** A statement that reads rows of a layout. */
function selecting(layout: RowLayout, expression: Sql, dialect: Dialect): Statement {
  return { ...statement(expression, dialect), load: compileLoad(layout, dialect) }
}

function compileByIds(layout: RowLayout, model: Model, dialect: Dialect): Statement {
  const resource = typeNamed(model, layout.type)
  const id = columnAt(0, resource.id.column)
  const where = dialect.inList(id, list('ids', resource.id.kind.form, dialect))
  const select = compileSelect(layout, model, dialect)
  const from = tableAt(0, resource.table)
  return selecting(
    layout,
    sql`select ${select} from ${from} where ${where} order by ${id}`,
    dialect,
  )
}

/** The rows of `t<depth>` that are primary data, or are reached by a step. */
function membership(shape: ReadShape, model: Model, dialect: Dialect, depth: number): Sql {
  const parts: Sql[] = []
  const resource = typeNamed(model, shape.type)
  const id = one('id', resource.id.kind.form, dialect)
  if (shape.scope.is === 'one') parts.push(sql`${columnAt(depth, resource.id.column)} = ${id}`)
  if (shape.scope.is === 'related') parts.push(compileRelatedTo(shape.scope, model, dialect, depth))
  if (shape.where) parts.push(compileCondition(shape.where, dialect, depth))
  return parts.length === 0 ? sql`true` : sql.join(parts, sql.raw(' and '))
}

function compileRelatedTo(
  scope: Extract<ReadShape['scope'], { is: 'related' }>,
  model: Model,
  dialect: Dialect,
  depth: number,
): Sql {
  const { resource, link } = relationship(scope.type, scope.relationship, model)
  const id = one('id', resource.id.kind.form, dialect)
  const there = columnAt(depth, link.there)
  if (link.here === resource.id.column) return sql`${there} = ${id}`
  const inner = depth + 1
  const isIt = sql`${columnAt(inner, resource.id.column)} = ${id}`
  return sql`${there} in (select ${columnAt(inner, link.here)} from ${tableAt(inner, resource.table)} where ${isIt})`
}

/** What a step adds: the resources it reaches that are neither primary data nor reached by an earlier step. */
function compileAddition(
  shape: ReadShape,
  index: number,
  model: Model,
  dialect: Dialect,
): Statement {
  const step = stepAt(shape, index)
  const resource = typeNamed(model, step.to)
  const earlier = shape.steps
    .slice(0, index)
    .flatMap((other, at) => (other.to === step.to ? [at] : []))
  const isPrimary = step.to === shape.type && !shape.steps.some(startsAtLinkage)
  const told = [...(isPrimary ? [-1] : []), ...earlier].map(
    (at) => sql` and (${reached(shape, at, model, dialect, 0)}) is not true`,
  )
  const where = sql`${reached(shape, index, model, dialect, 0)}${sql.join(told, sql.raw(''))}`
  const layout = layoutOf(shape, step.to)
  const select = compileSelect(layout, model, dialect)
  const from = tableAt(0, resource.table)
  const id = columnAt(0, resource.id.column)
  return selecting(
    layout,
    sql`select ${select} from ${from} where ${where} order by ${id}`,
    dialect,
  )
}

/**
 * Whether `t<depth>` is reached by the step; −1 is the primary data. A step from the primary data looks from each row
 * for one that leads to it, so that rows flow from the first moment. A later step gathers what the step before it
 * reached, once: looking from each row would multiply with every step.
 */
function reached(
  shape: ReadShape,
  index: number,
  model: Model,
  dialect: Dialect,
  depth: number,
): Sql {
  if (index === -1) return membership(shape, model, dialect, depth)
  const step = stepAt(shape, index)
  // Where the primary data is mere linkage, the first step leads to the very rows it names.
  if (startsAtLinkage(step)) return membership(shape, model, dialect, depth)
  const { resource, link } = relationship(step.type, step.relationship, model)
  const here = columnAt(depth + 1, link.here)
  const there = columnAt(depth, link.there)
  const from = tableAt(depth + 1, resource.table)
  const before = reached(shape, step.from, model, dialect, depth + 1)
  if (step.from === -1)
    return sql`exists (select 1 from ${from} where ${here} = ${there} and ${before})`
  return sql`${there} in (select ${here} from ${from} where ${here} is not null and ${before})`
}

function stepAt(shape: ReadShape, index: number): IncludeRead {
  const step = shape.steps[index]
  if (step === undefined) throw new Error(`The plan has no step ${index}.`)
  return step
}

function relationship(type: string, name: string, model: Model) {
  const resource = typeNamed(model, type)
  const field = relationshipOf(resource, name)
  if (field === undefined) throw new Error(`${type} has no relationship ${name}.`)
  return { resource, link: field.link }
}
