import type { StoredColumn } from 'lapidary'
import { type Code, type CodeLine, call, object, quoted } from './code.ts'
import { keepsKeys, kindOf } from './kinds.ts'
import type { NamedTable } from './naming.ts'
import type { Wish } from './relationships.ts'
import { looksSecret } from './secrets.ts'
import { mustBeGiven, type Survey, targetOf } from './survey.ts'
import { type Take, taker } from './taken.ts'
import { joined, memberOf, type Name, nameOf } from './words.ts'

/** The fields of a resource type, and whether it can be written. */
export interface Fields {
  readonly lines: readonly CodeLine[]
  /** Why nothing can be created, or `undefined` when something can. */
  readonly isReadOnly: string | undefined
}

/** Names that every resource has or that documents keep for themselves. */
const own: readonly string[] = ['id', 'type', 'links', 'relationships']

/**
 * Writes the fields of a resource type: its attributes in the order of the columns, then its relationships.
 * @param wishes - the relationships that it could have
 */
export function fieldsOf(named: NamedTable, wishes: readonly Wish[], { catalog }: Survey): Fields {
  const { table, key } = named
  const told = wishes.flatMap(({ tells }) => tells ?? [])
  const take = taker(own)
  const columns = [...table.columns.values()]
    .filter(({ name }) => name !== key.column.name && !told.includes(name))
    .map((column) => ({ column, ...attributeOf(column, catalog) }))
  const written = [
    key.column.name,
    ...wishes.flatMap(({ writes }) => writes ?? []),
    ...columns.flatMap(({ column, kind }) => (kind === undefined ? [] : column.name)),
  ]
  const unfilled = [...table.columns.values()].filter(
    (column) => mustBeGiven(column) && !written.includes(column.name),
  )
  const isReadOnly = readOnlyReason(named, unfilled)
  return {
    isReadOnly,
    lines: [
      ...columns.flatMap((each) => attributeLines(each, { named, take, isReadOnly })),
      ...compositeLines(named),
      ...unfitLines(named, catalog),
      ...relationshipLines(wishes, take),
    ],
  }
}

/** What is to be said of a column: its kind, or why it is left out. */
interface Attribute {
  readonly column: StoredColumn
  readonly kind: Code | undefined
  readonly reason: string
}

function attributeOf(column: StoredColumn, catalog: Survey['catalog']): Omit<Attribute, 'column'> {
  const kind = kindOf(column, catalog)
  if (looksSecret(column, kind)) return { kind: undefined, reason: 'it looks secret' }
  const type = column.type === '' ? 'it has no type' : `no kind is known for ${column.type}`
  return { kind: kind?.code, reason: type }
}

function readOnlyReason(
  { table }: NamedTable,
  unfilled: readonly StoredColumn[],
): string | undefined {
  if (table.is === 'view') return 'it is a view'
  if (unfilled.length === 0) return undefined
  return `nothing here fills ${unfilled.map(({ name }) => name).join(', ')}, which must not be null`
}

function attributeLines(
  { column, kind, reason }: Attribute,
  {
    named,
    take,
    isReadOnly,
  }: Readonly<{ named: NamedTable; take: Take } & Pick<Fields, 'isReadOnly'>>,
): CodeLine[] {
  if (kind === undefined) return [comment(`// ${oneLine(column.name)} is left out: ${reason}`)]
  const name = nameOf(column.name)
  const key = taken(take, [mended(name), joined(named.one, name)])
  const options = object({
    required: mustBeGiven(column) && isReadOnly === undefined ? 'true' : undefined,
    access: column.writable || isReadOnly !== undefined ? undefined : quoted('read-only'),
    column: key === column.name ? undefined : quoted(column.name),
  })
  const value = call('attribute', kind, ...(options.lines.length > 0 ? [options] : []))
  const above = column.comment ? [comment(docComment(column.comment))] : []
  return [...above, { is: 'member', key, value }]
}

/** A foreign key of several columns is told as its columns. */
function compositeLines({ table }: NamedTable): CodeLine[] {
  return table.foreignKeys
    .filter(({ columns }) => columns.length > 1)
    .map(({ columns, to }) =>
      comment(
        `// ${oneLine(`${columns.join(', ')} lead to ${to.name}`)} together, which no relationship can`,
      ),
    )
}

/** A foreign key whose column would lose digits of the ids that it refers to is told as that column. */
function unfitLines({ table }: NamedTable, catalog: Survey['catalog']): CodeLine[] {
  const tables = catalog.tables.map((each) => ({ table: each }))
  return table.foreignKeys.flatMap((key) => {
    const [[column = '', ...more], [references = '']] = [key.columns, key.references]
    const to = targetOf(key, tables, catalog)?.table.columns.get(references)
    const own = table.columns.get(column)
    if (more.length > 0 || to === undefined || keepsKeys(own, to, catalog)) return []
    const words = `${column} leads to ${key.to.name}, but its type does not keep every ${references}`
    return [comment(`// ${oneLine(words)}`)]
  })
}

function relationshipLines(wishes: readonly Wish[], take: Take): CodeLine[] {
  const first = Map.groupBy(wishes, ({ names: [name] }) => memberOf(name))
  return wishes.flatMap(({ names, code, tells, comment: words }): CodeLine[] => {
    // Where several ways back would be called the same, none of them is.
    const isAmbiguous =
      tells === undefined && (first.get(memberOf(names[0]))?.length ?? 0) > 1 && names.length > 1
    const key = taken(take, (isAmbiguous ? names.slice(1) : names).map(mended))
    return [
      ...(words === undefined ? [] : [comment(`// ${oneLine(words)}`)]),
      { is: 'member', key, value: code },
    ]
  })
}

function taken(take: Take, names: readonly Name[]): string {
  const [style] = names.map((name) => name.style)
  return take(names.map(memberOf), style === 'snake' ? '_' : '')
}

/** A name that is a number would change its place among the members of an object. */
function mended(name: Name): Name {
  return /^\d+$/.test(memberOf(name)) ? { ...name, words: ['column', ...name.words] } : name
}

function comment(text: string): CodeLine {
  return { is: 'comment', text }
}

/** A doc comment of what a database says of something. */
export function docComment(text: string): string {
  return `/** ${oneLine(text).replaceAll('*/', '* /')} */`
}

/** A text without breaks. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
