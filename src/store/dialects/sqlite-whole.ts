import { sql } from 'kysely'
import {
  type Model,
  type RelationshipField,
  relationshipNamed,
  typeNamed,
} from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { includedLayout } from '../../plan/result.ts'
import { perShape } from '../../plan/shape.ts'
import { type IncludeRead, startsAtLinkage } from '../../plan/shown.ts'
import { type CompiledRead, compileRead, selecting } from '../read.ts'
import { compileSelect } from '../select.ts'
import { list, type Statement } from '../statement.ts'
import { type Statements, statementsFor } from '../statements.ts'
import {
  columnAt,
  every,
  isLinkedFrom,
  isOfType,
  orderOf,
  type Target,
  tableAt,
} from '../tables.ts'

/** The statements of reads that hold all of their rows at once. */
export interface WholeRead {
  /** The primary rows without the linkage that the steps in `owned` tell: it is null. */
  readonly read: CompiledRead
  /**
   * By the number of a step: the rows that it includes, in the order of their ids, and behind each the position of the
   * primary row that owns it. So linkage is not looked up once with the primary rows and again for what is included.
   */
  readonly owned: ReadonlyMap<number, Statement>
}

/** The statements of a store on SQLite. */
export interface SqliteStatements extends Statements {
  readonly whole: (shape: ReadShape) => WholeRead
}

/** Makes the statements of a model for SQLite. */
export function sqliteStatements(target: Target): SqliteStatements {
  const statements = statementsFor(target)
  return { ...statements, whole: perShape((shape) => compileWholeRead(shape, statements)) }
}

/** Writes the SQL of a read that holds all of its rows at once. Pure: the same shape gives the same text. */
function compileWholeRead(shape: ReadShape, statements: Statements): WholeRead {
  const { target } = statements
  const telling = shape.steps.flatMap((step, index) => {
    return tellsLinkage(step, shape, target.model) ? [{ step, index }] : []
  })
  if (telling.length === 0) return { read: statements.read(shape), owned: new Map() }
  const linkages = shape.primary.linkages.map((linkage) => {
    const isTold = telling.some(({ step }) => step.relationship === linkage.relationship)
    return { ...linkage, isTold }
  })
  return {
    read: compileRead({ ...shape, primary: { ...shape.primary, linkages } }, target),
    owned: new Map(telling.map(({ step, index }) => [index, compileOwned(step, shape, target)])),
  }
}

/**
 * Whether the rows of a step tell the linkage that it follows: each has one owner, all owners are primary rows, and no
 * other step has read some of the rows already.
 */
function tellsLinkage(step: IncludeRead, shape: ReadShape, model: Model): boolean {
  if (step.from !== -1 || startsAtLinkage(step) || !step.many) return false
  const { key, here } = relationshipOf(step, model).link
  if (key !== 'there' || here !== typeNamed(model, step.type).id.column) return false
  return shape.steps.every(({ to }, index) => {
    return to !== step.type && (to !== step.to || shape.steps[index] === step)
  })
}

function relationshipOf({ type, relationship }: IncludeRead, model: Model): RelationshipField {
  return relationshipNamed(typeNamed(model, type), relationship)
}

function compileOwned(step: IncludeRead, shape: ReadShape, target: Target): Statement {
  const owner = typeNamed(target.model, step.type)
  const resource = typeNamed(target.model, step.to)
  const layout = includedLayout(shape, step.to)
  const { link } = relationshipOf(step, target.model)
  const ids = list('ids', owner.id.kind.form, target.dialect)
  const isOwner = sql`${columnAt(1, owner.id.column)} = "owner"."value"`
  const isOwned = every([isLinkedFrom(0, link, columnAt(1, link.here)), ...isOfType(0, resource)])
  const order = orderOf(columnAt(0, resource.id.column), resource.id.kind.form, target)
  const from = sql`json_each(${ids}) as "owner" join ${tableAt(1, owner.table)} on ${isOwner} join ${tableAt(0, resource.table)} on ${isOwned}`
  const select = sql`select ${compileSelect(layout, target)}, "owner"."key" from ${from} order by ${order}`
  return selecting(layout, select, target.dialect)
}
