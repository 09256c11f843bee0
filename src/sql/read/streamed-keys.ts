import {
  getRelationship,
  getResourceType,
  isSameKey,
  type ResourceType,
} from '../../model/model.ts'
import { normalizeId } from '../../plan/path-id.ts'
import type { ReadPlan, ReadShape } from '../../plan/read.ts'
import { findLinkageIndex, type Row, type RowLayout } from '../../plan/row-layout.ts'
import type { RunStatement, Statement } from '../statement.ts'
import type { Target } from '../tables.ts'
import { hasSpellings, isOwnKey } from './linkage.ts'
import { addAuth } from './run-values.ts'
import type { StreamedRead } from './stream.ts'

// A stream reads a key that may reference nothing as it is, and looks up the keys of a batch with one statement for each related
// type (docs/decisions/0057). A lookup inside the statement of the stream runs once for each row, and scans a view for each; a join makes
// PostgreSQL plan statements with many tables worse.

/** Marks the linkage of a shape that is the key of the row and may reference nothing. */
export function markUncheckedKeys(shape: ReadShape, target: Target): ReadShape {
  const mark = (layout: RowLayout): RowLayout => {
    const names = new Set(listUncheckedKeys(layout, target).map(({ relationship }) => relationship))
    const linkages = layout.linkages.map((linkage) =>
      names.has(linkage.relationship) ? { ...linkage, isUncheckedKey: true } : linkage,
    )
    return { ...layout, linkages }
  }
  return { ...shape, primary: mark(shape.primary), included: shape.included.map(mark) }
}

/** Linkage that is a key of the row. */
interface UncheckedKey {
  readonly relationship: string
  /** The position of the key in a row of the layout. */
  readonly at: number
  /** The related type. */
  readonly to: string
}

/** Lists the keys of a layout that are ids of the related type, and may be those of no resource. */
function listUncheckedKeys(layout: RowLayout, target: Target): UncheckedKey[] {
  const resource = getResourceType(target.model, layout.type)
  return layout.linkages.flatMap(({ relationship }): UncheckedKey[] => {
    const field = getRelationship(resource, relationship)
    const { link, many, to } = field
    const other = getResourceType(target.model, to)
    const isKey = !many && link.foreignKey === 'own' && isSameKey(link.otherKey, other.id.columns)
    if (!isKey || isOwnKey(field, target) || hasSpellings(other, target)) return []
    return [{ relationship, at: findLinkageIndex(layout, relationship), to }]
  })
}

/** The statements of an identity. `lookup` returns which of some ids are those of a resource of the type. */
interface LookupStatements {
  readonly target: Target
  readonly ofType: (type: string) => Readonly<{ lookup: Statement }>
}

/** Creates the function that clears the dangling keys of each batch of a stream. @param run - runs a statement in its transaction */
export function createRowCompleter(
  statements: LookupStatements,
  { identity }: ReadPlan,
  run: RunStatement,
): NonNullable<StreamedRead['completeRows']> {
  const findExisting = (type: string, ids: readonly string[]) =>
    run(statements.ofType(type).lookup, addAuth({ planValues: [], ids }, identity))
  return (rows, layout) =>
    clearDanglingKeys(rows, layout, { target: statements.target, findExisting })
}

/** What the lookup of keys needs. */
interface KeyLookup {
  readonly target: Target
  /** Returns rows with those of some ids that are the ids of resources of a type. */
  readonly findExisting: (type: string, ids: readonly string[]) => Promise<readonly Row[]>
}

/** Returns a batch of rows with null for each key that is the id of no resource. One statement looks up the keys of a related type. */
async function clearDanglingKeys(
  rows: readonly Row[],
  layout: RowLayout,
  { target, findExisting }: KeyLookup,
): Promise<readonly Row[]> {
  const keys = listUncheckedKeys(layout, target)
  if (keys.length === 0) return rows
  const types = [...new Set(keys.map(({ to }) => to))]
  const found = await Promise.all(
    types.map(async (type): Promise<[string, ReadonlySet<string>]> => {
      const positions = keys.flatMap(({ to, at }) => (to === type ? [at] : []))
      const resource = getResourceType(target.model, type)
      const values = rows.flatMap((row) => positions.map((at) => row[at]))
      const ids = [...new Set(values)].flatMap((key) => toId(key, resource) ?? [])
      const existing = ids.length === 0 ? [] : await findExisting(type, ids)
      return [type, new Set(existing.map(([id]) => String(id)))]
    }),
  )
  const existing = new Map(found)
  return rows.map((row) =>
    keys.reduce((checked, { at, to }) => {
      const key = checked[at]
      const isLinked = key === null || (!isBlob(key) && existing.get(to)?.has(String(key)))
      return isLinked ? checked : checked.with(at, null)
    }, row),
  )
}

/** Returns a key as an id; `undefined` if it is none. A column of SQLite may contain any value. */
function toId(key: unknown, resource: ResourceType): string | undefined {
  if (key === null || isBlob(key)) return undefined
  const id = String(key)
  return normalizeId(resource, id) === id ? id : undefined
}

function isBlob(key: unknown): boolean {
  return key instanceof Uint8Array
}
