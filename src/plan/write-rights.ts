import { type ErrorCollector, report } from '../errors/collector.ts'
import { BodyError, pointerToken } from '../errors/errors.ts'
import type { AttributeField, Field, RelationshipField, ResourceType } from '../model/model.ts'
import { AccessDenied } from './access/access-denied.ts'

/**
 * Who has made the document of a write. A client sends back what it has read, so members that it cannot write are ignored. A program
 * names what it wants to write, so they are errors. The server, which is a program that calls `asServer()`, writes every stored field.
 */
export type Writer = 'client' | 'program' | 'server'

/** The write to which a field belongs. */
export interface FieldWrite {
  readonly resource: ResourceType
  readonly operation: 'create' | 'update'
  readonly writer: Writer
}

/** Finds a field that a writer can name: the server also those that do not exist for the identity. */
export function findNamedField(
  name: string,
  { resource, writer }: Pick<FieldWrite, 'resource' | 'writer'>,
): Field | undefined {
  const { fields } = writer === 'server' ? (resource.unrestricted ?? resource) : resource
  return fields.get(name)
}

/** Whether an attribute does not exist in a body: it cannot be sent, and its value would confirm guesses. */
export function isUnknown(
  field: Exclude<Field, RelationshipField>,
  { operation, writer }: FieldWrite,
): boolean {
  if (writer === 'server' || field.is === 'computed' || field.isReadable) return false
  return operation === 'create' ? field.set !== undefined : field.isImmutable
}

/**
 * Decides whether a document writes a field.
 * @returns false for a field that it does not write; unless a client has sent it, its error has been reported
 */
export function checkFieldWrite<Each extends Field>(
  field: Each,
  write: FieldWrite,
  errors: ErrorCollector,
): field is Exclude<Each, { readonly is: 'computed' }> {
  const { writer, operation } = write
  const isWritten =
    writer === 'server' ? isStored(field) : field.is !== 'computed' && field.isWritable
  if (writer !== 'server' && field.is !== 'computed' && isDenied(field, operation))
    report(errors, () => createFieldForbidden(field, write.resource, operation))
  else if (isWritten) return true
  else if (writer !== 'client') report(errors, () => createNotWritten(field, write))
  return false
}

/** Whether the server can write a field: it has a column, or links whose members can change. */
export function isStored(field: Field): boolean {
  if (field.is === 'relationship') return field.isWritable || !field.isPartOfIds
  return field.is === 'attribute' && field.column !== undefined
}

/** Whether access rules refuse a client's value of a field. */
function isDenied(
  { isDenied = false, set }: AttributeField | RelationshipField,
  operation: FieldWrite['operation'],
): boolean {
  return isDenied || (operation === 'create' && set !== undefined)
}

/** Creates the error of a field that the access rules, or the value that the server sets, close to the identity. */
export function createFieldForbidden(
  field: AttributeField | RelationshipField,
  { type }: ResourceType,
  operation: FieldWrite['operation'],
): BodyError {
  const reason = field.isDenied ? 'writable' : 'set'
  const rule = `${type}.fields.${field.name}.${reason}`
  const detail =
    reason === 'set'
      ? `The server sets "${field.name}"; remove it.`
      : `The access rules do not allow you to write "${field.name}".`
  const cause = new AccessDenied(operation, { type, rule })
  return new BodyError('forbidden', toFieldPointer(field), detail, { cause })
}

/** Creates the error of a field that a program names and cannot write. */
function createNotWritten(field: Field, { resource: { type } }: FieldWrite): BodyError {
  const detail = isStored(field)
    ? `"${field.name}" of ${type} is read-only; remove it, or write it with asServer().`
    : `"${field.name}" of ${type} is not stored, so nothing can write it; remove it.`
  return new BodyError('invalid_value', toFieldPointer(field), detail)
}

/** The JSON Pointer (RFC 6901) to a field in the document of a resource. */
export function toFieldPointer({ is, name }: Pick<Field, 'is' | 'name'>): string {
  return `/data/${is === 'relationship' ? 'relationships' : 'attributes'}${pointerToken(name)}`
}
