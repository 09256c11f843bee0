import type { Catalog } from 'lapidary'
import type { ClassifiedTables, KeyedTable } from './classify-tables.ts'
import { constantKinds, parametricKinds } from './infer-kind.ts'
import { joinNames, type Name, parseName, toIdentifier, toKebabCase, toMemberName } from './name.ts'
import { pluralizeName, singularizeName } from './pluralize.ts'
import { uniqueNames } from './unique-names.ts'

/** A table with the names of its resource type. */
export interface NamedTable extends KeyedTable {
  readonly singular: Name
  readonly plural: Name
  /** The JSON:API type, e.g. `invoiceLine` or `invoice-lines`. */
  readonly type: string
  /** The path of the collection, e.g. `/invoice-lines`. */
  readonly path: string
  /** The file name without its extension, e.g. `invoice-line`. */
  readonly file: string
  /** The TypeScript identifier of the declaration, e.g. `invoiceLine`. */
  readonly constant: string
}

/** The functions of the package that declarations call. */
const declarationFunctions = ['resource', 'attribute', 'toOne', 'toMany']

/** Identifiers that a declaration cannot have: imports of its file, and reserved words and globals of JavaScript. */
const reserved = new Set([
  ...[...declarationFunctions, ...constantKinds, ...parametricKinds, 'resources'],
  ...`arguments async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof undefined var void while with yield
    escape unescape globalThis of type`.split(/\s+/),
])

/** How types are named: like one resource, or like the segment of their path. */
export type TypeNames = 'singular' | 'plural'

/** Chooses the names of every resource type. No two types share a type, path, file or identifier. */
export function nameTables(
  { resources, catalog }: ClassifiedTables,
  types: TypeNames,
): NamedTable[] {
  const [takeName, takePath] = [uniqueNames(['index']), uniqueNames()]
  return resources.map((keyed) => {
    const names = candidates(keyed, catalog)
    // Names that differ without hyphens differ in every style.
    const plain = names.map((name) => toKebabCase(name).replaceAll('-', ''))
    const chosen = takeName(plain)
    const singular = names[plain.indexOf(chosen)] ?? withNumber(names.at(-1), chosen)
    // A table with a plural name keeps that plural: `people` has the path `/people`.
    const plural = pluralizeName(singular === names[0] ? parseName(keyed.table.name) : singular)
    const identifier = toIdentifier(singular)
    const isReserved = reserved.has(identifier) || identifier in Object.prototype
    const segment = takePath([toKebabCase(plural), `all-${toKebabCase(plural)}`], '-')
    return {
      ...keyed,
      singular,
      plural,
      type: types === 'plural' ? segment : toMemberName(singular),
      path: `/${segment}`,
      file: toKebabCase(singular),
      constant: isReserved ? `${identifier}Resource` : identifier,
    }
  })
}

/** The name of the table; outside the default schema also with the schema's name in front. */
function candidates({ table }: KeyedTable, { schema }: Catalog): Name[] {
  const name = singularizeName(parseName(table.name))
  const isInOtherSchema = table.schema !== schema
  return isInOtherSchema ? [name, joinNames(parseName(table.schema), name)] : [name]
}

function withNumber(name: Name | undefined, chosen: string): Name {
  const { words, style } = name ?? { words: [], style: 'snake' as const }
  const number = /\d+$/.exec(chosen)?.[0] ?? ''
  return { words: words.with(-1, `${words.at(-1)}${number}`), style }
}
