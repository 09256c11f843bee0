import { type ErrorCollector, emptyCollector, report, throwErrors } from '../errors/collector.ts'
import { BodyError, pointerToken } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { suggest } from '../errors/suggestion.ts'
import type { Action } from '../model/declare/action.ts'
import { resolveParameter } from '../model/declare/parameter.ts'
import type { Kind } from '../model/kinds/kinds.ts'

/** An action with its name. */
export interface NamedAction {
  readonly name: string
  readonly action: Action
}

/**
 * Reads the parameters of a call by their kinds. A nullable parameter that is absent is null.
 *
 * @param sent - the values as parsed, by name
 * @returns a value for each parameter, by name
 * @throws ApiError | ManyErrors (422) with every error of the parameters
 */
export function planParameters(
  { name: actionName, action: { parameters } }: NamedAction,
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const errors = emptyCollector()
  const known = Object.keys(parameters)
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(parameters, name)) continue
    const detail = `${actionName} has no parameter ${quote(name)}; ${suggest(name, known, 'parameters')}`
    report(errors, () => new BodyError('unknown_field', toPointer(name), detail))
  }
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const { kind, isRequired } = resolveParameter(parameter)
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (!isRequired && (value === undefined || value === null)) return [name, null] as const
    return [name, readParameter({ name, actionName, kind }, value, errors)] as const
  })
  throwErrors(errors)
  return Object.fromEntries(values)
}

/** A parameter whose value must not be null. */
interface RequiredParameter {
  readonly name: string
  readonly actionName: string
  readonly kind: Kind<unknown>
}

function readParameter(
  { name, actionName, kind }: RequiredParameter,
  value: unknown,
  errors: ErrorCollector,
): unknown {
  if (value === undefined) {
    const detail = `${actionName} needs the parameter ${quote(name)}.`
    return report(errors, () => new BodyError('missing_value', toPointer(name), detail))
  }
  const read = kind.readBody(value)
  if ('value' in read) return read.value
  return report(errors, () => {
    const detail = `${name} must be ${read.expected}; it is ${quote(value)}.`
    return new BodyError('invalid_value', toPointer(name), detail)
  })
}

/** The JSON Pointer (RFC 6901) to a parameter in the body of a call. */
function toPointer(name: string): string {
  return `/meta${pointerToken(name)}`
}
