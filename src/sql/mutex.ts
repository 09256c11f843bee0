/** Runs asynchronous work one after the other, in the order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work after all earlier work has settled. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const running = this.#last.then(work)
    this.#last = running.catch(ignore)
    return running
  }
}

function ignore(): void {}
