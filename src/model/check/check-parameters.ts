import { type DefaultParameter, readArgument } from '../declare/parameter.ts'
import { isObject } from '../kinds/json.ts'
import { isSql } from '../sql.ts'
import { type Check, describeValue } from './option-checks.ts'

/** Creates the check of a parameter of a query or of a table function. @param kind - the check of an attribute kind */
export function createParameterCheck(kind: Check): Check {
  return (value, location) => {
    if (!isObject(value) || !('nullable' in value || 'default' in value))
      return kind(value, location)
    const errors = kind(value.kind, `${location}.kind`)
    if (errors.length > 0 || 'nullable' in value) return errors
    // The checks have found a kind and a default.
    return checkDefault(value as unknown as DefaultParameter, location)
  }
}

function checkDefault(
  { kind, default: value }: DefaultParameter,
  location: string,
): readonly string[] {
  if (isSql(value)) return []
  const result = readArgument(kind, value)
  return 'value' in result
    ? []
    : [`${location}.default: must be ${result.expected}; it is ${describeValue(value)}`]
}
