import { report } from '../errors/collector.ts'
import { BodyError } from '../errors/errors.ts'
import type { Model, ResourceType } from '../model/model.ts'
import type { ParsedResource } from '../parse/body.ts'
import { toFieldPointer } from './field-pointer.ts'
import type { WriteBuilder } from './write-builder.ts'
import { listColumnNames } from './written-columns.ts'

/**
 * Reports the required relationships of a new resource that neither the document nor the URL sets. The columns of a composite id may
 * have their values from the id that the client sends, or from other fields.
 * @param id - the id that the client sends
 */
export function requireRelationships(
  parsed: ParsedResource,
  resource: ResourceType,
  { columns, errors }: WriteBuilder,
  { model, id }: Readonly<{ model: Model; id: string | undefined }>,
): void {
  for (const field of resource.fields.values()) {
    if (field.is !== 'relationship' || !field.required) continue
    if (parsed.relationships.some(([name, linkage]) => name === field.name && linkage)) continue
    const written = columns.flatMap((column) => listColumnNames(column, resource, model))
    const known = id === undefined ? written : [...written, ...resource.id.columns]
    if (field.link.ownKey.every((name) => known.includes(name))) continue
    const detail = `A new resource of type ${resource.type} must have the relationship "${field.name}".`
    report(errors, () => new BodyError('missing_value', toFieldPointer(field), detail))
  }
}
