/** Work to do at the end of a test or of a suite. A test's context is such a scope too. */
export interface Scope {
  after(work: () => unknown): void
}

/** The scope of a suite: `after(() => cleanup.run())` does the work when the suite ends. */
export class Cleanup implements Scope {
  readonly #work: (() => unknown)[] = []

  after(work: () => unknown): void {
    this.#work.push(work)
  }

  /** Does the work, the latest first. */
  async run(): Promise<void> {
    for (const work of this.#work.splice(0).reverse()) await work()
  }
}
