import { BodyError, quoted } from '../errors/errors.ts'
import { type Model, type RelationshipField, typeNamed } from '../model/model.ts'
import type { IdentifierWords, LinkageWords } from '../parse/body.ts'
import { readId } from './target.ts'

/** A related resource that a document names, and where: it must be there. */
export interface Lookup {
  readonly type: string
  readonly id: string
  readonly pointer: string
}

/** Linkage of a document once it is understood: whom it names, each once, and what is wrong with it. */
export interface PlannedLinkage {
  readonly ids: readonly string[]
  readonly lookups: readonly Lookup[]
  /** Identifiers with texts that no resource can have as its id: absent without a look. */
  readonly unreadable: readonly Lookup[]
  /** Identifiers of resources of another type. */
  readonly wrongType: readonly IdentifierWords[]
}

/**
 * Gives linkage its meaning for a relationship.
 *
 * @param pointer - where the linkage stands in the document
 * @throws BodyError `invalid_document` (400) for one where many are meant or the other way round
 */
export function planLinkage(
  words: LinkageWords,
  field: RelationshipField,
  model: Model,
  pointer: string,
): PlannedLinkage {
  if (field.many !== (words.is === 'many')) {
    const meant = field.many
      ? 'an array of resource identifiers'
      : 'one resource identifier or null'
    throw new BodyError(
      'invalid_document',
      pointer,
      `${pointer} must be ${meant}, for "${field.name}".`,
    )
  }
  const identifiers =
    words.is === 'many' ? words.identifiers : words.is === 'one' ? [words.identifier] : []
  const other = typeNamed(model, field.to)
  const lookups: Lookup[] = []
  const unreadable: Lookup[] = []
  const wrongType: IdentifierWords[] = []
  for (const identifier of identifiers) {
    if (identifier.type !== field.to) wrongType.push(identifier)
    else {
      const id = readId(other, identifier.id)
      if (id === undefined) unreadable.push(identifier)
      else lookups.push({ ...identifier, id })
    }
  }
  return { ids: [...new Set(lookups.map(({ id }) => id))], lookups, unreadable, wrongType }
}

/** The fault of naming a related resource that is not there (JSON:API 1.0: 404). */
export function absent({ type, id, pointer }: Lookup): BodyError {
  return new BodyError('related_not_found', pointer, `There is no ${type} with id ${quoted(id)}.`)
}

/** The error of naming a resource of another type than a relationship leads to (409). */
export function typeConflict(
  { type, pointer }: IdentifierWords,
  field: RelationshipField,
): BodyError {
  const detail = `"${field.name}" leads to resources of the type "${field.to}"; this one's is ${quoted(type)}.`
  return new BodyError('type_conflict', `${pointer}/type`, detail)
}
