import type { Catalog, ColumnOrigin, StoredColumn, StoredTable } from 'lapidary'
import type { Findings } from './findings.ts'
import { inferKind } from './infer-kind.ts'
import { harmlessKinds, isSecret, numericKinds } from './looks-secret.ts'

/**
 * Finds the columns of views that show a secret: those that are a column that looks secret, under any name, and those that a view computes
 * while it reads such a column. Numbers, times and booleans are computed from secrets without showing them, unless the secret is a number.
 */
export function findDerivedSecrets(
  catalog: Catalog,
  findings: Findings,
): ReadonlySet<StoredColumn> {
  const known = new Map<StoredColumn, boolean>()
  const toKey = (schema: string, name: string) => JSON.stringify([schema, name])
  const tables = new Map(
    catalog.tables.map((table) => [toKey(table.schema, table.name), table] as const),
  )
  const kindOf = (column: StoredColumn) => findings.kinds.get(column) ?? inferKind(column, catalog)
  const isNumber = (column: StoredColumn) => numericKinds.has(kindOf(column)?.name ?? '')
  const findColumn = ({ schema, table, column }: ColumnOrigin) => {
    const found = tables.get(toKey(schema ?? catalog.schema, table))
    const own = found?.columns.get(column)
    return found && own ? { table: found, column: own } : undefined
  }
  const isHidden = (table: StoredTable, column: StoredColumn): boolean => {
    const before = known.get(column)
    if (before !== undefined) return before
    const is =
      isSecret({ column, kind: kindOf(column), table }, findings) || isDerived(table, column)
    known.set(column, is)
    return is
  }
  const isDerived = ({ sources }: StoredTable, column: StoredColumn): boolean => {
    if (sources === undefined || findings.shown.has(column)) return false
    const origin = sources.origins.get(column.name)
    const secrets = (origin ? [origin] : sources.reads)
      .flatMap((each) => findColumn(each) ?? [])
      .filter((each) => isHidden(each.table, each.column))
    const kind = kindOf(column)?.name ?? ''
    if (origin !== undefined || harmlessKinds.has(kind))
      return origin !== undefined && secrets.length > 0
    return numericKinds.has(kind)
      ? secrets.some((each) => isNumber(each.column))
      : secrets.length > 0
  }
  const views = catalog.tables.filter(({ sources }) => sources !== undefined)
  return new Set(
    views.flatMap((view) => [...view.columns.values()].filter((column) => isDerived(view, column))),
  )
}
