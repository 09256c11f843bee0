import type { AttributeField, RelationshipField } from './model.ts'

/** Whether a create writes a field, with the value of the client or with one that the server sets from the auth context. */
export function isWrittenByCreates({
  isWritable,
  set,
}: Pick<AttributeField | RelationshipField, 'isWritable' | 'set'>): boolean {
  return isWritable || set !== undefined
}

/** Whether a client can send a value of a field. It cannot change one that the server sets with every create. */
export function isSentByClients({
  isWritable,
  isImmutable,
  set,
}: Pick<AttributeField | RelationshipField, 'isWritable' | 'isImmutable' | 'set'>): boolean {
  return isWritable && !(isImmutable && set !== undefined)
}
