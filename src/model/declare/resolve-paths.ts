import { toFilterName, toPathExpression, toPathKind } from '../kinds/json-paths.ts'
import type { Kind } from '../kinds/kinds.ts'
import { resolveNullability } from '../kinds/nullability.ts'
import { isSortable } from '../kinds/operators.ts'
import { isStoredFormat } from '../kinds/stored-formats.ts'
import type { AttributeField } from '../model.ts'
import type { Attribute } from './fields.ts'

/**
 * Resolves the values inside JSON by which clients can filter and sort, by their names in filters. Whether clients can filter by them
 * depends on the attribute.
 * @param column - the column of the attribute
 */
export function resolvePaths(
  name: string,
  column: string,
  { paths = {}, access, sort }: Attribute,
): ReadonlyMap<string, AttributeField> {
  const entries = Object.entries(paths).map(([path, declared]) => {
    const filterName = toFilterName(name, path)
    const kind = toPathKind(declared)
    const field: AttributeField = {
      is: 'attribute',
      name: filterName,
      description: undefined,
      kind,
      column: undefined,
      expression: toPathExpression(column, path, declared),
      ...resolveNullability({}),
      isReadable: false,
      isWritable: false,
      isImmutable: false,
      isFilterable: true,
      isSortable: sort ?? (access !== 'write-only' && isSortable(kind)),
      makeDefault: undefined,
      validate: undefined,
      invalidValues: isStoredFormatOf(kind) ? 'null' : 'error',
    }
    return [filterName, field] as const
  })
  return new Map(entries)
}

/** Only the texts of a format have to be checked: a path reads no value of other kinds from JSON of another type. */
function isStoredFormatOf({ codec }: Kind<unknown>): boolean {
  return typeof codec === 'string' && isStoredFormat(codec)
}
