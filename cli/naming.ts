import type { Catalog } from 'lapidary'
import { parametric, plainKinds } from './kinds.ts'
import { pluralName, singularName } from './plurals.ts'
import type { KeyedTable, Survey } from './survey.ts'
import { taker } from './taken.ts'
import { identifierOf, joined, kebabOf, memberOf, type Name, nameOf } from './words.ts'

/** A table with all the names that a resource type has. */
export interface NamedTable extends KeyedTable {
  /** For one of its resources, and for many. */
  readonly one: Name
  readonly many: Name
  /** On the wire, e.g. `invoiceLine`. */
  readonly type: string
  /** Of the collection, e.g. `/invoice-lines`. */
  readonly path: string
  /** Of the file, without its ending, e.g. `invoice-line`. */
  readonly file: string
  /** Of the declaration in TypeScript, e.g. `invoiceLine`. */
  readonly constant: string
}

/** The functions by which declarations are written. */
const declarers = ['resource', 'attribute', 'toOne', 'toMany']

/** What a declaration cannot be called, because something else in its file, or in JavaScript, is. */
const reserved = new Set([
  ...[...declarers, ...plainKinds, ...parametric, 'resources'],
  ...`arguments async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof undefined var void while with yield
    escape unescape globalThis of type`.split(/\s+/),
])

/** Names every resource type so that no two share a name. */
export function namedTables({ resources, catalog }: Survey): NamedTable[] {
  const [takeName, takePath] = [taker(['index']), taker()]
  return resources.map((keyed) => {
    const names = candidates(keyed, catalog)
    // Whatever differs here differs in every spelling.
    const plain = names.map((name) => kebabOf(name).replaceAll('-', ''))
    const chosen = takeName(plain)
    const one = names[plain.indexOf(chosen)] ?? numbered(names.at(-1), chosen)
    // A table that is named for many keeps its word for them.
    const many = pluralName(one === names[0] ? nameOf(keyed.table.name) : one)
    const identifier = identifierOf(one)
    const isReserved = reserved.has(identifier) || identifier in Object.prototype
    return {
      ...keyed,
      one,
      many,
      type: memberOf(one),
      path: takePath([`/${kebabOf(many)}`, `/all-${kebabOf(many)}`], '-'),
      file: kebabOf(one),
      constant: isReserved ? `${identifier}Resource` : identifier,
    }
  })
}

/** The table's own name, and then with its schema's before it. */
function candidates({ table }: KeyedTable, { schema }: Catalog): Name[] {
  const name = singularName(nameOf(table.name))
  const isElsewhere = table.schema !== schema
  return isElsewhere ? [name, joined(nameOf(table.schema), name)] : [name]
}

function numbered(name: Name | undefined, chosen: string): Name {
  const { words, style } = name ?? { words: [], style: 'snake' as const }
  const number = /\d+$/.exec(chosen)?.[0] ?? ''
  return { words: words.with(-1, `${words.at(-1)}${number}`), style }
}
