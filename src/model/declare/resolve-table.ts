import type { IdField, IdPart, Table } from '../model.ts'
import { listParameters } from './parameter.ts'
import type { ResourceDeclaration } from './resource.ts'
import { createArgumentKind, toArgumentColumn } from './table-function.ts'

/** The table of a type. A table function has the name of the type, with parentheses, so that no table of the catalog is taken for it. */
export function resolveTable({ type, schema, table }: ResourceDeclaration): Table {
  if (typeof table === 'string') return { schema, name: table }
  return { schema: undefined, name: `${type}()`, call: table }
}

/** Adds the arguments of a table function to the columns of an id: other arguments give other resources. */
export function addArguments(
  { table }: ResourceDeclaration,
  [first, ...others]: IdField['parts'],
): IdField['parts'] {
  if (typeof table === 'string') return [first, ...others]
  const added = listParameters(table.parameters).map(
    ([name, parameter]): IdPart => ({
      column: toArgumentColumn(name),
      kind: createArgumentKind(parameter),
    }),
  )
  const [start = first, ...rest] = [...added, first, ...others]
  return [start, ...rest]
}
