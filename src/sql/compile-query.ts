import { describeValue } from '../model/check/option-checks.ts'
import { type Dialect, isSql, type Sql } from '../model/dialect.ts'
import { compileStatement, type Statement } from './statement.ts'
import { bound } from './statement-values.ts'

/**
 * Compiles SQL of the application: that of a hook, of `tx.sql` or of `client.sql`.
 * @throws TypeError when it is not the result of the tagged template `sql`, and for values that cannot be bound
 */
export function compileQuery(expression: Sql, dialect: Dialect): Statement {
  if (!isSql(expression))
    throw new TypeError(`SQL must be written as sql\`…\`; it is ${describeValue(expression)}`)
  const statement = compileStatement(expression, dialect)
  if (statement.placeholders.some(({ source }) => typeof source === 'object'))
    throw new TypeError(
      'auth(…) is a value of declarations; in the SQL of a hook or a call write the value itself, such as context.auth.id',
    )
  const { canBind } = dialect
  const unbindable = canBind
    ? bound(statement, { planValues: [] }).filter((value) => !canBind(value))
    : []
  if (unbindable.length > 0)
    throw new TypeError(
      `${dialect.title} cannot bind ${unbindable.map(describe).join(', ')}; bind a text, a number, a boolean, null or bytes`,
    )
  return statement
}

function describe(value: unknown): string {
  return value instanceof Date ? 'a Date' : describeValue(value)
}
