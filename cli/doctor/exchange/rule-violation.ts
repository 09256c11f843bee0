/** A rule that a response violates. */
export interface RuleViolation {
  /** An id of the conformance rules (`DOC-3`), or a section of `docs/service.md` (`service.md#errors`). */
  readonly rule: string
  /** The JSON pointer of the value that violates the rule; empty for the response itself. */
  readonly pointer: string
  readonly message: string
}

/** The violations that a check finds. */
export type Violations = Generator<RuleViolation, void, undefined>

/** A JSON object whose members are not checked yet. */
export type Members = Record<string, unknown>

/** True if a value is a JSON object. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if a value is a string that is not empty. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Appends a reference token to a JSON pointer. https://www.rfc-editor.org/rfc/rfc6901 */
export function appendToken(pointer: string, token: string | number): string {
  if (typeof token === 'number') return `${pointer}/${token}`
  return `${pointer}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Checks that an object has only allowed members. */
export function* checkMembers(
  value: Members,
  allowed: readonly string[],
  { rule, pointer }: Pick<RuleViolation, 'rule' | 'pointer'>,
): Violations {
  for (const name of Object.keys(value)) {
    if (allowed.includes(name)) continue
    const message = `only the members ${allowed.join(', ')} are allowed`
    yield { rule, pointer: appendToken(pointer, name), message }
  }
}
