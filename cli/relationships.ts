import type { ForeignKey, StoredTable } from 'lapidary'
import { type Code, call, object, quoted } from './code.ts'
import { keepsKeys } from './kinds.ts'
import type { NamedTable } from './naming.ts'
import { pluralName } from './plurals.ts'
import { type Survey, targetOf } from './survey.ts'
import { inStyleOf, joined, memberOf, type Name, nameOf } from './words.ts'

/** A relationship that a resource type could have, before it has a name. */
export interface Wish {
  readonly on: NamedTable
  /** What it could be called, the best first. */
  readonly names: readonly [Name, ...Name[]]
  readonly code: Code
  /** The column of the type's own table that it writes. */
  readonly writes?: string
  /** The column of the type's own table that it tells. */
  readonly tells?: string
  /** What a reader of the declaration should know. */
  readonly comment?: string
}

/** Both directions of every foreign key, and of every join table. */
export function relationshipsOf(tables: readonly NamedTable[], all: Survey): Wish[] {
  const pairs = tables.flatMap((from) => keysOf(from, tables, all).map((link) => bothWays(link)))
  return [
    ...pairs.map(([here]) => here),
    ...pairs.map(([, there]) => there),
    ...all.joins.flatMap((join) => throughWishes(join, tables, all)),
  ]
}

/** A foreign key of one column between two resource types. */
interface Link {
  readonly from: NamedTable
  readonly to: NamedTable
  readonly column: string
  readonly references: string
  /** Whether writing it would write what another field writes, or what nobody may. */
  readonly isReadOnly: boolean
}

function keysOf(from: NamedTable, tables: readonly NamedTable[], { catalog }: Survey): Link[] {
  const names = [...from.table.columns.keys()]
  const at = ({ columns: [column = ''] }: ForeignKey) => names.indexOf(column)
  const written = new Set([from.key.column.name])
  const seen = new Set<string>()
  return from.table.foreignKeys
    .toSorted((one, other) => at(one) - at(other))
    .flatMap((key): Link[] => {
      const [[column, ...more], [references, ...others]] = [key.columns, key.references]
      const to = targetOf(key, tables, catalog)
      if (column === undefined || references === undefined || to === undefined) return []
      const same = `${column} ${to.type} ${references}`
      // SQLite keeps keys that refer to nothing unique, and complains of them when rows are written.
      const [own, theirs] = [from.table.columns.get(column), to.table.columns.get(references)]
      const isSound = isUnique(to.table, references) && keepsKeys(own, theirs, catalog)
      if (more.length > 0 || others.length > 0 || !isSound || seen.has(same)) return []
      seen.add(same)
      // A row without a value there could not be linked.
      const isLoose = references !== to.key.column.name && theirs?.nullable
      const isReadOnly = written.has(column) || !own?.writable || isLoose === true
      written.add(column)
      return [{ from, to, column, references, isReadOnly }]
    })
}

/** The relationship whose key stands here, and the one back. */
function bothWays(link: Link): [here: Wish, there: Wish] {
  const { from, to, column, references, isReadOnly } = link
  const isOne = isUnique(from.table, column)
  const options = {
    column: quoted(column),
    references: references === to.key.column.name ? undefined : quoted(references),
    access: isReadOnly ? quoted('read-only') : undefined,
  }
  const stem = stemOf(column, to)
  const here = {
    on: from,
    names: [stem, to.one, joined(inStyleOf(stem, 'related'), stem)],
    code: call('toOne', quoted(to.type), object(options)),
    tells: column,
    ...(!isReadOnly && { writes: column }),
  } as const
  const { column: key, ...rest } = options
  const there = {
    on: to,
    names: backNames(link, isOne ? from.one : from.many, stem),
    code: isOne
      ? call('toOne', quoted(from.type), object({ column: key, key: quoted('there'), ...rest }))
      : call('toMany', quoted(from.type), object(options)),
  } as const
  return [here, there]
}

function backNames({ from, to }: Link, name: Name, stem: Name): Wish['names'] {
  const by = joined(name, inStyleOf(stem, 'by'), stem)
  if (from !== to) return [name, by]
  return stem.words.join(' ') === 'parent' ? [inStyleOf(stem, 'children'), by] : [by]
}

function throughWishes(
  { table, sides: [one, other] }: Survey['joins'][number],
  tables: readonly NamedTable[],
  { catalog }: Survey,
): Wish[] {
  const [first, second] = [one, other].map((side) => targetOf(side, tables, catalog))
  if (first === undefined || second === undefined) return []
  const comment = leftAlone(table, [...one.columns, ...other.columns])
  const wish = (on: NamedTable, from: ForeignKey, to: ForeignKey): Wish => {
    const target = on === first && from === one ? second : first
    const [fromColumn = '', toColumn = ''] = [from.columns[0], to.columns[0]]
    const through = object({
      table: quoted(table.name),
      schema: table.schema === catalog.schema ? undefined : quoted(table.schema),
      from: quoted(fromColumn),
      to: quoted(toColumn),
    })
    const stems = pluralName(stemOf(toColumn, target))
    const by = joined(target.many, inStyleOf(nameOf(table.name), 'by'), nameOf(table.name))
    const isSame = memberOf(stems) === memberOf(target.many)
    return {
      on,
      names: isSame || first === second ? [stems, by] : [target.many, stems, by],
      code: call('toMany', quoted(target.type), object({ through })),
      ...(comment !== undefined && { comment }),
    }
  }
  return [wish(first, one, other), wish(second, other, one)]
}

/** What a join table holds beside its keys stays behind it. */
function leftAlone({ name, columns, primaryKey }: StoredTable, keys: readonly string[]) {
  const others = [...columns.keys()].filter(
    (column) => !keys.includes(column) && !primaryKey.includes(column),
  )
  return others.length === 0 ? undefined : `${name} has more than links: ${others.join(', ')}`
}

/** Words of a column of keys that say only that it is one. */
const keyWords: readonly string[] = ['id', 'uuid', 'guid', 'fk', 'key', 'ref']

/** What a column of keys is about: `SupportRepId` a support rep, `artistid` an artist. */
function stemOf(column: string, to: NamedTable): Name {
  const { words, style } = nameOf(column)
  const start = words.length > 1 && keyWords.includes(words[0] ?? '') ? 1 : 0
  const isEnd = words.length - start > 1 && keyWords.includes(words.at(-1) ?? '')
  const stem = words.slice(start, isEnd ? -1 : undefined)
  const runTogether = `${to.one.words.join('')}id`
  const isAboutNothing = stem.length === 1 && [...keyWords, runTogether].includes(stem[0] ?? '')
  return isAboutNothing ? to.one : { words: stem, style }
}

function isUnique({ uniques }: StoredTable, column: string): boolean {
  return uniques.some((columns) => columns.length === 1 && columns[0] === column)
}
