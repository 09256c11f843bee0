import type { ForeignKey, StoredTable } from 'lapidary'
import {
  type ClassifiedTables,
  findReferencedTable,
  isRequiredOnInsert,
  type JoinTable,
} from './classify-tables.ts'
import { type Code, call, object } from './code.ts'
import { canStoreKeys } from './infer-kind.ts'
import { joinNames, type Name, nameInStyleOf, parseName, toMemberName } from './name.ts'
import type { NamedTable } from './name-tables.ts'
import { pluralizeName } from './pluralize.ts'

/** A relationship of a resource type, before `generateFields` has chosen its name. */
export interface RelationshipCandidate {
  readonly on: NamedTable
  /** Possible names, the preferred one first. */
  readonly names: readonly [Name, ...Name[]]
  readonly code: Code
  /** The column of the type's own table that writes to the relationship change. Absent when they change no such column. */
  readonly writtenColumn?: string
  /** The foreign key column of the type's own table. Absent when the foreign key is in another table. */
  readonly ownColumn?: string
  /** A comment for the line above the declaration. */
  readonly comment?: string
}

/** Finds both directions of every foreign key and of every join table. */
export function findRelationships(
  tables: readonly NamedTable[],
  classified: ClassifiedTables,
): RelationshipCandidate[] {
  const pairs = tables.flatMap((from) =>
    findReferences(from, tables, classified).map(bothDirections),
  )
  return [
    ...pairs.map(([toOne]) => toOne),
    ...pairs.map(([, inverse]) => inverse),
    ...classified.joinTables.flatMap((join) => throughJoinTable(join, tables, classified)),
  ]
}

/** A foreign key of one column between two resource types. */
interface Reference {
  readonly from: NamedTable
  readonly to: NamedTable
  readonly column: string
  readonly references: string
  /** True if another field writes the column already, or if the column cannot be written. */
  readonly isReadOnly: boolean
}

function findReferences(
  from: NamedTable,
  tables: readonly NamedTable[],
  { catalog, findings }: ClassifiedTables,
): Reference[] {
  const columnNames = [...from.table.columns.keys()]
  const position = ({ columns: [column = ''] }: ForeignKey) => columnNames.indexOf(column)
  const written = new Set([from.key.column.name])
  const seen = new Set<string>()
  return from.table.foreignKeys
    .toSorted((one, other) => position(one) - position(other))
    .flatMap((key): Reference[] => {
      const [[column, ...moreColumns], [references, ...moreReferences]] = [
        key.columns,
        key.references,
      ]
      const to = findReferencedTable(key, tables, catalog)
      if (column === undefined || references === undefined || to === undefined) return []
      const identity = `${column} ${to.type} ${references}`
      const [own, referenced] = [from.table.columns.get(column), to.table.columns.get(references)]
      // SQLite accepts foreign keys to columns that are not unique, and fails when rows are written.
      const isReadable = [own, referenced].every((each) => each && !findings.columns.has(each))
      const isValid =
        isReadable && isUnique(to.table, references) && canStoreKeys(own, referenced, catalog)
      const isComposite = moreColumns.length > 0 || moreReferences.length > 0
      if (isComposite || !isValid || seen.has(identity)) return []
      seen.add(identity)
      // No foreign key can reference a row in which the referenced column is null.
      const mayBeNull = references !== to.key.column.name && referenced?.nullable === true
      const isReadOnly = written.has(column) || !own?.writable || mayBeNull
      written.add(column)
      return [{ from, to, column, references, isReadOnly }]
    })
}

/** The to-one relationship on the table with the foreign key, and its inverse on the referenced table. */
function bothDirections(
  reference: Reference,
): [toOne: RelationshipCandidate, inverse: RelationshipCandidate] {
  const { from, to, column, references, isReadOnly } = reference
  const isOneToOne = isUnique(from.table, column)
  const options = {
    column,
    references: references === to.key.column.name ? undefined : references,
    access: isReadOnly ? 'read-only' : undefined,
  }
  const base = baseName(column, to)
  const toOne = {
    on: from,
    names: [base, to.singular, joinNames(nameInStyleOf(base, 'related'), base)],
    code: call('toOne', to.type, object(options)),
    ownColumn: column,
    ...(!isReadOnly && { writtenColumn: column }),
  } as const
  const { column: keyColumn, ...rest } = options
  const inverse = {
    on: to,
    names: inverseNames(reference, isOneToOne ? from.singular : from.plural, base),
    code: isOneToOne
      ? call('toOne', from.type, object({ column: keyColumn, foreignKey: 'other', ...rest }))
      : call('toMany', from.type, object(options)),
  } as const
  return [toOne, inverse]
}

function inverseNames(
  { from, to }: Reference,
  name: Name,
  base: Name,
): RelationshipCandidate['names'] {
  const by = joinNames(name, nameInStyleOf(base, 'by'), base)
  if (from !== to) return [name, by]
  return base.words.join(' ') === 'parent' ? [nameInStyleOf(base, 'children'), by] : [by]
}

function throughJoinTable(
  joinTable: JoinTable,
  tables: readonly NamedTable[],
  { catalog }: ClassifiedTables,
): RelationshipCandidate[] {
  const { table, furtherColumns } = joinTable
  const [one, other] = joinTable.foreignKeys
  const [first, second] = [one, other].map((key) => findReferencedTable(key, tables, catalog))
  if (first === undefined || second === undefined) return []
  const isResource = tables.some((named) => named.table === table)
  const comment = isResource ? undefined : furtherColumnsComment(joinTable)
  const access = furtherColumns.some(isRequiredOnInsert) ? 'read-only' : undefined
  const candidate = (on: NamedTable, from: ForeignKey, to: ForeignKey): RelationshipCandidate => {
    const target = on === first && from === one ? second : first
    const [fromColumn = '', toColumn = ''] = [from.columns[0], to.columns[0]]
    const through = object({
      table: table.name,
      schema: table.schema === catalog.schema ? undefined : table.schema,
      from: fromColumn,
      to: toColumn,
    })
    const base = pluralizeName(baseName(toColumn, target))
    const tableName = parseName(table.name)
    const by = joinNames(target.plural, nameInStyleOf(tableName, 'by'), tableName)
    const isSame = toMemberName(base) === toMemberName(target.plural)
    return {
      on,
      names: isSame || first === second ? [base, by] : [target.plural, base, by],
      code: call('toMany', target.type, object({ through, access })),
      ...(comment !== undefined && { comment }),
    }
  }
  return [candidate(first, one, other), candidate(second, other, one)]
}

/** Names the columns of a join table that no resource type has. */
function furtherColumnsComment({ table, furtherColumns }: JoinTable): string | undefined {
  if (furtherColumns.length === 0) return undefined
  const names = furtherColumns.map(({ name }) => name).join(', ')
  return `the join table ${table.name} has more columns, which are not exposed: ${names}`
}

/** Words of a foreign key column that say only that it is a foreign key. */
const keyWords: readonly string[] = ['id', 'uuid', 'guid', 'fk', 'key', 'ref']

/** Derives a relationship name from its foreign key column: `SupportRepId` gives `supportRep`, `artistid` gives `artist`. */
function baseName(column: string, to: NamedTable): Name {
  const { words, style } = parseName(column)
  const start = words.length > 1 && keyWords.includes(words[0] ?? '') ? 1 : 0
  const endsWithKeyWord = words.length - start > 1 && keyWords.includes(words.at(-1) ?? '')
  const base = words.slice(start, endsWithKeyWord ? -1 : undefined)
  const withoutSeparator = `${to.singular.words.join('')}id`
  const isGeneric = base.length === 1 && [...keyWords, withoutSeparator].includes(base[0] ?? '')
  return isGeneric ? to.singular : { words: base, style }
}

function isUnique({ uniques }: StoredTable, column: string): boolean {
  return uniques.some((columns) => columns.length === 1 && columns[0] === column)
}
