import { type ApiError, BodyError, HeaderError } from '../errors/errors.ts'
import type { Awaitable } from '../model/hooks.ts'
import type { Field, ResourceType } from '../model/model.ts'
import type { WritePlan } from '../plan/write.ts'
import { toFieldPointer, type WriteColumn } from '../plan/write-builder.ts'

/** How a database refuses a write: what its tables demand, and of which columns as far as it says. */
export class ConstraintError extends Error {
  readonly is: 'unique' | 'foreignKey' | 'notNull' | 'check' | 'type' | 'other'
  /** Columns of the table that was written, by name; empty where the database does not say. */
  readonly columns: readonly string[]
  /** The slot of the value that is refused, where the database says that instead. */
  readonly parameter: number | undefined
  constructor(
    is: ConstraintError['is'],
    { columns = [], slot }: Readonly<{ columns?: readonly string[]; slot?: number | undefined }>,
    cause: unknown,
  ) {
    super(`The constraint is broken: ${is} of ${columns.join(', ')}.`, { cause })
    this.name = 'ConstraintError'
    this.is = is
    this.columns = columns
    this.parameter = slot
  }
}

/** The database gave a new row an id that another has: one that a client has given, or that came with other rows. */
export class TakenIdError extends Error {
  readonly resource: ResourceType
  constructor(resource: ResourceType, cause: unknown) {
    super(`The database gave a new ${resource.type} an id that is taken.`, { cause })
    this.name = 'TakenIdError'
    this.resource = resource
  }
}

/** Runs a part of a write; what the database's constraints refuse becomes the error that `tell` makes of it. */
export function reportConstraintErrors<Result>(
  work: () => Awaitable<Result>,
  tell: (error: ConstraintError) => Error,
): Awaitable<Result> {
  const told = (error: unknown): never => {
    throw error instanceof ConstraintError ? tell(error) : error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(told) : result
  } catch (error) {
    return told(error)
  }
}

/** What a row's constraint means to the client that wrote the row: the fault points at the field, where it is known. */
export function rowConstraintError(
  error: ConstraintError,
  plan: WritePlan,
  resource: ResourceType,
): Error {
  const options = { cause: error }
  if (
    error.is === 'unique' &&
    error.columns.includes(resource.id.column) &&
    plan.document === 'resource'
  ) {
    if (plan.id === undefined && plan.shape.row === 'new') return new TakenIdError(resource, error)
    const detail = `There is a ${resource.type} with this id already.`
    return new BodyError('id_taken', '/data/id', detail, options)
  }
  const fields = fieldsOver(error, plan, resource)
  const [first] = fields
  const pointer = plan.document === 'resource' && first ? toFieldPointer(first) : '/data'
  const names = fields.map(({ name }) => `"${name}"`).join(' and ')
  switch (error.is) {
    case 'unique': {
      const what = first ? `another ${resource.type} has the same ${names}` : contradiction
      return new BodyError(
        'constraint_conflict',
        pointer,
        `The database refuses it: ${what}.`,
        options,
      )
    }
    // Which key leads nowhere not every database says.
    case 'foreignKey':
    case 'other':
      return new BodyError(
        'constraint_conflict',
        '/data',
        `The database refuses it: ${contradiction}.`,
        options,
      )
    case 'notNull': {
      const what = first ? `${names} must not be null` : 'a value that must be there is missing'
      return new BodyError('invalid_value', pointer, `The database refuses it: ${what}.`, options)
    }
    case 'check':
    case 'type': {
      const what = first ? `the value of ${names}` : 'one of the values'
      return new BodyError('invalid_value', pointer, `The database does not take ${what}.`, options)
    }
  }
}

const contradiction = 'it holds something that this would contradict'

/** What a constraint means to the client that changed the members of a relationship. */
export function linkConstraintError(error: ConstraintError, pointer: string): ApiError {
  const code = isAboutValues(error) ? 'invalid_value' : 'constraint_conflict'
  const what = isAboutValues(error) ? 'not every member can be linked or unlinked' : contradiction
  return new BodyError(code, pointer, `The database refuses it: ${what}.`, { cause: error })
}

/** What a constraint means to the client that deletes. */
export function deletionConstraintError(error: ConstraintError, { type }: ResourceType): ApiError {
  return isAboutValues(error)
    ? new HeaderError('invalid_value', `The database does not let go of this ${type}.`)
    : new HeaderError('constraint_conflict', `Something else still needs this ${type}.`)
}

/** What a constraint means that is looked at only when everything is written. */
export function commitConstraintError(error: ConstraintError): ApiError {
  const code = isAboutValues(error) ? 'invalid_value' : 'constraint_conflict'
  return new HeaderError(code, `The database refuses it: ${contradiction}.`)
}

function isAboutValues({ is }: ConstraintError): boolean {
  return is === 'notNull' || is === 'check' || is === 'type'
}

/**
 * The fields over the columns of a constraint, in their order; none when one of the columns is no field's. A check's words
 * are columns and anything else.
 */
function fieldsOver(
  { is, columns, parameter }: ConstraintError,
  { shape }: WritePlan,
  resource: ResourceType,
): Field[] {
  const written = parameter === undefined ? undefined : shape.columns[parameter]
  if (written) return fieldsWriting(written, resource)
  const fields = columns.map((column) =>
    [...resource.fields.values()].find((field) => isOver(field, column)),
  )
  const known = fields.filter((field) => field !== undefined)
  return is === 'check' || known.length === fields.length ? known : []
}

/** The field whose value is written to a column; a parent's link is no field's own. */
function fieldsWriting(column: WriteColumn, { fields }: ResourceType): Field[] {
  if (column.is === 'parent') return []
  const field = fields.get(column.is === 'key' ? column.relationship : column.name)
  return field ? [field] : []
}

function isOver(field: Field, column: string): boolean {
  if (field.is === 'attribute') return field.column === column
  return (
    field.is === 'relationship' && field.link.foreignKey === 'own' && field.link.ownKey === column
  )
}
