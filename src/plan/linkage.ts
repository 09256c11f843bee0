import { BodyError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import {
  getResourceType,
  type Model,
  type RelationshipField,
  type ResourceType,
} from '../model/model.ts'
import type { ParsedIdentifier, ParsedLinkage } from '../parse/body.ts'
import { normalizeId } from './path-id.ts'

/** A related resource of a document that must exist; `pointer` is its position in the document. */
export interface ExistenceCheck {
  readonly type: string
  readonly id: string
  readonly pointer: string
}

/** The linkage of a relationship with canonical ids, and its errors. */
interface ResolvedLinkage {
  /** Each id once. */
  readonly ids: readonly string[]
  readonly existenceChecks: readonly ExistenceCheck[]
  /** Identifiers whose id no resource of the type can have; they need no query. */
  readonly invalidIds: readonly ExistenceCheck[]
  /** Identifiers of another type than the relationship's. */
  readonly wrongType: readonly ParsedIdentifier[]
  /** Whether an id is not known before another operation of the same request. */
  readonly isPending: boolean
}

/**
 * Resolves the linkage of a relationship.
 *
 * @param pointer - the position of the linkage in the document
 * @throws BodyError `invalid_document` (400) for a single identifier in a to-many relationship, or a list in a to-one
 */
export function resolveLinkage(
  linkage: ParsedLinkage,
  field: RelationshipField,
  model: Model,
  pointer: string,
): ResolvedLinkage {
  if (field.many !== (linkage.is === 'many')) throw wrongCardinality(field, pointer)
  const related = getResourceType(model, field.to)
  const existenceChecks: ExistenceCheck[] = []
  const invalidIds: ExistenceCheck[] = []
  const wrongType: ParsedIdentifier[] = []
  const identifiers = listIdentifiers(linkage)
  for (const identifier of identifiers) {
    if (identifier.type !== field.to) wrongType.push(identifier)
    else {
      const id = readIdentifierId(related, identifier)
      if (id === undefined) invalidIds.push(identifier)
      else existenceChecks.push({ ...identifier, id })
    }
  }
  return {
    ids: [...new Set(existenceChecks.map(({ id }) => id))],
    existenceChecks,
    invalidIds,
    wrongType,
    isPending: identifiers.some(({ inserted }) => inserted !== undefined),
  }
}

/** The canonical id of an identifier; `undefined` for one that no resource of the type can have. */
export function readIdentifierId(
  resource: ResourceType,
  { id, inserted }: ParsedIdentifier,
): string | undefined {
  return inserted ? id : normalizeId(resource, id)
}

function wrongCardinality({ name, many }: RelationshipField, pointer: string): BodyError {
  const expected = many ? 'an array of resource identifiers' : 'one resource identifier or null'
  const detail = `${pointer} must be ${expected}, for "${name}".`
  return new BodyError('invalid_document', pointer, detail)
}

function listIdentifiers(linkage: ParsedLinkage): readonly ParsedIdentifier[] {
  switch (linkage.is) {
    case 'none':
      return []
    case 'one':
      return [linkage.identifier]
    case 'many':
      return linkage.identifiers
  }
}

/** Creates the error (404) for a related resource that does not exist. */
export function createRelatedNotFound({ type, id, pointer }: ExistenceCheck): BodyError {
  return new BodyError(
    'related_not_found',
    pointer,
    `There is no resource of type ${type} with id ${quote(id)}.`,
  )
}

/** Creates the error (409) for a resource of another type than the relationship's. */
export function createTypeConflict(
  { type, pointer }: ParsedIdentifier,
  field: RelationshipField,
): BodyError {
  const detail = `${pointer}/type must be "${field.to}", the type of "${field.name}"; it is ${quote(type)}.`
  return new BodyError('type_conflict', `${pointer}/type`, detail)
}
