import { type ApiError, BodyError, quoted } from '../errors/errors.ts'
import { type Model, type RelationshipField, typeNamed } from '../model/model.ts'
import type { IdentifierWords, LinkageWords } from '../request/body.ts'
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
  /** Texts that no resource can have as its id: absent without a look. */
  readonly absentees: readonly ApiError[]
  readonly faults: readonly ApiError[]
}

/**
 * Gives linkage its meaning for a relationship.
 *
 * @param pointer - where the linkage stands in the document
 * @returns faults beside the ids: `invalid_document` (400) for one where many are meant or the other way round,
 *   `type_conflict` (409) for resources of another type
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
    const fault = new BodyError(
      'invalid_document',
      pointer,
      `${pointer} must be ${meant}, for "${field.name}".`,
    )
    return { ids: [], lookups: [], absentees: [], faults: [fault] }
  }
  const identifiers =
    words.is === 'many' ? words.identifiers : words.is === 'one' ? [words.identifier] : []
  const other = typeNamed(model, field.to)
  const strangers = identifiers.filter(({ type }) => type !== field.to)
  const ours = identifiers.filter(({ type }) => type === field.to)
  const read = ours.map((identifier) => ({ ...identifier, known: readId(other, identifier.id) }))
  const lookups = read.flatMap(({ known, ...said }) =>
    known === undefined ? [] : [{ ...said, id: known }],
  )
  return {
    ids: [...new Set(lookups.map(({ id }) => id))],
    lookups,
    absentees: read.filter(({ known }) => known === undefined).map(absent),
    faults: strangers.map((identifier) => typeConflict(identifier, field)),
  }
}

/** The fault of naming a related resource that is not there (JSON:API 1.0: 404). */
export function absent({ type, id, pointer }: Lookup): BodyError {
  return new BodyError('related_not_found', pointer, `There is no ${type} with id ${quoted(id)}.`)
}

function typeConflict({ type, pointer }: IdentifierWords, field: RelationshipField): BodyError {
  const detail = `"${field.name}" leads to resources of the type "${field.to}"; this one's is ${quoted(type)}.`
  return new BodyError('type_conflict', `${pointer}/type`, detail)
}
