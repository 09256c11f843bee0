import { isDeepStrictEqual } from 'node:util'
import type { Catalog, StoredColumn, StoredTable } from 'lapidary'
import {
  type ClassifiedTables,
  classifyTables,
  createReferenceLookup,
  type Key,
  toItems,
} from './classify-tables.ts'
import { type Code, type CodeObject, call, isAtom, object, toEntries } from './code.ts'
import { findRelationships } from './find-relationships.ts'
import { type Findings, noFindings } from './findings.ts'
import { formatCode } from './format-code.ts'
import {
  type ClassifiedFunctions,
  classifyFunctions,
  describeFunction,
  generateQueries,
  generateTableFunction,
} from './generate-calls.ts'
import {
  formatDocComment,
  formatOmission,
  type GeneratedFields,
  generateFields,
  toOneLine,
} from './generate-fields.ts'
import { type NamedTable, nameTables, type TypeNames } from './name-tables.ts'

/** The options of generated declarations. */
export interface GenerateOptions {
  /** How types are named: like one resource, `invoiceLine`, or like the path, `invoice-lines`. Default `singular`. */
  readonly types?: TypeNames
  /** Whether clients can only read. Default false. */
  readonly readOnly?: boolean
  /** The findings about the stored values; absent if these were not read. */
  readonly findings?: Findings
}

/** The generated declarations of a database. */
export interface Declarations {
  readonly resources: readonly Readonly<{
    /** The file name without its extension. */
    file: string
    /** The identifier of the declaration. */
    constant: string
    /** The names that the declaration imports from `lapidary`, sorted. */
    imports: readonly string[]
    /** The declaration: a call of `resource`. */
    code: Code
    /** The source of the declaration. */
    text: string
    /** A line for each column and foreign key that is not a field, with the reason; secrets are not among them. */
    omitted: readonly string[]
    /** A line for each column with values that do not fit its type. */
    notes: readonly string[]
    /** A line with the table and its columns that are omitted because they look secret; absent without any. */
    secrets: string | undefined
  }>[]
  /** A line for each table that is not a resource type, with the reason. */
  readonly omitted: readonly string[]
}

/** Generates a declaration for every table of a database that can be a resource type. */
export function generateDeclarations(
  database: Catalog,
  { types = 'singular', readOnly = false, findings = noFindings }: GenerateOptions = {},
): Declarations {
  const functions = classifyFunctions(database)
  const catalog = { ...database, tables: [...database.tables, ...functions.tables] }
  const classified = classifyTables(catalog, findings)
  const tables = nameTables(classified, types)
  const candidates = Map.groupBy(findRelationships(tables, classified), ({ on }) => on)
  const findStored = createReferenceLookup(toItems(catalog), catalog)
  const served = new Set(tables.map(({ table }) => table))
  return {
    resources: tables.map((named) => {
      const own = candidates.get(named) ?? []
      const fields = generateFields(named, own, { catalog, findings, findStored, readOnly })
      const code = generateDeclaration(named, fields, { classified, functions })
      const { constant, file } = named
      const start = `export const ${constant} = `
      const position = { column: start.length, indent: 0, suffix: 0 }
      return {
        file,
        constant,
        imports: importedNames(code).sort(),
        code,
        omitted: fields.omitted,
        notes: fields.notes,
        secrets: formatSecrets(named, fields),
        text: `${generateHeading(named, fields)}\n${start}${formatCode(code, position)}\n`,
      }
    }),
    omitted: [
      ...classified.omitted.map(({ table, reason }) =>
        formatOmission(table.parameters ? `the function ${table.name}` : table.name, reason),
      ),
      ...functions.queries
        .filter(({ table }) => !served.has(table))
        .map(({ stored, table }) =>
          formatOmission(
            describeFunction(stored),
            `its rows are those of ${table.name}, which is omitted`,
          ),
        ),
      ...functions.omitted.map(({ name, reason }) => formatOmission(name, reason)),
    ],
  }
}

function formatSecrets({ table }: NamedTable, { secrets }: GeneratedFields): string | undefined {
  if (secrets.length === 0) return undefined
  return toOneLine(`${table.name}: ${secrets.join(', ')}`)
}

function generateHeading({ table }: NamedTable, { readOnlyReason }: GeneratedFields): string {
  const is = table.parameters ? 'function' : table.is
  const description = table.comment ?? `Rows of the ${is} \`${table.name}\`.`
  return formatDocComment(
    readOnlyReason ? `${description} Read-only: ${readOnlyReason}.` : description,
  )
}

/** The context of a declaration, besides its table. */
interface DeclarationContext {
  readonly classified: ClassifiedTables
  readonly functions: ClassifiedFunctions
}

function generateDeclaration(
  named: NamedTable,
  { entries, readOnlyReason, written }: GeneratedFields,
  { classified: { catalog }, functions }: DeclarationContext,
): Code {
  const { type, path, table, key } = named
  const names = entries.flatMap((entry) => (entry.is === 'member' ? [entry.key] : []))
  const called = functions.queries.flatMap((query) => (query.table === table ? [query.stored] : []))
  const isReadOnly = readOnlyReason !== undefined
  const options = toEntries({
    path,
    table: table.parameters ? generateTableFunction(table, names, catalog) : table.name,
    schema: table.schema === catalog.schema || table.parameters ? undefined : table.schema,
    id: generateId(named, isReadOnly, written),
    description: table.comment ? toOneLine(table.comment) : undefined,
    access: isReadOnly ? 'read-only' : undefined,
    queries: generateQueries(called, key, names, catalog),
    fields: { is: 'object', isExpanded: true, entries },
  })
  return call('resource', type, { is: 'object', isExpanded: true, entries: options })
}

/** @returns `undefined` when the defaults of `id` fit the table */
function generateId(
  { table, key }: NamedTable,
  isReadOnly: boolean,
  written: readonly string[],
): Code | undefined {
  const [{ column, kind }, ...others] = key
  const { name, hasDefault } = column
  if (others.length > 0) return generateCompositeId(key, isReadOnly, written)
  const isForeignKey = table.foreignKeys.some(({ columns }) => columns[0] === name && !columns[1])
  const isGenerated = (kind.name === 'uuid' || hasDefault) && !isForeignKey
  const client = isGenerated ? chooseBesideDefault(column, table) : chooseClientIds(table, kind)
  const options: CodeObject = object({
    column: name === 'id' ? undefined : name,
    kind: kind.name === 'integer' ? undefined : kind.code,
    client: isReadOnly ? undefined : client,
  })
  if (options.entries.length === 0) return undefined
  const isColumnOnly = options.entries.length === 1 && name !== 'id'
  return isColumnOnly ? name : options
}

/** Clients may send an id whose default is a literal: it is the id of one row at most, unless a trigger replaces it. */
function chooseBesideDefault(
  { hasLiteralDefault = false }: StoredColumn,
  { triggers }: StoredTable,
): 'optional' | undefined {
  return hasLiteralDefault && !triggers?.changes.has('insert') ? 'optional' : undefined
}

/** Chooses whether clients send ids that neither the server nor a default of the column generates. */
function chooseClientIds(
  { is, triggers }: StoredTable,
  kind: Key[0]['kind'],
): 'optional' | 'required' | undefined {
  if (is === 'table' || kind.name !== 'integer') return 'required'
  // On PostgreSQL a view shows no default of its table, and its trigger may choose the id.
  return triggers?.newId === 'next integer' ? undefined : 'optional'
}

/** Clients send a composite id if its columns are not fields and have no defaults. @param written - the columns that fields write */
function generateCompositeId(key: Key, isReadOnly: boolean, written: readonly string[]): Code {
  const columns: Code = { is: 'array', items: key.map(({ column }) => column.name) }
  const [{ kind: first }] = key
  const isSame = key.every(({ kind }) => isDeepStrictEqual(kind, first))
  const list: Code = { is: 'array', items: key.map(({ kind }) => kind.code) }
  const isFilled = key.every(({ column }) => column.hasDefault || written.includes(column.name))
  const options = {
    kind: isSame ? (first.name === 'integer' ? undefined : first.code) : list,
    client: isFilled || isReadOnly ? undefined : 'required',
  }
  const isPlain = Object.values(options).every((option) => option === undefined)
  return isPlain ? columns : object({ column: columns, ...options })
}

/** The identifiers in an expression, which are all imports from `lapidary`; each once. */
function importedNames(code: Code): string[] {
  if (isAtom(code)) return typeof code === 'object' ? [code.is === 'sql' ? 'sql' : code.name] : []
  switch (code.is) {
    case 'sql function':
      return ['sql']
    case 'call':
      return [...new Set([code.name, ...code.arguments.flatMap(importedNames)])]
    case 'array':
      return [...new Set(code.items.flatMap(importedNames))]
    case 'object': {
      const values = code.entries.flatMap((entry) => (entry.is === 'member' ? [entry.value] : []))
      return [...new Set(values.flatMap(importedNames))]
    }
  }
}
