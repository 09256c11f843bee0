import { listParameters, type ResolvedParameter } from '../model/declare/parameter.ts'
import {
  formatArgument,
  readIdArgument,
  type TableFunction,
  toArgumentColumn,
} from '../model/declare/table-function.ts'
import { type Dialect, type Sql, sql } from '../model/dialect.ts'
import { splitId } from '../model/kinds/composite-ids.ts'
import type { ResourceType } from '../model/model.ts'
import {
  argumentParam,
  binderOf,
  castArgument,
  castParam,
  type Placeholder,
  type RunValues,
} from './statement.ts'
import { type Target, tableAt } from './tables.ts'

// The rows of a table function (docs/decisions/0068). They have a column for the text of each argument, because the ids of its resources
// begin with the arguments. A statement finds its arguments in one of three places: in the id of the path, in the ids of rows that are
// read again, or, for a list, at the beginning of the values of the plan.

/** Compiles the rows of a type with the alias `t<depth>`: its table, or the call of its table function. */
export function rowsAt(depth: number, { table }: ResourceType, { dialect }: Target): Sql {
  if (table.call === undefined) return tableAt(depth, table)
  return sql`(${compileCall(table.call, dialect)}) as ${sql.id(`t${depth}`)}`
}

/** Compiles the call of a table function with the texts of its arguments as columns. */
export function compileCall({ parameters, write }: TableFunction, dialect: Dialect): Sql {
  const declared = listParameters(parameters)
  const texts = declared.map(([name, parameter], index) => {
    const bind = (value: unknown) => (value === undefined ? null : formatArgument(parameter, value))
    const text = castParam(bindArgument(parameter, index, bind), 'text', dialect)
    return sql`${text} as ${sql.id(toArgumentColumn(name))}`
  })
  const values = declared.map(([name, parameter], index) => {
    const bind = binderOf(parameter.kind.codec, dialect)
    return [name, castArgument(bindArgument(parameter, index, bind), parameter, dialect)] as const
  })
  const rows = sql`(${write(Object.fromEntries(values))}) as ${sql.id('called')}`
  const columns = sql.join([...texts, sql`${sql.id('called')}.*`])
  return sql`select ${columns} from ${rows}`
}

/** Compiles a bind parameter for an argument. */
function bindArgument(parameter: ResolvedParameter, index: number, bind: Placeholder['bind']): Sql {
  const read = (_auth: unknown, values: RunValues) => findArgument(parameter, index, values)
  return argumentParam({ read }, bind)
}

/** Returns the value of an argument; `undefined` where an id has none. */
function findArgument(parameter: ResolvedParameter, index: number, values: RunValues): unknown {
  const id = values.id ?? values.ids?.[0]
  if (id === undefined) return values.planValues[index]
  const result = readIdArgument(parameter, splitId(id)?.[index] ?? '')
  return 'value' in result ? result.value : undefined
}
