import { type Catalog, canStore, type StoredColumn, type StoredTable } from 'lapidary'
import { constant } from './fallback-kinds.ts'
import { type MutableFindings, type SampleTables, toRequest } from './findings.ts'
import { inferKeyKind, type KindCode } from './infer-kind.ts'

// SQLite stores any value in almost any column. A row whose key is not of the kind of its column would have no id, so all rows of a key are
// searched for such a value, not only the first ones.

/** A column of a key, and its kind by its type and the first rows. */
interface KeyColumn {
  readonly table: StoredTable
  readonly column: StoredColumn
  readonly kind: KindCode | undefined
}

/** The catalog, and the findings about the first rows. */
interface KeyContext {
  readonly catalog: Catalog
  readonly findings: MutableFindings
  readonly sample: SampleTables
}

/** The kind of keys that are numbers and texts: the id is the text of what is stored. */
const mixed = constant('databaseText')

/**
 * Finds out whether each row of a table of SQLite has a key of the kind of its columns. If not, the key is the text of what is stored,
 * where the column has one text for each value; elsewhere the column cannot be a key.
 */
export async function checkKeys(
  tables: readonly StoredTable[],
  { catalog, findings, sample }: KeyContext,
): Promise<void> {
  const columns = tables.flatMap((table) =>
    listKeyColumns(table).map((column) => {
      const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
      return { table, column, kind }
    }),
  )
  const strict = await findOthers(columns, ({ kind }) => kind, sample)
  const others = columns.filter((_, index) => strict[index] !== undefined)
  const kept = others.filter(({ column }) => canBeMixed(column))
  const remaining = await findOthers(kept, () => mixed, sample)
  for (const [index, { column }] of kept.entries()) {
    if (remaining[index] !== undefined && remaining[index] !== 'unknown') continue
    findings.kinds.set(column, mixed)
    for (const known of [findings.keys, findings.invalid, findings.notes, findings.columns])
      known.delete(column)
  }
  for (const { column } of others) {
    if (findings.kinds.get(column) === mixed || findings.keys.has(column)) continue
    const example = strict[columns.findIndex((each) => each.column === column)]
    const found = example === 'unknown' ? 'values that could not all be read in time' : example
    findings.keys.set(column, `its key ${column.name} contains ${found}`)
  }
}

/** The columns of the keys of a table, except the rowid. */
function listKeyColumns({ is, columns, primaryKey, uniques, rowid }: StoredTable): StoredColumn[] {
  if (is === 'view') return []
  const keys = uniques.filter((key) => rowid !== undefined || key !== primaryKey || key.length > 1)
  const isCandidate = (key: readonly string[]) =>
    key.every((name) => columns.get(name)?.nullable === false || primaryKey.includes(name))
  const names = new Set(keys.filter(isCandidate).flat())
  return [...names].flatMap((name) => columns.get(name) ?? [])
}

function canBeMixed({ type }: StoredColumn): boolean {
  return canStore(type, { codec: 'databaseTextId' }, 'sqlite')
}

/**
 * Searches all rows for a value that is not of a kind as a part of an id.
 * @returns for each column a description of such a value, `unknown` if there was no time, or `undefined` if there is none
 */
async function findOthers(
  columns: readonly KeyColumn[],
  kindOf: (column: KeyColumn) => KindCode | undefined,
  sample: SampleTables,
): Promise<(string | undefined)[]> {
  if (columns.length === 0) return []
  const samples = await sample(
    columns.map((each) => ({
      ...toRequest(each.table, [each.column], () => kindOf(each)),
      searchesAllRows: true,
      isKey: true,
    })),
  )
  return columns.map(({ column }, index) => {
    const found = samples[index]?.columns.get(column.name)
    if (found === undefined) return 'unknown'
    return found.invalid === 0 ? undefined : (found.example ?? 'null')
  })
}
