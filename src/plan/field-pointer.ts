import { pointerToken } from '../errors/errors.ts'
import type { Field } from '../model/model.ts'

/** The JSON Pointer (RFC 6901) to a field in the document of a resource. */
export function toFieldPointer({ is, name }: Pick<Field, 'is' | 'name'>): string {
  return `/data/${is === 'relationship' ? 'relationships' : 'attributes'}${pointerToken(name)}`
}
