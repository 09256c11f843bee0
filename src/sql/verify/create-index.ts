import { type Catalog, findTable } from '../../model/catalog.ts'
import type { Database } from '../../model/database.ts'
import { type Sql, sql } from '../../model/dialect.ts'
import type { ResourceType, Table } from '../../model/model.ts'
import type { OrderTerm } from '../../plan/sort.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { compileStatement } from '../statement.ts'
import { columnAt, getAttribute, sortKey, type Target } from '../tables.ts'

// Every index that the service proposes is written here, so that equal causes have equal statements wherever they are reported.

/** A part of an index: a column, or an expression over it. */
interface IndexKey {
  readonly column: string
  /** SQL, with the direction. Default: the column. */
  readonly sql?: string
}

/** What an index is on. */
interface IndexedKeys {
  readonly table: Table
  readonly keys: readonly IndexKey[]
}

/** The tables, and the database that an index is created in. */
export interface IndexContext {
  readonly catalog: Catalog
  readonly database: Pick<Database, 'namesIndexes'>
}

/** Writes the statement that creates an index. */
export function compileCreateIndex(index: IndexedKeys, context: IndexContext): string {
  const { table, keys } = index
  const { schema } = context.catalog
  const name = quoteIdentifier(table.name)
  const list = keys.map(({ column, sql: key = quoteIdentifier(column) }) => key).join(', ')
  if (context.database.namesIndexes)
    return `create index ${quoteIdentifier(nameIndex(index, context))} on ${name} (${list})`
  const isQualified = table.schema !== undefined && table.schema !== schema
  const qualifiedName = isQualified ? `${quoteIdentifier(table.schema)}.${name}` : name
  return `create index on ${qualifiedName} (${list})`
}

/** Names an index by its table and the words of its keys, so that the names of two indexes differ as their tables and keys do. */
function nameIndex({ table, keys }: IndexedKeys, { catalog }: IndexContext): string {
  const words = keys.flatMap(({ column, sql: key = '' }) => {
    const [before = '', after = ''] = key.split(quoteIdentifier(column))
    return [...listWords(before), column, ...listWords(after)]
  })
  const columns = [...(findTable(catalog, table)?.columns.keys() ?? [])]
  // With the columns `a`, `b`, `a_b` and `b_c`, the name `t_a_b_c` would stand for two indexes.
  const isAmbiguous = words.some((word) =>
    columns.some((each) => each.startsWith(`${word}_`) || word.startsWith(`${each}_`)),
  )
  const keyed = words.join(isAmbiguous && words.length > 1 ? '__' : '_')
  // With the tables `t` and `t_a`, the name `t_a_b` would stand for one of each, and `t_a` for a table.
  const full = `${table.name}_${keyed}_`
  const isOther = catalog.tables.some(
    ({ name }) => name.startsWith(`${table.name}_`) && full.startsWith(`${name}_`),
  )
  const isSeparate = isOther || (isAmbiguous && words.length > 1)
  return [table.name, keyed].join(isSeparate ? '__' : '_')
}

function listWords(text: string): readonly string[] {
  return text.split(/\W+/).filter((word) => word !== '' && word !== 'collate')
}

/**
 * Lists the parts of an index whose rows are in an order.
 * @param order - by fields of the type itself
 * @returns `undefined` if no index has this order: it is of a value that is computed, or that the database converts
 */
export function listOrderKeys(
  order: readonly OrderTerm[],
  resource: ResourceType,
  target: Target,
  catalog: Catalog,
): readonly IndexKey[] | undefined {
  const stored = findTable(catalog, resource.table)
  const keys: IndexKey[] = []
  for (const { field, descending } of order) {
    const direction = descending ? ' desc' : ''
    if (field === 'id') {
      for (const column of resource.id.columns)
        keys.push({ column, sql: quoteIdentifier(column) + direction })
      continue
    }
    const { column, kind } = getAttribute(resource, field)
    if (column === undefined || stored?.indexes === undefined) return undefined
    const key: Sql = sortKey(columnAt(0, column), kind.codec, target)
    const type = stored.columns.get(column)?.type ?? ''
    const expression = compileIndexExpression(key, { name: column, type }, target)
    if (expression === undefined) return undefined
    keys.push({ column, sql: expression + direction })
  }
  return keys
}

/**
 * Writes an expression over the table `t0` for an index: a column with or without a cast and a collation, or `lower(column)`.
 * @param column - the column, and its type
 * @returns `undefined` for an expression that no index can contain, such as a call of a function that only this server defines
 */
export function compileIndexExpression(
  key: Sql,
  { name, type }: Readonly<{ name: string; type: string }>,
  { dialect }: Target,
): string | undefined {
  const sqlOf = (expression: Sql) => compileStatement(expression, dialect).sql
  const [stored, column] = [sqlOf(columnAt(0, name)), sqlOf(sql.id(name))]
  // PostgreSQL removes a cast between its two types of text, also from the expression of a statement.
  const cast = /^(?:text|character varying)/.test(type) ? column : `(${column}::text)`
  const forms = new Map([
    [stored, column],
    [`${stored}::text`, cast],
    [`${stored} collate "C"`, `${column} collate "C"`],
    [`${stored}::text collate "C"`, `${cast} collate "C"`],
    [`lower(${stored})`, `lower(${column})`],
  ])
  return forms.get(sqlOf(key))
}
