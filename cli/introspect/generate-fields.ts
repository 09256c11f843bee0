import type { Catalog, ForeignKey, RowChange, StoredColumn, StoredTable } from 'lapidary'
import {
  type FindReferenced,
  foreignKeysInColumnOrder,
  isRequiredOnInsert,
} from './classify-tables.ts'
import { type Code, type CodeEntry, call, object } from './code.ts'
import type { RelationshipCandidate } from './find-relationships.ts'
import type { Findings } from './findings.ts'
import { canStoreKeys, inferKind } from './infer-kind.ts'
import {
  joinNames,
  type Name,
  parseName,
  type TakeName,
  toMemberName,
  uniqueNames,
} from './name.ts'
import type { NamedTable } from './name-tables.ts'
import { isSecret } from './secrets.ts'

/** The fields of a resource type. */
export interface GeneratedFields {
  readonly entries: readonly CodeEntry[]
  /** Why clients cannot create resources of the type; `undefined` when they can. */
  readonly readOnlyReason: string | undefined
  /** The columns that fields write. */
  readonly written: readonly string[]
  /** A line for each column and foreign key that is not a field, with the reason; secrets are not among them. */
  readonly omitted: readonly string[]
  /** A line for each column with values that do not fit its type. */
  readonly notes: readonly string[]
  /** The columns that are omitted because they look secret. */
  readonly secrets: readonly string[]
}

/** The database, and whether clients can only read. */
interface FieldsContext {
  readonly catalog: Catalog
  readonly findings: Findings
  readonly findStored: FindReferenced<Readonly<{ table: StoredTable }>>
  readonly readOnly: boolean
}

/** Why a column that looks secret is omitted. */
const secretReason = 'it looks secret'

/** Why a table whose rows are identified by the rowid is read-only. */
const rowidReason =
  'no key identifies all of its rows, so the ids are rowids, which may change when rows are rewritten, e.g. by vacuum'

/** Names that no field can have. https://jsonapi.org/format/1.0/#document-resource-object-fields */
const reservedNames: readonly string[] = ['id', 'type', 'links', 'relationships']

/**
 * Generates the fields of a resource type: attributes in column order, then relationships.
 * @param candidates - the relationships of the type
 */
export function generateFields(
  named: NamedTable,
  candidates: readonly RelationshipCandidate[],
  { catalog, findings, findStored, readOnly }: FieldsContext,
): GeneratedFields {
  const { table, key } = named
  const foreignKeyColumns = candidates.flatMap(({ ownColumns }) => ownColumns ?? [])
  // The columns of a composite id are attributes: clients filter and sort by them.
  const idColumn = key.length === 1 ? key[0].column.name : undefined
  const takeName = uniqueNames(reservedNames)
  const attributes = [...table.columns.values()]
    .filter(({ name }) => name !== idColumn && !foreignKeyColumns.includes(name))
    .map((column) => ({ column, ...attributeKind(column, table, { catalog, findings }) }))
  const written = [
    ...candidates.flatMap(({ writtenColumns }) => writtenColumns),
    ...attributes.flatMap(({ column, kind, isReadOnly }) =>
      kind === undefined || isReadOnly || !column.writable ? [] : column.name,
    ),
  ]
  const idColumns = key.map(({ column }) => column.name)
  const unwritten = [...table.columns.values()].filter(
    (column) =>
      isRequiredOnInsert(column) &&
      !written.includes(column.name) &&
      !idColumns.includes(column.name) &&
      !isSetByTrigger(column, table),
  )
  const hasRowid = key[0].column === table.rowid
  const rejected = readOnly ? undefined : describeRejects(table)
  const readOnlyReason = readOnly
    ? 'clients can only read'
    : (rejected ?? findReadOnlyReason(named, unwritten))
  const brokenKeys = foreignKeysInColumnOrder(table).flatMap((key) =>
    describeBrokenKey(key, findStored),
  )
  const wasSecret = ({ omittedBecause }: AttributeColumn) => omittedBecause === secretReason
  return {
    readOnlyReason,
    written,
    notes: attributes.flatMap(({ column, note, kind, isReadOnly }) => {
      // A column that is read-only may be the reason why its type is.
      const isWritten = !readOnly && (isReadOnly || readOnlyReason === undefined) && column.writable
      const notes = [note, isWritten ? findings.datetimeNotes.get(column) : undefined]
      return notes.flatMap((text) =>
        text === undefined || kind === undefined
          ? []
          : toOneLine(`${table.name}.${column.name}: ${text}`),
      )
    }),
    secrets: attributes.filter(wasSecret).map(({ column }) => column.name),
    omitted: [
      ...attributes.flatMap((each) =>
        each.kind === undefined && !wasSecret(each)
          ? formatOmission(`${table.name}.${each.column.name || '""'}`, each.omittedBecause)
          : [],
      ),
      ...brokenKeys.map((text) => `${toOneLine(table.name)}: ${text}`),
      ...(rejected === undefined ? [] : [`${toOneLine(table.name)} is read-only: ${rejected}`]),
      ...(findings.viewKeys.has(table)
        ? [
            `${toOneLine(table.name)} has the key ${idColumns.join(', ')}, which no row repeats so far`,
          ]
        : []),
      ...(hasRowid ? [`${toOneLine(table.name)} is read-only: ${rowidReason}`] : []),
    ],
    entries: [
      ...attributes.flatMap((each) => attributeEntries(each, { named, takeName, readOnlyReason })),
      ...brokenKeys.map((text) => comment(`// ${text}`)),
      ...unusableKeyComments(named, { catalog, findings, findStored }),
      ...relationshipEntries(candidates, takeName),
    ],
  }
}

/** A column with its kind, or with the reason why it is omitted. */
interface AttributeColumn {
  readonly column: StoredColumn
  readonly kind: Code | undefined
  readonly omittedBecause: string
  /** A description of values that do not fit its type. */
  readonly note?: string
  readonly isNullIfInvalid?: boolean
  /** True if values of the kind cannot be written. */
  readonly isReadOnly?: boolean
}

function attributeKind(
  column: StoredColumn,
  table: StoredTable,
  { catalog, findings }: Pick<FieldsContext, 'catalog' | 'findings'>,
): Omit<AttributeColumn, 'column'> {
  const kind = findings.kinds.get(column) ?? inferKind(column, catalog)
  const problem = findings.columns.get(column)
  if (isSecret({ column, kind, table }, findings))
    return { kind: undefined, omittedBecause: secretReason }
  if (problem !== undefined) return { kind: undefined, omittedBecause: problem }
  const omittedBecause =
    column.type === ''
      ? 'it has no type'
      : isSearchVector(column)
        ? 'it is for searches in texts'
        : `no attribute kind fits the type ${column.type}`
  const note = findings.notes.get(column)
  return {
    kind: kind?.code,
    omittedBecause,
    isReadOnly: kind?.isReadOnly ?? false,
    isNullIfInvalid: findings.invalid.has(column),
    ...(note !== undefined && { note }),
  }
}

/** True for a column that stores the words of other columns for text searches, which clients need not read. */
function isSearchVector({ type }: StoredColumn): boolean {
  return /^ts(?:vector|query)/.test(type)
}

/** True if a trigger sets a column of words, as `tsvector_update_trigger` does. */
function isSetByTrigger(column: StoredColumn, { triggers }: StoredTable): boolean {
  return isSearchVector(column) && triggers?.changes.has('insert') === true
}

function findReadOnlyReason(
  { table, key }: NamedTable,
  unwritten: readonly StoredColumn[],
): string | undefined {
  if (table.parameters) return 'it is a function'
  if (key[0].column === table.rowid) return rowidReason
  if (table.is === 'view') {
    const reason = describeRejectedChanges(table)
    if (reason !== undefined) return reason
  }
  if (unwritten.length === 0) return undefined
  return `no field writes ${unwritten.map(({ name }) => name).join(', ')}, which must not be null`
}

/** Says which change of the rows the database cannot compile, and why. */
function describeRejects({ rejects }: StoredTable): string | undefined {
  const [first] = rejects ?? []
  if (first === undefined) return undefined
  const [change, reason] = first
  return toOneLine(`the database cannot ${change} its rows: ${reason}`)
}

const rowChanges: readonly RowChange[] = ['insert', 'update', 'delete']

/** Says which changes a view does not accept; `undefined` if it accepts all of them. */
function describeRejectedChanges({ accepts }: StoredTable): string | undefined {
  const rejected = rowChanges.filter((change) => !accepts?.has(change))
  if (rejected.length === 0) return undefined
  if (rejected.length === rowChanges.length) return 'it is a view'
  return `it is a view that accepts no ${rejected.join(' and no ')}`
}

function attributeEntries(
  { column, kind, omittedBecause, note, isNullIfInvalid, isReadOnly }: AttributeColumn,
  {
    named,
    takeName,
    readOnlyReason,
  }: Readonly<{ named: NamedTable; takeName: TakeName } & Pick<GeneratedFields, 'readOnlyReason'>>,
): CodeEntry[] {
  if (kind === undefined) return [comment(`// ${formatOmission(column.name, omittedBecause)}`)]
  const name = parseName(column.name)
  const key = chooseName(takeName, [neverNumeric(name), joinNames(named.singular, name)])
  const isTypeReadOnly = readOnlyReason !== undefined
  const isOfId = named.key.some((part) => part.column === column) && !column.hasDefault
  const isRequired = isRequiredOnInsert(column) || (isOfId && column.writable)
  const isSent = isRequired && !isTypeReadOnly && !isReadOnly
  const options = object({
    required: isSent ? true : undefined,
    // SQLite accepts null in a primary key.
    nullable: isSent || column.nullable ? undefined : false,
    access: (column.writable && !isReadOnly) || isTypeReadOnly ? undefined : 'read-only',
    column: key === column.name ? undefined : column.name,
    invalidValues: isNullIfInvalid ? 'null' : undefined,
  })
  const value = call('attribute', kind, ...(options.entries.length > 0 ? [options] : []))
  const above = column.comment ? [comment(formatDocComment(column.comment))] : []
  const noted = note === undefined ? [] : [comment(`// ${toOneLine(note)}`)]
  return [...above, ...noted, { is: 'member', key, value }]
}

/** Says that a foreign key is omitted that references what does not exist, which SQLite accepts. */
function describeBrokenKey(
  foreignKey: ForeignKey,
  findStored: FieldsContext['findStored'],
): string[] {
  const { columns, to, references } = foreignKey
  const name = `the foreign key (${columns.join(', ')}) to ${to.name}`
  const target = findStored(foreignKey)?.table
  if (target === undefined) return [formatOmission(name, `there is no table ${to.name}`)]
  const missing = references.find((column) => !target.columns.has(column))
  if (missing !== undefined) return [formatOmission(name, `${to.name} has no column ${missing}`)]
  if (references.length === 0) return [formatOmission(name, `${to.name} has no primary key`)]
  const isUnique = target.uniques.some((unique) => isSameSet(unique, references))
  return isUnique
    ? []
    : [formatOmission(name, `${references.join(', ')} of ${to.name} is not unique`)]
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}

/** Comments for foreign keys whose column cannot store every referenced value: the column becomes an attribute. */
function unusableKeyComments(
  { table }: NamedTable,
  { catalog, findings, findStored }: Pick<FieldsContext, 'catalog' | 'findings' | 'findStored'>,
): CodeEntry[] {
  return table.foreignKeys.flatMap((key) => {
    const target = findStored(key)?.table
    const index = key.columns.findIndex((name, at) => {
      const referenced = target?.columns.get(key.references[at] ?? '')
      return (
        referenced !== undefined &&
        !canStoreKeys(table.columns.get(name), referenced, { catalog, findings })
      )
    })
    if (index === -1) return []
    const [column, references] = [key.columns[index], key.references[index]]
    const text = `${column} references ${key.to.name}, but its type cannot store every ${references}`
    return [comment(`// ${toOneLine(text)}`)]
  })
}

function relationshipEntries(
  candidates: readonly RelationshipCandidate[],
  takeName: TakeName,
): CodeEntry[] {
  const byFirstName = Map.groupBy(candidates, ({ names: [name] }) => toMemberName(name))
  return candidates.flatMap(({ names, code, ownColumns, comment: text }): CodeEntry[] => {
    // When several inverse relationships prefer the same name, none of them gets it.
    const sameName = byFirstName.get(toMemberName(names[0])) ?? []
    const isAmbiguous = ownColumns === undefined && sameName.length > 1 && names.length > 1
    const allowed = isAmbiguous ? names.slice(1) : names
    const key = chooseName(takeName, allowed.map(neverNumeric))
    return [
      ...(text === undefined ? [] : [comment(`// ${toOneLine(text)}`)]),
      { is: 'member', key, value: code },
    ]
  })
}

function chooseName(takeName: TakeName, names: readonly Name[]): string {
  const [style] = names.map((name) => name.style)
  return takeName(names.map(toMemberName), style === 'snake' ? '_' : '')
}

/** Prefixes a name that is a number: JavaScript lists such members of an object before all others. */
function neverNumeric(name: Name): Name {
  return /^\d+$/.test(toMemberName(name)) ? { ...name, words: ['column', ...name.words] } : name
}

function comment(text: string): CodeEntry {
  return { is: 'comment', text }
}

/** Formats a text as a doc comment of one line. */
export function formatDocComment(text: string): string {
  return `/** ${toOneLine(text).replaceAll('*/', '* /')} */`
}

/** Says in one line that something of the database is omitted, and why. */
export function formatOmission(name: string, reason: string): string {
  return `${toOneLine(name) || '""'} is omitted: ${toOneLine(reason)}`
}

/** Replaces line breaks and other runs of white space by single spaces. */
export function toOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
