/** Runs what concerns one thing in turn, and what concerns different things side by side. */
export type InTurn = <Result>(thing: string, work: () => Promise<Result>) => Promise<Result>

export function inTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (thing, work) => {
    const before = last.get(thing)
    const mine = (before ?? Promise.resolve()).then(work, work)
    last.set(thing, mine)
    try {
      return await mine
    } finally {
      if (last.get(thing) === mine) last.delete(thing)
    }
  }
}
