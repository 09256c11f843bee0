import { type ApiError, BodyError, HttpError } from '../../errors/errors.ts'
import { truncate } from '../../errors/quote.ts'
import type { Awaitable } from '../../model/declare/hooks.ts'
import type { Field, ResourceType } from '../../model/model.ts'
import type { WritePlan } from '../../plan/write.ts'
import type { WriteColumn } from '../../plan/write-builder.ts'
import { toFieldPointer } from '../../plan/write-rights.ts'
import { ConstraintError, DeniedError } from '../errors.ts'

/**
 * The database generated an id that another row has: a client chose it, or it was imported, or the default of the column is always the
 * same. On PostgreSQL the create is tried again, because a sequence or a random default generates other ids.
 */
export class TakenIdError extends BodyError {
  readonly resource: ResourceType
  constructor(resource: ResourceType, cause: unknown, pointer = '/data') {
    const detail = `The database generated an id that another resource of type ${resource.type} has.`
    super('id_taken', pointer, detail, { cause })
    this.name = 'TakenIdError'
    this.resource = resource
  }
}

/** Converts a violated constraint; any other error stays as it is. */
export function convertConstraintError(
  error: unknown,
  toError: (error: ConstraintError) => Error,
): unknown {
  const violated = error instanceof DeniedError ? error.denial : error
  return violated instanceof ConstraintError ? toError(violated) : error
}

/** Runs a part of a write. @throws what `toError` returns for a violated constraint */
export function reportConstraintErrors<Result>(
  work: () => Awaitable<Result>,
  toError: (error: ConstraintError) => Error,
): Awaitable<Result> {
  const rethrow = (error: unknown): never => {
    throw convertConstraintError(error, toError)
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(rethrow) : result
  } catch (error) {
    return rethrow(error)
  }
}

/** Returns the error of a violated constraint of the written row. It points at the field if the columns are known. */
export function rowConstraintError(
  error: ConstraintError,
  plan: WritePlan,
  resource: ResourceType,
): Error {
  if (isTakenId(error, plan, resource)) return takenIdError(error, plan, resource)
  const fields = findFields(error, plan, resource)
  const [first] = fields
  const pointer = plan.document === 'resource' && first ? toFieldPointer(first) : '/data'
  const message = findPublicMessage(error, resource)
  if (message !== undefined) return new BodyError(codeOf(error), '/data', message, { cause: error })
  return createRowError(error, resource, fields, pointer)
}

/** @param fields - of the columns of the constraint; empty if they are not known: not every database reports those of a foreign key */
function createRowError(
  error: ConstraintError,
  { type }: ResourceType,
  fields: readonly Field[],
  pointer: string,
): BodyError {
  const isKnown = fields.length > 0
  const names = fields.map(({ name }) => `"${name}"`).join(' and ')
  const options = { cause: error }
  switch (error.is) {
    case 'unique': {
      const same = `another resource of type ${type} has the same ${names}`
      const reason = isKnown ? same : reasonOf(error)
      return new BodyError('constraint_conflict', pointer, rejection(reason), options)
    }
    case 'foreignKey':
    case 'permission':
    case 'other':
      return new BodyError(codeOf(error), '/data', rejection(reasonOf(error)), options)
    case 'notNull': {
      const reason = isKnown ? `${names} must not be null` : 'a required value is missing'
      return new BodyError('invalid_value', pointer, rejection(reason), options)
    }
    case 'check':
    case 'type': {
      const value = isKnown ? `the value of ${names}` : 'one of the values'
      return new BodyError('invalid_value', pointer, `The database rejects ${value}.`, options)
    }
  }
}

/** Whether another row has the id of the resource. A composite id without the client's is that of fields, at which the error points. */
function isTakenId(
  { is, columns }: ConstraintError,
  { id: sentId, document }: WritePlan,
  { id }: ResourceType,
): boolean {
  const isId = id.columns.every((column) => columns.includes(column))
  const isNamed = id.columns.length === 1 || sentId !== undefined
  return is === 'unique' && isId && isNamed && document === 'resource'
}

/** Returns the error of an id that another row has: the client chose it, or the database generated it. */
function takenIdError(
  cause: ConstraintError,
  { id, shape }: WritePlan,
  resource: ResourceType,
): Error {
  if (id === undefined && shape.row === 'new') return new TakenIdError(resource, cause)
  const detail = `There is a resource of type ${resource.type} with this id already.`
  return new BodyError('id_taken', '/data/id', detail, { cause })
}

/** The reasons that do not name a field or a resource: at a commit, no one knows which of its rows violates the constraint. */
const reasons: Readonly<Partial<Record<ConstraintError['is'], string>>> = {
  foreignKey: 'a record would reference another that does not exist',
  permission: 'it is not permitted',
  unique: 'another record has the same values',
}

function reasonOf({ is }: ConstraintError): string {
  return reasons[is] ?? 'it would violate a constraint'
}

function rejection(reason: string): string {
  return `The database rejects the change: ${reason}.`
}

/** Returns the error of a constraint that is violated by the members of a relationship. */
export function linkConstraintError(
  error: ConstraintError,
  pointer: string,
  resource: ResourceType,
): ApiError {
  const code = codeOf(error)
  const message = findPublicMessage(error, resource)
  if (message !== undefined) return new BodyError(code, pointer, message, { cause: error })
  const reason = isAboutValues(error)
    ? 'not every member can be linked or unlinked'
    : reasonOf(error)
  return new BodyError(code, pointer, rejection(reason), { cause: error })
}

/** Returns the error of a constraint that is violated by a deletion. */
export function deletionConstraintError(error: ConstraintError, resource: ResourceType): ApiError {
  const message = findPublicMessage(error, resource)
  if (message !== undefined) return new HttpError(codeOf(error), message, {}, { cause: error })
  const { type } = resource
  if (error.is === 'permission') return new HttpError(codeOf(error), rejection(reasonOf(error)))
  const detail =
    error.is === 'foreignKey'
      ? `Other records still reference this resource of type ${type}.`
      : `The database does not allow this resource of type ${type} to be deleted.`
  return new HttpError(codeOf(error), detail)
}

/** Returns the error of a constraint that is violated by an action. */
export function actionConstraintError(error: ConstraintError, resource: ResourceType): ApiError {
  const message = findPublicMessage(error, resource) ?? rejection(reasonOf(error))
  return new HttpError(codeOf(error), message, {}, { cause: error })
}

/** Returns the error of a constraint that is checked at the commit. */
export function commitConstraintError(error: ConstraintError): ApiError {
  return new HttpError(codeOf(error), rejection(reasonOf(error)))
}

/** The longest message of a trigger that clients see, in characters. */
const maxMessageLength = 1000

/** Returns the message of a trigger, if the resource type shows it to clients. */
function findPublicMessage(
  { raisedMessage }: ConstraintError,
  { databaseMessages }: ResourceType,
): string | undefined {
  return databaseMessages && raisedMessage !== undefined
    ? truncate(raisedMessage, maxMessageLength)
    : undefined
}

function codeOf(
  error: ConstraintError,
): 'invalid_value' | 'constraint_conflict' | 'permission_denied' {
  if (error.is === 'permission') return 'permission_denied'
  return isAboutValues(error) ? 'invalid_value' : 'constraint_conflict'
}

function isAboutValues({ is }: ConstraintError): boolean {
  return is === 'notNull' || is === 'check' || is === 'type'
}

/**
 * Finds the fields of a constraint's columns, in their order; none if a column belongs to no field. The columns of a check are
 * guessed from its name, so unknown ones are ignored.
 */
function findFields(
  { is, columns, parameter }: ConstraintError,
  { shape }: WritePlan,
  resource: ResourceType,
): Field[] {
  const written = parameter === undefined ? undefined : shape.columns[parameter]
  if (written) return findWritingFields(written, resource)
  const fields = columns.map((column) =>
    [...resource.fields.values()].find(
      (field) => usesColumn(field, column) && !resource.hiddenFields?.has(field.name),
    ),
  )
  const known = fields.filter((field) => field !== undefined)
  return is === 'check' || known.length === fields.length ? [...new Set(known)] : []
}

/** Finds the field whose value is written to a column; none for the key of the resource in the path. */
function findWritingFields(column: WriteColumn, { fields, hiddenFields }: ResourceType): Field[] {
  if (column.is === 'parent') return []
  const field = fields.get(column.is === 'key' ? column.relationship : column.name)
  return field && !hiddenFields?.has(field.name) ? [field] : []
}

function usesColumn(field: Field, column: string): boolean {
  if (field.is === 'attribute') return field.column === column
  return (
    field.is === 'relationship' &&
    field.link.foreignKey === 'own' &&
    field.link.ownKey.includes(column)
  )
}
