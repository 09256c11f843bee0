import { getResourceType, type ResourceType, type StoredValue } from '../model/model.ts'
import type { RowLayout } from '../plan/row-layout.ts'
import { describeInvalidValue, type InvalidValue } from './invalid-value-report.ts'
import { getAttribute, type Target } from './tables.ts'

/**
 * Compiles what happens with a value of a layout that its codec cannot load: it is null, or an error that names the table, the
 * column, the row and the value.
 */
export function compileInvalidValue(
  { type }: RowLayout,
  stored: StoredValue,
  { model, reportInvalidValue }: Target,
): (row: readonly unknown[], value: unknown, error: unknown) => null {
  const resource = getResourceType(model, type)
  const readers = listReaders(stored, resource)
  const isNull = readers.every(({ invalidValues }) => invalidValues === 'null')
  const position = {
    type,
    attributes: readers.map(({ name }) => name),
    table: resource.table.name,
    ...('column' in stored && { column: stored.column }),
  }
  return (row, value, cause) => {
    const invalid: InvalidValue = { ...position, id: String(row[0]), value }
    if (!isNull)
      throw new Error(`${describeInvalidValue(invalid)}, which is no valid value`, { cause })
    reportInvalidValue?.(invalid)
    return null
  }
}

/** The fields that read a stored value, with what they do with one that is not valid. */
function listReaders(
  stored: StoredValue,
  resource: ResourceType,
): readonly Readonly<{ name: string; invalidValues: 'error' | 'null' }>[] {
  if ('count' in stored) return [{ name: stored.count, invalidValues: 'error' }]
  if ('expression' in stored) return [getAttribute(resource, stored.expression)]
  const { column, codec } = stored
  return [...resource.fields.values()].flatMap((field) => {
    if (field.is === 'relationship') return []
    if (field.is === 'attribute')
      return field.column === column && field.kind.codec === codec ? [field] : []
    return field.columns.flatMap(([name, { kind, nullable }]) => {
      const isRead = name === column && kind.codec === codec
      // The type of the value says that it is never null.
      const invalidValues = nullable ? field.invalidValues : ('error' as const)
      return isRead ? [{ name: field.name, invalidValues }] : []
    })
  })
}
