import type { Catalog, StoredFunction, StoredParameter, StoredTable } from 'lapidary'
import { inferKind } from './infer-kind.ts'

/** The functions of a database, by what they become in the declarations. */
export interface ClassifiedFunctions {
  /** The rows of functions, as views with parameters. */
  readonly tables: readonly StoredTable[]
  /** The functions that return rows of a table, which become queries of its type. */
  readonly queries: readonly Readonly<{ stored: StoredFunction; table: StoredTable }>[]
  readonly omitted: readonly Readonly<{ name: string; reason: string }>[]
}

/**
 * Decides for each function whether it becomes a resource type, a query, or neither. PostgreSQL lets a function that is not volatile
 * execute no statement that writes, and one with the rights of its caller read nothing that the role cannot: such functions need no
 * opt-in, as in PostgREST. Those that may write, and those that read with the rights of their owners, are left to the user.
 */
export function classifyFunctions({
  tables,
  functions = [],
  ...catalog
}: Catalog): ClassifiedFunctions {
  const all = functions.map((stored) => ({
    stored,
    reason: findReason(stored, catalog) ?? findAmbiguity(stored, functions, catalog),
  }))
  const callable = all.flatMap(({ stored, reason }) =>
    reason === undefined ? [withoutUnknownDefaults(stored, catalog)] : [],
  )
  const classified = callable.map((stored) => ({ stored, table: findTable(stored, tables) }))
  return {
    tables: classified.flatMap(({ stored, table }) => (table ? [] : [toView(stored)])),
    queries: classified.flatMap(({ stored, table }) => (table ? [{ stored, table }] : [])),
    omitted: all.flatMap(({ stored, reason }) =>
      reason === undefined ? [] : [{ name: describeFunction(stored), reason }],
    ),
  }
}

/** Names a function in a line about it. */
export function describeFunction({ is, name }: Pick<StoredFunction, 'is' | 'name'>): string {
  return `the ${is} ${name}`
}

/** @returns why a function is not declared; `undefined` if it can be */
function findReason(stored: StoredFunction, catalog: Pick<Catalog, 'dialect'>): string | undefined {
  const { is, volatility, runsAsOwner, language, isVariadic, returnsSet, columns, rowsOf } = stored
  if (is === 'procedure') return 'it may write; declare an action that calls it'
  if (volatility === 'volatile')
    return 'it is volatile and may write; declare an action that calls it, or mark it stable'
  if (runsAsOwner) return 'it runs with the rights of its owner (security definer)'
  if (language !== 'sql' && language !== 'plpgsql') return `its language is ${language}`
  if (isVariadic) return 'it takes any number of arguments'
  if (!returnsSet) return 'it returns one value, not rows'
  if (columns.length === 0 && rowsOf === undefined) return 'its result has no declared columns'
  const invalid = stored.parameters.find(
    (parameter) => !parameter.hasDefault && !isSendable(parameter, catalog),
  )
  return invalid && `its parameter ${invalid.name} has the type ${invalid.type}`
}

/** Says which function of the same name accepts the same arguments, by defaults of its further parameters: PostgreSQL rejects the call. */
function findAmbiguity(
  stored: StoredFunction,
  functions: readonly StoredFunction[],
  catalog: Pick<Catalog, 'dialect'>,
): string | undefined {
  const { parameters } = withoutUnknownDefaults(stored, catalog)
  const other = functions.find(
    (each) =>
      each !== stored &&
      each.schema === stored.schema &&
      each.name === stored.name &&
      parameters.every(({ castTo }, index) => each.parameters[index]?.castTo === castTo) &&
      each.parameters.slice(parameters.length).every(({ hasDefault }) => hasDefault),
  )
  if (other === undefined) return undefined
  const types = other.parameters.map(({ castTo }) => castTo).join(', ')
  return `its call is ambiguous: ${other.name}(${types}) accepts the same arguments`
}

/** The kinds of arguments: those whose values the server checks, so that no argument fails in the database. */
const sendable: readonly string[] = [
  ...['text', 'integer', 'integer64', 'number', 'decimal', 'boolean', 'date', 'datetime', 'time'],
  ...['uuid', 'enumeration', 'json', 'bytes'],
]

/** Whether clients can send a parameter: a value of a kind, or an array of such values. */
function isSendable(parameter: StoredParameter, catalog: Pick<Catalog, 'dialect'>): boolean {
  const type = parameter.type.replace(/\[\]$/, '')
  return sendable.includes(inferKind({ ...parameter, type }, catalog)?.name ?? '')
}

/** Cuts the parameters before the first that clients cannot send. It has a default, as have all that follow. */
function withoutUnknownDefaults(
  stored: StoredFunction,
  catalog: Pick<Catalog, 'dialect'>,
): StoredFunction {
  const index = stored.parameters.findIndex((parameter) => !isSendable(parameter, catalog))
  return index === -1 ? stored : { ...stored, parameters: stored.parameters.slice(0, index) }
}

function findTable(
  { rowsOf }: StoredFunction,
  tables: readonly StoredTable[],
): StoredTable | undefined {
  return tables.find(({ schema, name }) => name === rowsOf?.name && schema === rowsOf.schema)
}

function toView({ schema, name, columns, parameters, comment }: StoredFunction): StoredTable {
  return {
    is: 'view',
    name,
    schema,
    columns: new Map(columns.map((column) => [column.name, column])),
    primaryKey: [],
    uniques: [],
    foreignKeys: [],
    parameters,
    ...(comment !== undefined && { comment }),
  }
}
