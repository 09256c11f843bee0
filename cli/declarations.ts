import type { Catalog } from 'lapidary'
import { type Code, type CodeObject, call, membersOf, object, quoted, written } from './code.ts'
import { docComment, type Fields, fieldsOf, oneLine } from './fields.ts'
import { type NamedTable, namedTables } from './naming.ts'
import { relationshipsOf } from './relationships.ts'
import { type Survey, survey } from './survey.ts'

/** The declarations of a database, each as text. */
export interface Declarations {
  readonly resources: readonly Readonly<{
    /** The name of its file, without its ending. */
    file: string
    /** The name of the declaration. */
    constant: string
    /** What it needs of the door. */
    imports: readonly string[]
    text: string
  }>[]
  /** A line of comment for each table that is no resource. */
  readonly leftOut: readonly string[]
}

/** Declares resources over every table of a database that can be one. */
export function declarationsOf(catalog: Catalog): Declarations {
  const all = survey(catalog)
  const tables = namedTables(all)
  const wishes = relationshipsOf(tables, all)
  return {
    resources: tables.map((named) => {
      const own = wishes.filter(({ on }) => on === named)
      const fields = fieldsOf(named, own, all)
      const code = declarationOf(named, fields, all)
      const { constant, file } = named
      const start = `export const ${constant} = `
      const place = { column: start.length, indent: 0, after: 0 }
      return {
        file,
        constant,
        imports: namesIn(code).sort(),
        text: `${heading(named, fields)}\n${start}${written(code, place)}\n`,
      }
    }),
    leftOut: all.leftOut.map(
      ({ table, reason }) => `// ${oneLine(table.name)} is left out: ${oneLine(reason)}`,
    ),
  }
}

function heading({ table }: NamedTable, { isReadOnly }: Fields): string {
  const about = table.comment ?? `Rows of the ${table.is} \`${table.name}\`.`
  return docComment(isReadOnly ? `${about} Read-only: ${isReadOnly}.` : about)
}

function declarationOf(named: NamedTable, fields: Fields, { catalog }: Survey): Code {
  const { type, path, table } = named
  const settings = membersOf({
    path: quoted(path),
    table: quoted(table.name),
    schema: table.schema === catalog.schema ? undefined : quoted(table.schema),
    id: idOf(named, fields),
    description: table.comment ? quoted(oneLine(table.comment)) : undefined,
    access: fields.isReadOnly ? quoted('read-only') : undefined,
    fields: { is: 'object', open: true, lines: fields.lines },
  })
  return call('resource', quoted(type), { is: 'object', open: true, lines: settings })
}

function idOf({ table, key }: NamedTable, { isReadOnly }: Fields): Code | undefined {
  const { name, hasDefault } = key.column
  const isShared = table.foreignKeys.some(({ columns }) => columns[0] === name && !columns[1])
  const isGiven = key.kind === 'uuid' || hasDefault
  const options: CodeObject = object({
    column: name === 'id' ? undefined : quoted(name),
    kind: key.kind === 'integer' ? undefined : key.kind,
    client: (isGiven && !isShared) || isReadOnly ? undefined : quoted('required'),
  })
  if (options.lines.length === 0) return undefined
  const isName = options.lines.length === 1 && name !== 'id'
  return isName ? quoted(name) : options
}

/** Every name of the door in a piece of code, once. */
function namesIn(code: Code): string[] {
  if (typeof code === 'string') return /^(?!true$)[a-z]\w*$/i.test(code) ? [code] : []
  switch (code.is) {
    case 'call':
      return [...new Set([code.name, ...code.given.flatMap(namesIn)])]
    case 'list':
      return [...new Set(code.items.flatMap(namesIn))]
    case 'object':
      return [
        ...new Set(code.lines.flatMap((line) => (line.is === 'member' ? namesIn(line.value) : []))),
      ]
  }
}
