/** Thrown for wrong declarations. The message has one line per error, each starting with the path to the wrong option. */
export class DeclarationError extends Error {
  /** The lines of the message. */
  readonly errors: readonly string[]
  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.name = 'DeclarationError'
    this.errors = errors
  }
}

/**
 * Throws if there are errors.
 * @throws DeclarationError
 */
export function throwDeclarationErrors(errors: readonly string[]): void {
  if (errors.length > 0) throw new DeclarationError(errors)
}
