import { type ApiError, BodyError, HttpError } from '../../errors/errors.ts'
import type { Operation } from '../../model/declare/access.ts'

/** What a rule denied. The cause of the error that the client sees, for audits; it contains no values of fields. */
export class AccessDenied extends Error {
  /** The path of the rule, e.g. `tasks.access.update`, or that of a field's rule. */
  readonly rule: string
  readonly operation: Operation
  readonly type: string
  /** The id of the refused resource; `undefined` for a new one, and where the rule refused several. */
  readonly id: string | undefined
  constructor(
    operation: Operation,
    {
      type,
      id,
      rule = `${type}.access.${operation}`,
    }: Readonly<{ type: string; id?: string | undefined; rule?: string }>,
  ) {
    super(`The rule ${rule} denied the operation.`)
    this.name = 'AccessDenied'
    this.rule = rule
    this.operation = operation
    this.type = type
    this.id = id
  }
}

/**
 * Creates the error of an operation that a rule denies.
 * @param pointer - the position in the document, if the rule concerns a part of it
 */
export function createForbidden(denied: AccessDenied, pointer?: string): ApiError {
  const { operation, type } = denied
  const detail = `The access rules do not allow you to ${describe(operation, type)}.`
  const options = { cause: denied }
  return pointer === undefined
    ? new HttpError('forbidden', detail, {}, options)
    : new BodyError('forbidden', pointer, detail, options)
}

function describe(operation: Operation, type: string): string {
  if (operation === 'call') return `call this action of ${type}`
  if (operation === 'create') return `create a resource of type ${type}`
  return `${operation} this resource of type ${type}`
}
