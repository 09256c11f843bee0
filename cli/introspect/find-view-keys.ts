import type { Catalog, StoredColumn, StoredTable, TableSample } from 'lapidary'
import { type MutableFindings, type SampleTables, toRequest } from './findings.ts'
import { inferKeyKind } from './infer-kind.ts'
import { parseName, toMemberName } from './name.ts'

/** The most columns that may be a key alone, and the most that may be one of two. */
const [maxSingle, maxPaired] = [8, 4]

/** The kinds of columns that can be the key of a view. */
const keyKinds: readonly string[] = ['integer', 'integer64', 'uuid', 'text', 'date', 'boolean']

/** The names of columns that are probably keys. */
const keyName = /(?:^|[_\W]|[a-z](?=[A-Z]))(?:id|uuid|guid|key|code|no|nr|number)$/i

/** A view, its first rows, and what is known about them. */
interface ViewContext {
  readonly catalog: Catalog
  readonly findings: MutableFindings
  readonly sample: SampleTables
}

/** Whether a column is the id of a view by its name. */
export function isNamedId({ name }: Pick<StoredColumn, 'name'>): boolean {
  return toMemberName(parseName(name)) === 'id'
}

/**
 * Finds the key of each view that has neither a column `id` nor a unique index: the first column whose values are unique and not null in the
 * rows that the start checks, then the first pair of columns. Columns that are keys by their names come first.
 */
export async function findViewKeys(
  views: readonly Readonly<{ table: StoredTable; sample: TableSample | undefined }>[],
  { catalog, findings, sample }: ViewContext,
): Promise<void> {
  const candidates = views.flatMap(({ table, sample: first }) => {
    const all = [...table.columns.values()]
    if (table.uniques.length > 0 || all.some(isNamedId)) return []
    return listCandidates(all, first, { catalog, findings }).map((columns) => ({ table, columns }))
  })
  if (candidates.length === 0) return
  const samples = await sample(
    candidates.map(({ table, columns }) => ({
      ...toRequest(table, columns, () => undefined),
      searchesRepeats: true,
    })),
  )
  for (const [index, { table, columns }] of candidates.entries()) {
    const isKey = samples[index]?.columns.get(columns[0]?.name ?? '')?.repeats === false
    if (isKey && !findings.viewKeys.has(table)) findings.viewKeys.set(table, columns)
  }
}

/** Lists the columns, and pairs of columns, that may be the key of a view by its first rows. */
function listCandidates(
  columns: readonly StoredColumn[],
  sample: TableSample | undefined,
  { catalog, findings }: Omit<ViewContext, 'sample'>,
): StoredColumn[][] {
  const usable = columns.filter((column) => {
    const found = sample?.columns.get(column.name)
    const kind = findings.kinds.get(column) ?? inferKeyKind(column, catalog)
    const isOther = findings.columns.has(column) || findings.keys.has(column)
    const hasValues = found !== undefined && found.values > 0 && found.nulls === 0
    return hasValues && !isOther && kind !== undefined && keyKinds.includes(kind.name)
  })
  const sorted = usable.toSorted(
    (one, other) => Number(keyName.test(other.name)) - Number(keyName.test(one.name)),
  )
  const singles = sorted.filter((column) => !findings.repeated.has(column)).slice(0, maxSingle)
  const paired = sorted.slice(0, maxPaired)
  const pairs = paired.flatMap((one, at) => paired.slice(at + 1).map((other) => [one, other]))
  return [...singles.map((column) => [column]), ...pairs]
}
