import type { Catalog, StoredFunction, StoredParameter, StoredTable } from 'lapidary'
import type { Key } from './classify-tables.ts'
import { type Code, call, type SqlFunction, toEntries } from './code.ts'
import { inferKind, type KindCode } from './infer-kind.ts'
import { parseName, toMemberName } from './name.ts'
import { type TakeName, uniqueNames } from './unique-names.ts'

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
