import type { Catalog } from 'lapidary'
import type { ClassifiedTables, KeyedTable } from './classify-tables.ts'
import { constantKinds, parametricKinds } from './kind-code.ts'
import {
  joinNames,
  type Name,
  parseName,
  pluralizeName,
  singularizeName,
  toIdentifier,
  toKebabCase,
  toMemberName,
  uniqueNames,
} from './name.ts'

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
const declarationFunctions = [
  ...['resource', 'attribute', 'toOne', 'toMany', 'storedAs'],
  ...['tableFunction', 'idQuery', 'sql'],
]

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

/**
 * Chooses the names of every resource type. No two types share a type, path, file or identifier. When two tables want one
 * name, the table of the default schema gets it, then the table that has the name exactly: `person` before `people`.
 */
export function nameTables(classified: ClassifiedTables, types: TypeNames): NamedTable[] {
  const singulars = chooseSingulars(classified)
  const paths = choosePaths(classified, singulars)
  // The generated folder has an index.ts of its own. Names of the API do not depend on it.
  const takeFile = uniqueNames(['index'])
  return classified.resources.map((keyed) => {
    const singular = singulars.get(keyed) ?? parseName(keyed.table.name)
    const { plural, segment } = paths.get(keyed) ?? { plural: singular, segment: '' }
    const identifier = toIdentifier(singular)
    const file = toKebabCase(singular)
    const isReserved = reserved.has(identifier) || identifier in Object.prototype
    return {
      ...keyed,
      singular,
      plural,
      type: types === 'plural' ? segment : toMemberName(singular),
      path: `/${segment}`,
      file: takeFile([file, `${file}-resource`], '-'),
      constant: isReserved ? `${identifier}Resource` : identifier,
    }
  })
}

/** Chooses the name of one resource of each type. */
function chooseSingulars({ resources, catalog }: ClassifiedTables): ReadonlyMap<KeyedTable, Name> {
  const takeName = uniqueNames()
  const isExact = ({ table }: KeyedTable) => {
    const name = parseName(table.name)
    return toMemberName(singularizeName(name)) === toMemberName(name)
  }
  const chosen = inOrderOfChoice({ resources, catalog }, isExact).map((keyed) => {
    const names = candidates(keyed, catalog)
    // Names that differ without hyphens differ in every style.
    const plain = names.map((name) => toKebabCase(name).replaceAll('-', ''))
    const taken = takeName(plain)
    return [keyed, names[plain.indexOf(taken)] ?? withNumber(names.at(-1), taken)] as const
  })
  return new Map(chosen)
}

/** The name of several resources of a type, and the segment of its path. */
type Path = Readonly<{ plural: Name; segment: string }>

function choosePaths(
  { resources, catalog }: Pick<ClassifiedTables, 'resources' | 'catalog'>,
  singulars: ReadonlyMap<KeyedTable, Name>,
): ReadonlyMap<KeyedTable, Path> {
  // The server has paths of its own at `/health`.
  const takeSegment = uniqueNames(['health'])
  const pluralOf = (keyed: KeyedTable): Name => {
    const exact = parseName(keyed.table.name)
    const singular = singulars.get(keyed) ?? exact
    // A table with a plural name keeps that plural: `people` has the path `/people`.
    const isOfTable = toMemberName(singular) === toMemberName(singularizeName(exact))
    return keyed.table.parameters ? singular : pluralizeName(isOfTable ? exact : singular)
  }
  const isExact = (keyed: KeyedTable) =>
    toKebabCase(pluralOf(keyed)) === toKebabCase(parseName(keyed.table.name))
  const chosen = inOrderOfChoice({ resources, catalog }, isExact).map((keyed) => {
    const plural = pluralOf(keyed)
    const exact = toKebabCase(parseName(keyed.table.name))
    const segment = takeSegment([toKebabCase(plural), exact, `all-${toKebabCase(plural)}`], '-')
    return [keyed, { plural, segment }] as const
  })
  return new Map(chosen)
}

/** Tables of the default schema first, then those whose own name is the wanted name; otherwise in the order of the catalog. */
function inOrderOfChoice(
  { resources, catalog }: Pick<ClassifiedTables, 'resources' | 'catalog'>,
  isExact: (keyed: KeyedTable) => boolean,
): KeyedTable[] {
  const rank = (keyed: KeyedTable) =>
    (keyed.table.schema === catalog.schema ? 0 : 2) + (isExact(keyed) ? 0 : 1)
  return resources.toSorted((one, other) => rank(one) - rank(other))
}

/**
 * The names that a type may have, the preferred one first: the singular of its table, then the table's own name; outside the
 * default schema the singular with the schema's name in front.
 */
function candidates({ table }: KeyedTable, { schema }: Catalog): Name[] {
  const exact = parseName(table.name)
  // The name of a function is not a noun.
  const name = table.parameters ? exact : singularizeName(exact)
  const isInOtherSchema = table.schema !== schema
  return [name, isInOtherSchema ? joinNames(parseName(table.schema), name) : exact]
}

function withNumber(name: Name | undefined, chosen: string): Name {
  const { words, style } = name ?? { words: [], style: 'snake' as const }
  const number = /\d+$/.exec(chosen)?.[0] ?? ''
  return { words: words.with(-1, `${words.at(-1)}${number}`), style }
}
