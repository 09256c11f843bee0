import { quoteNames } from '../../errors/quote.ts'
import { type Catalog, type ForeignKey, findTable, type StoredTable } from '../../model/catalog.ts'
import type { Model } from '../../model/model.ts'

/**
 * Warns of foreign keys that no row can satisfy: the table or a column that they reference does not exist, or the columns are not unique.
 * SQLite accepts such a table, but no statement that changes its rows, or deletes rows of the other table (sqlite.org/foreignkeys.html).
 * @returns a line for each foreign key of a table whose rows the model changes, or that references one
 */
export function listBrokenKeyWarnings(model: Model, catalog: Catalog): string[] {
  const writable = [...model.types.values()].flatMap(({ isWritable, table }) =>
    isWritable ? (findTable(catalog, table) ?? []) : [],
  )
  return catalog.tables.flatMap((table) =>
    table.foreignKeys.flatMap((key) => {
      const target = findTable(catalog, key.to)
      const problem = describeProblem(key, target)
      if (problem === undefined) return []
      const changed = [table, ...(target && target !== table ? [target] : [])]
      if (!changed.some((each) => writable.includes(each))) return []
      return describe(table, key, problem, target)
    }),
  )
}

function describeProblem(
  { to, references }: ForeignKey,
  target: StoredTable | undefined,
): string | undefined {
  if (target === undefined) return `there is no table "${to.name}"`
  const missing = references.find((name) => !target.columns.has(name))
  if (missing !== undefined) return `"${to.name}" has no column "${missing}"`
  if (references.length === 0) return `"${to.name}" has no primary key`
  const isUnique = target.uniques.some(
    (unique) =>
      unique.length === references.length && unique.every((name) => references.includes(name)),
  )
  return isUnique ? undefined : `${quoteNames(references)} of "${to.name}" is not unique`
}

function describe(
  { name }: StoredTable,
  { columns, to }: ForeignKey,
  problem: string,
  target: StoredTable | undefined,
): string {
  const others =
    target === undefined || target.name === name ? '' : `, and creates and deletes in "${to.name}"`
  return `${name}: the foreign key ${quoteNames(columns)} of "${name}" to "${to.name}" cannot hold: ${problem}; SQLite rejects writes to "${name}"${others}, so they are 409; to fix it: create "${name}" again without the foreign key`
}
