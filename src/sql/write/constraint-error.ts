import { HeaderError } from '../../errors/errors.ts'

/** A violated constraint of the database, or a trigger that denies permission. */
export class ConstraintError extends Error {
  readonly is: 'unique' | 'foreignKey' | 'notNull' | 'check' | 'type' | 'permission' | 'other'
  /** The columns of the constraint; empty if the database does not report them. */
  readonly columns: readonly string[]
  /** The index of the rejected value in the plan, if the database reports the parameter instead of the columns. */
  readonly parameter: number | undefined
  /** The message that a trigger raised; `undefined` if the database itself found the violation. */
  readonly raisedMessage: string | undefined
  constructor(
    is: ConstraintError['is'],
    {
      columns = [],
      parameter,
      raisedMessage,
    }: Readonly<{
      columns?: readonly string[]
      parameter?: number | undefined
      raisedMessage?: string | undefined
    }>,
    cause: unknown,
  ) {
    super(`The constraint is violated: ${is} of ${columns.join(', ')}.`, { cause })
    this.name = 'ConstraintError'
    this.is = is
    this.columns = columns
    this.parameter = parameter
    this.raisedMessage = raisedMessage
  }
}

/** A function of the database denied permission: an error of the request (403), also of a read. A write reports the denial in its own words. */
export class DeniedError extends HeaderError {
  readonly denial: ConstraintError
  constructor(denial: ConstraintError) {
    super('permission_denied', 'The database does not permit this.', {}, { cause: denial.cause })
    this.name = 'DeniedError'
    this.denial = denial
  }
}
