/** Work that looks before it writes, one after another, so that each sees what the one before has written. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Does the work when all that was handed in before is over, however it ended. */
  take<Done>(work: () => Promise<Done>): Promise<Done> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
