/** A rule that responses of an API violate, at one resource type or field. */
interface Violation {
  /** The resource type or the field, e.g. `person.computers`. */
  readonly subject: string
  /** A description, without the example. */
  readonly problem: string
  /** A request that shows it. */
  readonly example: string
}

/** Collects violations: the first example of each, and how often it was found. */
export class ViolationCollector {
  readonly #found = new Map<string, { readonly violation: Violation; count: number }>()

  /** Adds a violation. */
  add(violation: Violation): void {
    const key = JSON.stringify([violation.subject, violation.problem])
    const known = this.#found.get(key)
    if (known) known.count += 1
    else this.#found.set(key, { violation, count: 1 })
  }

  /** Formats each violation as a line. */
  format(): string[] {
    return [...this.#found.values()].map(({ violation: { subject, problem, example }, count }) => {
      const times = count === 1 ? '' : `, and ${count - 1} more`
      return `${subject}: ${problem}, e.g. ${example}${times}`
    })
  }
}
