import type { InvalidValues } from '../../model/declare/fields.ts'
import { getCodec } from '../../model/kinds/codecs.ts'
import type { ColumnCodec } from '../../model/kinds/column-codec.ts'
import { storedValueError } from '../../model/kinds/stored-values.ts'
import { getResourceType, type ResourceType, type StoredValue } from '../../model/model.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { getAttribute, type Target } from '../tables.ts'
import { describeInvalidValue, type InvalidValue } from './invalid-value-report.ts'

/**
 * Compiles what happens with a value of a layout that its codec cannot load: a lenient attribute may read it in another format; otherwise
 * it is null, or an error that names the table, the column, the row and the value.
 */
export function compileInvalidValue(
  { type }: RowLayout,
  stored: StoredValue,
  { model, dialect, reportInvalidValue }: Target,
): (row: readonly unknown[], value: unknown, error: unknown) => unknown {
  const resource = getResourceType(model, type)
  const readers = listReaders(stored, resource)
  const isNull = readers.every(({ invalidValues }) => invalidValues !== 'error')
  const loadOther = findLenientLoad(readers, getCodec(stored.codec, dialect))
  const position = {
    type,
    attributes: readers.map(({ name }) => name),
    table: resource.table.name,
    ...('column' in stored && { column: stored.column }),
  }
  return (row, value, cause) => {
    const other = loadOther?.(value) ?? null
    if (other !== null) return other
    const invalid: InvalidValue = { ...position, id: String(row[0]), value }
    if (!isNull)
      throw new Error(`${describeInvalidValue(invalid)}, which is not a valid value`, { cause })
    reportInvalidValue(invalid)
    return null
  }
}

/** Returns how lenient attributes read a value in another format: null if it has none. */
function findLenientLoad(readers: readonly Reader[], { loadOther }: ColumnCodec) {
  const isLenient = readers.every(({ invalidValues }) => invalidValues === 'lenient')
  if (!isLenient || loadOther === undefined) return undefined
  return (value: unknown): unknown => {
    try {
      return loadOther(value)
    } catch {
      return null
    }
  }
}

/** The codecs of values that JSON cannot express, `infinity` and `NaN`, which are null. */
const codecsWithInfinity: readonly unknown[] = ['date', 'datetime', 'number']

/**
 * Compiles the function that loads a value of a layout. A value that JSON cannot express is not valid if the attribute is never null, as
 * its description says.
 */
export function compileValueLoad(
  { type }: RowLayout,
  stored: StoredValue,
  { model, dialect }: Target,
): ((value: unknown) => unknown) | undefined {
  const { load } = getCodec(stored.codec, dialect)
  if (!load || !codecsWithInfinity.includes(stored.codec)) return load
  const readers = listReaders(stored, getResourceType(model, type))
  if (
    !readers.some(
      ({ isNullable = true, invalidValues }) => !isNullable && invalidValues === 'error',
    )
  )
    return load
  return (value) => {
    const loaded = load(value)
    if (loaded === null) throw storedValueError(value, String(stored.codec))
    return loaded
  }
}

/** A field that reads a stored value. */
interface Reader {
  readonly name: string
  /** Whether its values may be null. Default true. */
  readonly isNullable?: boolean
  /** What it does with a value that is not valid. */
  readonly invalidValues: InvalidValues
}

/** The fields that read a stored value. */
function listReaders(stored: StoredValue, resource: ResourceType): readonly Reader[] {
  if ('count' in stored) return [{ name: stored.count, invalidValues: 'error' }]
  if ('expression' in stored) return [getAttribute(resource, stored.expression)]
  if ('versionOf' in stored) return []
  const { column, codec } = stored
  return [...resource.fields.values()].flatMap((field) => {
    if (field.is === 'relationship') return []
    if (field.is === 'attribute')
      return field.column === column && field.kind.codec === codec ? [field] : []
    return field.columns.flatMap(([name, { kind, nullable }]) => {
      const isRead = name === column && kind.codec === codec
      // The type of the value says that it is never null.
      const invalidValues = nullable ? field.invalidValues : ('error' as const)
      return isRead ? [{ name: field.name, isNullable: nullable, invalidValues }] : []
    })
  })
}
