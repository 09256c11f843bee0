import type { Catalog, ForeignKey, StoredColumn, StoredTable } from 'lapidary'
import { commandDatabases } from '../databases/databases.ts'
import {
  alignColumns,
  type ClassifiedTables,
  createReferenceLookup,
  type FindReferenced,
  isRequiredOnInsert,
  type JoinTable,
  type Key,
} from './classify-tables.ts'
import { type Code, call, object } from './code.ts'
import { canStoreKeys } from './infer-kind.ts'
import {
  joinNames,
  type Name,
  nameInStyleOf,
  parseName,
  pluralizeName,
  toMemberName,
} from './name.ts'
import type { NamedTable } from './name-tables.ts'

/** A relationship of a resource type, before `generateFields` has chosen its name. */
export interface RelationshipCandidate {
  readonly on: NamedTable
  /** Possible names, the preferred one first. */
  readonly names: readonly [Name, ...Name[]]
  readonly code: Code
  /** The columns of the type's own table that writes to the relationship change. */
  readonly writtenColumns: readonly string[]
  /** The foreign key columns of the type's own table that are not attributes. Absent when the foreign key is in another table. */
  readonly ownColumns?: readonly string[]
  /** A comment for the line above the declaration. */
  readonly comment?: string
}

/** Finds both directions of every foreign key and of every join table. */
export function findRelationships(
  tables: readonly NamedTable[],
  classified: ClassifiedTables,
): RelationshipCandidate[] {
  const findNamed = createReferenceLookup(tables, classified.catalog)
  const resources = new Set(tables.map(({ table }) => table))
  const pairs = tables.flatMap((from) =>
    findReferences(from, findNamed, classified).map(bothDirections),
  )
  return [
    ...pairs.map(([toOne]) => toOne),
    ...pairs.map(([, inverse]) => inverse),
    ...classified.joinTables.flatMap((join) =>
      throughJoinTable(join, findNamed, { classified, isResource: resources.has(join.table) }),
    ),
  ]
}

/** A foreign key between two resource types. */
interface Reference {
  readonly from: NamedTable
  readonly to: NamedTable
  readonly columns: readonly string[]
  /** In the order of `columns`: if these are the key of the other table, in the order of that key. */
  readonly references: readonly string[]
  /** True if another field writes the column already, or if the column cannot be written. */
  readonly isReadOnly: boolean
  /** Whether no row is without a referenced row: the columns are `not null`. */
  readonly isNeverNull: boolean
  /** Whether a create must set it: the columns have no default, and no trigger may set them. */
  readonly isRequired: boolean
}

function findReferences(
  from: NamedTable,
  findNamed: FindReferenced<NamedTable>,
  { catalog, findings }: ClassifiedTables,
): Reference[] {
  const columnNames = [...from.table.columns.keys()]
  const position = ({ columns: [column = ''] }: ForeignKey) => columnNames.indexOf(column)
  const { key: ownKey } = from
  // Relationships may write the columns of a composite id, also several: their values must agree.
  const written = new Set(ownKey.length === 1 ? [ownKey[0].column.name] : [])
  const seen = new Set<string>()
  return from.table.foreignKeys
    .toSorted(
      (one, other) => position(one) - position(other) || one.columns.length - other.columns.length,
    )
    .flatMap((foreignKey): Reference[] => {
      const to = findNamed(foreignKey)
      if (to === undefined || foreignKey.columns.length !== foreignKey.references.length) return []
      const aligned = alignColumns(foreignKey, to.key)
      const columns = aligned ?? foreignKey.columns
      const references = aligned ? listNames(to.key) : foreignKey.references
      const identity = JSON.stringify([columns, to.type, references])
      const pairs = columns.map((name, at) => ({
        own: from.table.columns.get(name),
        referenced: to.table.columns.get(references[at] ?? ''),
      }))
      const isValid = pairs.every(({ own, referenced }) => {
        const isReadable = [own, referenced].every((each) => each && !findings.columns.has(each))
        return isReadable && canStoreKeys(own, referenced, { catalog, findings })
      })
      // SQLite accepts foreign keys to columns that are not unique, and fails when rows are written.
      if (!isValid || !isUnique(to.table, references) || seen.has(identity)) return []
      seen.add(identity)
      // No foreign key can reference a row in which the referenced column is null.
      const mayBeNull = !aligned && pairs.some(({ referenced }) => referenced?.nullable === true)
      const isShared = ownKey.length > 1 && !aligned && isPartOf(columns, ownKey)
      const isWritten = columns.some((name) => written.has(name))
      const isWritable = pairs.every(({ own }) => own?.writable)
      const unkeyed = columns.filter((name) => !listNames(ownKey).includes(name))
      const isReadOnly =
        isWritten || !isWritable || mayBeNull || isShared || isPartlyNull(from, unkeyed)
      for (const name of isReadOnly && columns.length > 1 ? [] : columns)
        if (ownKey.length === 1 || unkeyed.includes(name)) written.add(name)
      const own = pairs.flatMap((pair) => pair.own ?? [])
      const nullability = describeNullability(own, from.table, catalog)
      return [{ from, to, columns, references, isReadOnly, ...nullability }]
    })
}

function describeNullability(
  columns: readonly StoredColumn[],
  { primaryKey, triggers }: StoredTable,
  { dialect }: Catalog,
): Pick<Reference, 'isNeverNull' | 'isRequired'> {
  const isOfKey = ({ name }: StoredColumn) => primaryKey.includes(name)
  const { triggersChangeNewRows } = commandDatabases[dialect]
  const isSetByTrigger = triggersChangeNewRows && triggers?.changes.has('insert') === true
  return {
    isNeverNull: columns.every((column) => !column.nullable || isOfKey(column)),
    isRequired:
      !isSetByTrigger &&
      columns.some(
        (column) => isRequiredOnInsert(column) || (isOfKey(column) && !column.hasDefault),
      ),
  }
}

function listNames(key: Key): readonly string[] {
  return key.map(({ column }) => column.name)
}

function isPartOf(columns: readonly string[], key: Key): boolean {
  return columns.some((name) => listNames(key).includes(name))
}

/** True if only some columns of a foreign key can be null. Unlinking a row sets all of them to null, which would fail. */
function isPartlyNull({ table }: NamedTable, columns: readonly string[]): boolean {
  const nullable = columns.filter((name) => table.columns.get(name)?.nullable)
  return nullable.length > 0 && nullable.length < columns.length
}

/** The to-one relationship on the table with the foreign key, and its inverse on the referenced table. */
function bothDirections(
  reference: Reference,
): [toOne: RelationshipCandidate, inverse: RelationshipCandidate] {
  const { from, to, columns, references, isReadOnly, isNeverNull, isRequired } = reference
  const isOneToOne = isUnique(from.table, columns)
  const isId = references.join() === listNames(to.key).join()
  const column = toCode(columns)
  const options = { references: isId ? undefined : toCode(references) }
  const access = isReadOnly ? 'read-only' : undefined
  const base = baseName(nameColumn(reference), to)
  // The columns of a read-only composite foreign key are attributes, and those of the id that only a part of it uses.
  const ownKey = listNames(from.key)
  const isWhole = columns.length === 1 || columns.every((name) => ownKey.includes(name))
  const hidden = isWhole ? columns : columns.filter((name) => !ownKey.includes(name))
  const toOne = {
    on: from,
    names: [base, to.singular, joinNames(nameInStyleOf(base, 'related'), base)],
    code: call(
      'toOne',
      to.type,
      object({
        column,
        ...options,
        required: isNeverNull && isRequired && !isReadOnly ? true : undefined,
        nullable: isNeverNull && (isReadOnly || !isRequired) ? false : undefined,
        access,
      }),
    ),
    ownColumns: isReadOnly && columns.length > 1 ? [] : hidden,
    writtenColumns: isReadOnly ? [] : isWhole ? columns : hidden,
  } as const
  // Adding a member would change its id if the foreign key has no other columns.
  const isOfId = from.key.length > 1 && columns.every((name) => ownKey.includes(name))
  const inverseAccess = isOfId ? 'read-only' : access
  const inverse = {
    on: to,
    names: inverseNames(reference, isOneToOne ? from.singular : from.plural, base),
    code: isOneToOne
      ? call(
          'toOne',
          from.type,
          object({ column, foreignKey: 'other', ...options, access: inverseAccess }),
        )
      : call('toMany', from.type, object({ column, ...options, access: inverseAccess })),
    writtenColumns: [],
  } as const
  return [toOne, inverse]
}

/** One column by its name, or a list. */
function toCode(columns: readonly string[]): Code {
  const [first = '', ...others] = columns
  return others.length === 0 ? first : { is: 'array', items: columns }
}

/**
 * The column that names the relationship of a foreign key: the only one, or the only one with another name than the column that it
 * references, without the latter at its end: `author_no` for `no`. Empty if no single column says more than the other table.
 */
function nameColumn({ columns, references }: Reference): string {
  if (columns.length === 1) return columns[0] ?? ''
  const [named, ...others] = columns.flatMap((name, at) => {
    const { [at]: referenced = '' } = references
    if (name === referenced) return []
    return name.endsWith(`_${referenced}`) ? name.slice(0, -1 - referenced.length) : name
  })
  return others.length === 0 ? (named ?? '') : ''
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
  findNamed: FindReferenced<NamedTable>,
  {
    classified: { catalog },
    isResource,
  }: Readonly<{ classified: ClassifiedTables; isResource: boolean }>,
): RelationshipCandidate[] {
  const { table, furtherColumns } = joinTable
  const [one, other] = joinTable.foreignKeys
  const [first, second] = [one, other].map(findNamed)
  if (first === undefined || second === undefined) return []
  const comment = isResource ? undefined : furtherColumnsComment(joinTable)
  const isNeeded = (column: StoredColumn) =>
    isRequiredOnInsert(column) || table.primaryKey.includes(column.name)
  const access = furtherColumns.some(isNeeded) ? 'read-only' : undefined
  const candidate = (on: NamedTable, from: ForeignKey, to: ForeignKey): RelationshipCandidate => {
    const target = on === first && from === one ? second : first
    const through = object({
      table: table.name,
      schema: table.schema === catalog.schema ? undefined : table.schema,
      from: toCode(alignColumns(from, on.key) ?? from.columns),
      to: toCode(alignColumns(to, target.key) ?? to.columns),
    })
    const [column = '', ...more] = to.columns
    const base = pluralizeName(baseName(more.length === 0 ? column : '', target))
    const tableName = parseName(table.name)
    const by = joinNames(target.plural, nameInStyleOf(tableName, 'by'), tableName)
    const isSame = toMemberName(base) === toMemberName(target.plural)
    return {
      on,
      names: isSame || first === second ? [base, by] : [target.plural, base, by],
      code: call('toMany', target.type, object({ through, access })),
      writtenColumns: [],
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
  if (column === '') return to.singular
  const { words, style } = parseName(column)
  const start = words.length > 1 && keyWords.includes(words[0] ?? '') ? 1 : 0
  const endsWithKeyWord = words.length - start > 1 && keyWords.includes(words.at(-1) ?? '')
  const base = words.slice(start, endsWithKeyWord ? -1 : undefined)
  const withoutSeparator = `${to.singular.words.join('')}id`
  const isGeneric = base.length === 1 && [...keyWords, withoutSeparator].includes(base[0] ?? '')
  return isGeneric ? to.singular : { words: base, style }
}

/** True if some of the columns are unique together. */
function isUnique({ uniques }: StoredTable, columns: readonly string[]): boolean {
  return uniques.some((unique) => unique.every((name) => columns.includes(name)))
}
