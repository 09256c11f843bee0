/** A rule that an answer breaks: the rule's id, the place as a JSON pointer, and what is wrong there. */
export interface Breach {
  /** An id of the conformance rules (`DOC-3`), or a section of `docs/service.md` (`service.md#errors`). */
  readonly rule: string
  readonly at: string
  readonly why: string
}

/** What a check finds, one by one. */
export type Breaches = Generator<Breach, void, undefined>

/** A JSON object whose members are still to be looked at. */
export type Members = Record<string, unknown>

/** Tells a JSON object from every other value. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells a text that is not empty. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The JSON pointer one step below another one. */
export function below(at: string, step: string | number): string {
  return `${at}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Finds the members of an object that its rule does not allow. */
export function* checkMembers(
  value: Members,
  allowed: readonly string[],
  place: Pick<Breach, 'rule' | 'at'>,
): Breaches {
  for (const name of Object.keys(value)) {
    if (allowed.includes(name)) continue
    const why = `only ${allowed.join(', ')} may stand here`
    yield { rule: place.rule, at: below(place.at, name), why }
  }
}
