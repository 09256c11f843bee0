import { splitId } from '../model/composite-ids.ts'
import type { Dialect, Sql } from '../model/dialect.ts'
import { sql } from '../model/dialect.ts'
import type { Kind } from '../model/kinds.ts'
import type { ResourceType } from '../model/model.ts'
import { formatArgument, type TableFunction, toArgumentColumn } from '../model/table-function.ts'
import { binderOf, castParam, type Placeholder, type RunValues } from './statement.ts'
import { type Target, tableAt } from './tables.ts'

// The rows of a table function (docs/decisions/0076). They have a column for the text of each argument, because the ids of its resources
// begin with the arguments. So a statement finds its arguments in the id of the path, in the ids of the rows that it reads again, or,
// for a list, in the values of the plan, of which they are the first.

/** Compiles the rows of a type with the alias `t<depth>`: its table, or the call of its table function. */
export function rowsAt(depth: number, { table }: ResourceType, { dialect }: Target): Sql {
  if (table.call === undefined) return tableAt(depth, table)
  return sql`(${compileCall(table.call, dialect)}) as ${sql.id(`t${depth}`)}`
}

/** Compiles the call of a table function with the texts of its arguments as columns. */
export function compileCall({ parameters, write }: TableFunction, dialect: Dialect): Sql {
  const declared = Object.entries(parameters)
  const texts = declared.map(([name, kind], index) => {
    const bind = (value: unknown) =>
      value === null || value === undefined ? null : formatArgument(kind, value)
    const text = castParam(argument(kind, index, bind), 'text', dialect)
    return sql`${text} as ${sql.id(toArgumentColumn(name))}`
  })
  const values = declared.map(([name, kind], index) => {
    const bound = argument(kind, index, binderOf(kind.codec, dialect.name))
    return [name, castParam(bound, kind.codec, dialect)] as const
  })
  const rows = sql`(${write(Object.fromEntries(values))}) as ${sql.id('called')}`
  const columns = sql.join([...texts, sql`${sql.id('called')}.*`])
  return sql`select ${columns} from ${rows}`
}

/** Compiles a parameter for an argument. */
function argument(kind: Kind<unknown>, index: number, bind: Placeholder['bind']): Sql {
  const read = (_auth: unknown, values: RunValues) => readArgument(kind, index, values)
  const placeholder: Placeholder = { source: { read }, bind }
  return sql`${placeholder}`
}

function readArgument(kind: Kind<unknown>, index: number, values: RunValues): unknown {
  const id = values.id ?? values.ids?.[0]
  if (id === undefined) return values.planValues[index]
  const result = kind.readFilterText(splitId(id)?.[index] ?? '')
  return 'value' in result ? result.value : undefined
}
