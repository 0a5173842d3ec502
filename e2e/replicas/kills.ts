import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import type { Replica } from '../../packages/testing/src/cluster/replica.ts'

/** Kills replicas while calls are under way. */
export interface Killer {
  /** Must be called with the number of calls that have ended. */
  readonly onDone: (done: number) => void
  /** Resolves with the number of kills, once every replica serves again. */
  readonly settled: () => Promise<number>
}

export interface KillPlan {
  readonly calls: number
  readonly kills: number
  readonly seed: number
}

/** Kills a replica, chosen by the seed, each time another share of the calls has ended, and restarts it at once. */
export function killerOf(replicas: readonly Replica[], { calls, kills, seed }: KillPlan): Killer {
  const random = randomNumbers(seed)
  const step = calls / (kills + 1)
  let killed = 0
  let restarts = Promise.resolve()
  return {
    onDone(done) {
      if (killed >= kills || done < step * (killed + 1)) return
      killed += 1
      const victim = replicas[Math.floor(random() * replicas.length)]
      restarts = restarts.then(async () => {
        await victim?.kill()
        // Restarts the replica until it runs, as a supervisor does: it may fail to start while the database is down.
        while (
          victim &&
          !(await victim.restart().then(
            () => true,
            () => false,
          ))
        );
      })
    },
    async settled() {
      await restarts
      return killed
    },
  }
}
