import type { AttributeField, Model, ResourceType } from '../model/model.ts'
import { listParts } from './id-columns.ts'
import { listStoredAttributes } from './stored-columns.ts'
import type { WritePlan } from './write.ts'
import type { WriteColumn } from './write-builder.ts'

/**
 * Reads the attributes of a type that are stored in the foreign key columns that a plan writes, e.g. `author_id` next to the
 * relationship `author`. Keys that reference another column than the id are not known before the write, and are omitted.
 *
 * @returns the values by the names of the attributes
 */
export function readKeyAttributes(
  { shape, values }: WritePlan,
  resource: ResourceType,
  model: Model,
): Record<string, unknown> {
  const attributes = listStoredAttributes(resource)
  const entries = shape.columns.flatMap((column, index): [string, unknown][] =>
    attributes.flatMap((field): [string, unknown][] => {
      const text = findKeyPart(field, column, values[index], { resource, model })
      if (text === undefined) return []
      const result = text === null ? { value: null } : field.kind.readFilterText(text)
      return 'value' in result ? [[field.name, result.value]] : []
    }),
  )
  return Object.fromEntries(entries)
}

/** The part of a written foreign key that an attribute stores; `undefined` if it stores none, or one that is not known. */
function findKeyPart(
  { column: name }: AttributeField,
  column: WriteColumn,
  value: unknown,
  row: Readonly<{ resource: ResourceType; model: Model }>,
): string | null | undefined {
  if (column.is === 'attribute') return undefined
  return listParts(column, value, row).find((part) => part.name === name)?.text
}
