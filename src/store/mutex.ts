/** Lets one piece of work at a time have its turn, in the order of their arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work once all that came before it has ended, however it ended. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.then(ignore, ignore)
    return turn
  }
}

function ignore(): void {}
