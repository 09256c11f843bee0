import { sql } from 'kysely'
import type { Sql } from '../../model/dialect.ts'
import { relationshipNamed, typeNamed } from '../../model/model.ts'
import type { ReadShape } from '../../plan/read.ts'
import { includedLayout } from '../../plan/result.ts'
import { perShape } from '../../plan/shape.ts'
import type { IncludeRead } from '../../plan/shown.ts'
import { tellsLinkage, untoldLayout } from '../linkage.ts'
import { type CompiledRead, compileRead, selecting } from '../read.ts'
import { compileSelect } from '../select.ts'
import { list, one, type Statement } from '../statement.ts'
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
    return tellsLinkage(shape, index, target.model) ? [{ step, index }] : []
  })
  if (telling.length === 0) return { read: statements.read(shape), owned: new Map() }
  return {
    read: compileRead({ ...shape, primary: untoldLayout(shape, target.model) }, target),
    owned: new Map(telling.map(({ step, index }) => [index, compileOwned(step, shape, target)])),
  }
}

function compileOwned(step: IncludeRead, shape: ReadShape, target: Target): Statement {
  const owner = typeNamed(target.model, step.type)
  const resource = typeNamed(target.model, step.to)
  const layout = includedLayout(shape, step.to)
  const { link } = relationshipNamed(owner, step.relationship)
  const { form } = owner.id.kind
  const order = orderOf(columnAt(0, resource.id.column), resource.id.kind.form, target)
  const owned = (here: Sql, position: Sql, owners: Sql): Statement => {
    const columns = sql.join([...compileSelect(layout, target), position])
    const where = every([isLinkedFrom(0, link, here), ...isOfType(0, resource)])
    const select = sql`select ${columns} from ${owners}${tableAt(0, resource.table)} where ${where} order by ${order}`
    return selecting(layout, select, target.dialect)
  }
  // The one owner is the resource in the path.
  if (shape.scope.is === 'one') return owned(one('id', form, target.dialect), sql`0`, sql``)
  const owners = sql`json_each(${list('ids', form, target.dialect)}) as "owner", `
  return owned(sql.ref('owner.value'), sql.ref('owner.key'), owners)
}
