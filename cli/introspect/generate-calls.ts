import type { Catalog, StoredFunction, StoredParameter, StoredTable } from 'lapidary'
import type { Key } from './classify-tables.ts'
import { type Code, call, type SqlFunction, toEntries } from './code.ts'
import { inferKind } from './infer-kind.ts'
import type { KindCode } from './kind-code.ts'
import { parseName, type TakeName, toMemberName, uniqueNames } from './name.ts'

/** Generates the option `table` of a type whose rows a function returns. @param fields - the names that parameters cannot have */
export function generateTableFunction(
  { schema, name, parameters = [] }: StoredTable,
  fields: readonly string[],
  catalog: Catalog,
): Code {
  const named = nameParameters(parameters, uniqueNames(['id', 'type', ...fields]))
  return call(
    'tableFunction',
    generateKinds(named, catalog),
    generateCall('select *', { schema, name }, named),
  )
}

/** Generates the option `queries` of a type: the functions that return rows of its table. `undefined` for none. */
export function generateQueries(
  functions: readonly StoredFunction[],
  key: Key,
  fields: readonly string[],
  catalog: Catalog,
): Code | undefined {
  if (functions.length === 0) return undefined
  const takeName = uniqueNames(['id', 'type', ...fields])
  const select = `select ${key.map(({ column }) => quoteName(column.name)).join(', ')}`
  const entries = toEntries(
    Object.fromEntries(
      functions.map((stored) => {
        const named = nameParameters(stored.parameters, uniqueNames())
        const code = call(
          'idQuery',
          generateKinds(named, catalog),
          generateCall(select, stored, named),
        )
        return [takeName([toMemberName(parseName(stored.name))], '_'), code]
      }),
    ),
  )
  return { is: 'object', isExpanded: true, entries }
}

/** A parameter with its name in requests. */
type NamedParameter = readonly [name: string, parameter: StoredParameter]

function nameParameters(
  parameters: readonly StoredParameter[],
  takeName: TakeName,
): NamedParameter[] {
  return parameters.map((parameter) => {
    const name = toMemberName(parseName(parameter.name))
    return [takeName([name, `${name}_argument`], '_'), parameter]
  })
}

function generateKinds(named: readonly NamedParameter[], catalog: Catalog): Code {
  const kinds = named.flatMap(([name, parameter]) => {
    const kind = inferKind(parameter, catalog)
    return kind === undefined ? [] : [[name, generateParameter(parameter, kind)] as const]
  })
  return { is: 'object', isExpanded: false, entries: toEntries(Object.fromEntries(kinds)) }
}

/** Generates a parameter: one with the default null may be null, one with another default may be omitted. */
function generateParameter({ default: defaultSql }: StoredParameter, kind: KindCode): Code {
  if (defaultSql === undefined) return kind.code
  if (/^NULL(?:::.+)?$/i.test(defaultSql)) return call('nullable', kind.code)
  const value = readLiteral(defaultSql, kind) ?? ({ is: 'sql', text: defaultSql } as const)
  return call('withDefault', kind.code, value)
}

/** Reads a constant of PostgreSQL, e.g. `3` or `'x'::text`, as a value of a kind; `undefined` for any other SQL. */
function readLiteral(defaultSql: string, { name }: KindCode): Code | undefined {
  const text = /^'((?:[^'\\]|'')*)'::[\w ."]+$/.exec(defaultSql)?.[1]?.replaceAll("''", "'")
  switch (name) {
    case 'integer': {
      const value = Number((text ?? defaultSql) || Number.NaN)
      return Number.isSafeInteger(value) ? value : undefined
    }
    case 'boolean':
      return defaultSql === 'true' || defaultSql === 'false' ? defaultSql === 'true' : undefined
    case 'text':
    case 'enumeration':
      return text
    case 'date':
      return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
  }
  return undefined
}

function generateCall(
  select: string,
  { schema, name }: Readonly<{ schema: string; name: string }>,
  named: readonly NamedParameter[],
): SqlFunction {
  const casts = named.map(([, { castTo }]) => `::${castTo}`)
  const start = `${select} from ${quoteName(schema)}.${quoteName(name)}(`
  return {
    is: 'sql function',
    parameters: named.map(([parameter]) => parameter),
    texts: [
      named.length === 0 ? `${start})` : start,
      ...casts.map((cast, index) => (index === casts.length - 1 ? `${cast})` : `${cast}, `)),
    ],
  }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

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
