import type { LinkOperation } from 'lapidary'
import { actionNames, collectionActionNames } from './declared-calls.ts'
import { isOfRow } from './random-rules.ts'
import type { Reference } from './reference.ts'
import { type Relationship, relationshipsOf, type Type, types } from './schema.ts'

/**
 * Lists the operations that the rules do not refuse on every row, e.g. `PATCH /red/{id}`: what the description for an identity must
 * contain. It follows from the declarations, and shares no code with the engine.
 */
export function listOperations(reference: Reference): ReadonlySet<string> {
  return new Set(types.flatMap((type) => listTypeOperations(type, reference)))
}

function listTypeOperations(type: Type, reference: Reference): string[] {
  const canRead = !reference.isNever('read', type)
  const isWritten = !reference.isNeverWritten(type)
  const may = (operation: 'create' | 'update' | 'delete' | 'call') =>
    (isWritten || operation === 'call') && !reference.isNever(operation, type)
  const actions = (names: readonly string[]) =>
    names.filter((name) => may('call') && reference.isCallable(type, name))
  const hasCollectionActions = !isOfRow(reference.callRule(type))
  return [
    ...(canRead ? [`GET /${type}`, `GET /${type}/{id}`] : []),
    ...(may('create') ? [`POST /${type}`] : []),
    ...(canRead && may('update') ? [`PATCH /${type}/{id}`] : []),
    ...(canRead && may('delete') ? [`DELETE /${type}/{id}`] : []),
    ...(canRead ? actions(actionNames).map((name) => `POST /${type}/{id}/actions/${name}`) : []),
    ...(hasCollectionActions
      ? actions(collectionActionNames).map((name) => `POST /${type}/actions/${name}`)
      : []),
    ...(canRead
      ? Object.entries(relationshipsOf(type)).flatMap((entry) =>
          reference.isVisible(type, entry[0]) ? listLinkOperations(type, entry, reference) : [],
        )
      : []),
  ]
}

function listLinkOperations(
  type: Type,
  [name, { to, many }]: readonly [string, Relationship],
  reference: Reference,
): string[] {
  const path = `/${type}/{id}/${name}`
  const linkage = `/${type}/{id}/relationships/${name}`
  const isWritable =
    !reference.isNeverWritten(type) &&
    !reference.isFixed(type, name) &&
    reference.isLinkWritable(type, name)
  // The row that stores the key changes; a join table is a relationship of both rows.
  const isJoined = many && name !== 'previous'
  const { inverse } = relationshipsOf(type)[name] ?? {}
  const mayLink = (operation: LinkOperation, end: Type, of: string, isChanged: boolean) => {
    if (reference.linkRule(operation, end, of) !== undefined)
      return !reference.isNeverLinked(operation, end, of)
    return !isChanged || !reference.isNever('update', end)
  }
  const mayLinkOwn = (operation: LinkOperation) =>
    isWritable && mayLink(operation, type, name, name === 'next' || isJoined)
  const isMemberChanged = name === 'previous' || (isJoined && !reference.isNeverWritten(to))
  const canCreate = many && !reference.isNeverWritten(to) && !reference.isNever('create', to)
  const canReadRelated = !reference.isNever('read', to)
  const mayChange = (operation: LinkOperation) =>
    mayLinkOwn(operation) && mayLink(operation, to, inverse ?? '', isMemberChanged)
  const writes = [
    ...(mayChange('link') || mayChange('unlink') ? [`PATCH ${linkage}`] : []),
    ...(mayChange('link') ? [`POST ${linkage}`] : []),
    ...(mayChange('unlink') ? [`DELETE ${linkage}`] : []),
  ]
  return [
    ...(canReadRelated ? [`GET ${path}`, `GET ${linkage}`] : []),
    ...(mayLinkOwn('link') && canCreate ? [`POST ${path}`] : []),
    ...(canReadRelated ? writes : []),
  ]
}
