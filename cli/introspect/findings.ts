import type { ColumnContent, SampleRequest, StoredColumn, StoredTable, TableSample } from 'lapidary'
import { evaluateCodec } from './evaluate-code.ts'
import type { KindCode } from './kind-code.ts'
import { listNameColumns } from './name.ts'

/** The findings about the stored values of the tables and columns of a catalog. */
export interface Findings {
  /** Why tables cannot be read. */
  readonly tables: ReadonlyMap<StoredTable, string>
  /** Why columns are omitted. */
  readonly columns: ReadonlyMap<StoredColumn, string>
  /** Why columns cannot be a part of the key of their table. */
  readonly keys: ReadonlyMap<StoredColumn, string>
  /** The columns with repeated values, which cannot be a key alone. */
  readonly repeated: ReadonlySet<StoredColumn>
  /** The kinds of columns that do not follow from their types. */
  readonly kinds: ReadonlyMap<StoredColumn, KindCode>
  /** Descriptions of values that are not of the kind of their column, or the reason why the kind differs from that of the type. */
  readonly notes: ReadonlyMap<StoredColumn, string>
  /** The columns with some values that are not of their kind, which are returned as null. */
  readonly invalid: ReadonlySet<StoredColumn>
  /** What the values are of columns that may hold secrets. */
  readonly contents: ReadonlyMap<StoredColumn, ColumnContent>
  /** The columns of views that show or contain columns that look secret. */
  readonly derived: ReadonlySet<StoredColumn>
  /** The columns that are served although they look secret. */
  readonly shown: ReadonlySet<StoredColumn>
  /** The columns that are the key of a view by its rows. */
  readonly viewKeys: ReadonlyMap<StoredTable, readonly StoredColumn[]>
  /** What writes mean for the datetimes of SQLite whose texts have several formats, or one that cannot be declared. */
  readonly datetimeNotes: ReadonlyMap<StoredColumn, string>
}

/** The findings of a catalog whose data was not sampled. */
export const noFindings: Findings = createFindings()

/** Reads the first rows of tables. @returns a sample for each request, in their order */
export type SampleTables = (requests: readonly SampleRequest[]) => Promise<readonly TableSample[]>

/** Findings while they are collected. */
export type MutableFindings = ReturnType<typeof createFindings>

/** Creates findings without any. */
export function createFindings() {
  return {
    tables: new Map<StoredTable, string>(),
    columns: new Map<StoredColumn, string>(),
    keys: new Map<StoredColumn, string>(),
    repeated: new Set<StoredColumn>(),
    kinds: new Map<StoredColumn, KindCode>(),
    notes: new Map<StoredColumn, string>(),
    invalid: new Set<StoredColumn>(),
    contents: new Map<StoredColumn, ColumnContent>(),
    derived: new Set<StoredColumn>(),
    shown: new Set<StoredColumn>(),
    viewKeys: new Map<StoredTable, readonly StoredColumn[]>(),
    datetimeNotes: new Map<StoredColumn, string>(),
  }
}

/** Creates the request for the first rows of columns, and for some of the others. */
export function toRequest(
  { schema, name, ...table }: StoredTable,
  columns: readonly StoredColumn[],
  kindOf: (column: StoredColumn) => KindCode | undefined,
): SampleRequest {
  return {
    table: { schema, name },
    ...orderOf(table),
    namesOf: listNameColumns({ name, ...table }).map((column) => column.name),
    columns: new Map(columns.map((column) => [column.name, evaluateCodec(kindOf(column))])),
    defaults: new Map(
      columns.flatMap(({ name, defaultText }) =>
        defaultText === undefined ? [] : [[name, defaultText] as const],
      ),
    ),
  }
}

/** The columns with an index by which rows are read from the end of a table. */
function orderOf({
  columns,
  rowid,
  primaryKey,
  uniques,
  hasChildren = false,
}: Omit<StoredTable, 'name' | 'schema'>): Pick<SampleRequest, 'order' | 'hasIntegerOrder'> {
  const order = rowid ? [rowid.name] : primaryKey.length > 0 ? primaryKey : (uniques[0] ?? [])
  // The rows of other tables are in their own indexes.
  if (order.length === 0 || hasChildren) return {}
  const type = rowid?.type ?? columns.get(order[0] ?? '')?.type ?? ''
  return { order, hasIntegerOrder: order.length === 1 && /^(?:small|big)?int/i.test(type) }
}
