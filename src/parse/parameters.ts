import { pageMembers } from './page.ts'

/** A query parameter, or a family of parameters whose names have brackets. */
interface QueryParameter {
  /** Whether there is a parameter without brackets. */
  readonly isPlain?: true
  /** What may be behind the name, for a family. */
  readonly brackets?: RegExp
  /** The names of the family, for errors. */
  readonly forms?: readonly string[]
  /** How the JSON body of a QUERY has a value: as any JSON, as a list of names, or as a text, a number or a boolean. */
  readonly value: 'json' | 'names' | 'scalar'
}

const oneName = /^\[[^[\]]+\]$/

/**
 * The query parameters. A new one is a row here; the compiler then asks for its parser (`query.ts`), its description
 * (`src/openapi/parameters.ts`) and its form in a call (`src/html/request-view.ts`). Errors list them in this order.
 */
const queryParameters = {
  filter: {
    ...{ isPlain: true, brackets: /^(?:\[[^[\]]+\]){1,2}(?:\[\])?$/, forms: ['filter[<field>]'] },
    value: 'json',
  },
  sort: { isPlain: true, value: 'names' },
  page: {
    brackets: new RegExp(`^\\[(?:${pageMembers.join('|')})\\]$`),
    forms: pageMembers.map((member) => `page[${member}]`),
    value: 'scalar',
  },
  include: { isPlain: true, value: 'names' },
  includePage: {
    brackets: /^\[[^[\]]+\]\[(?:size|after)\]$/,
    forms: ['includePage[<path>][size]', 'includePage[<path>][after]'],
    value: 'scalar',
  },
  includeSort: { brackets: oneName, forms: ['includeSort[<path>]'], value: 'names' },
  includeFilter: { brackets: oneName, forms: ['includeFilter[<path>]'], value: 'json' },
  withCount: { isPlain: true, value: 'names' },
  withVersions: { isPlain: true, value: 'scalar' },
  fields: { brackets: oneName, forms: ['fields[<type>]'], value: 'names' },
} satisfies Readonly<Record<string, QueryParameter>>

/** The name of a query parameter, or of a family without its brackets. */
export type ParameterName = keyof typeof queryParameters

/** The names of the parameters and of the families. */
export const parameterNames = Object.keys(queryParameters)

/** Whether a parameter or a family has a name. */
export function isParameterName(name: string): name is ParameterName {
  return Object.hasOwn(queryParameters, name)
}

/** Describes a parameter or a family. */
export function getQueryParameter(name: ParameterName): QueryParameter {
  return queryParameters[name]
}

/** Finds the row of a parameter by its name with brackets; `undefined` for one that does not exist. */
export function findParameterName(parameter: string): ParameterName | undefined {
  const bracket = parameter.indexOf('[')
  const name = bracket === -1 ? parameter : parameter.slice(0, bracket)
  if (!isParameterName(name)) return undefined
  const { isPlain, brackets } = getQueryParameter(name)
  return (bracket === -1 ? isPlain : brackets?.test(parameter.slice(bracket))) ? name : undefined
}

/** Lists the parameters as an error names them. */
export function listQueryParameters(): string {
  const names = parameterNames.filter(isParameterName).flatMap((name) => {
    const { isPlain, forms = [] } = getQueryParameter(name)
    return isPlain ? [name, ...forms] : forms
  })
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
